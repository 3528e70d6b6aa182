/**
 * Lets TLS handshakes begin a few at a time, first come first served. Bun's event loop (1.4.5, uSockets' low-priority queue)
 * works on five handshakes in each turn, puts the others aside and takes the newest of them first: where five or more go on
 * arriving in every turn, the oldest starve until their time limit, the receiver's answer unread. Measured on loopback with
 * 64 posts in flight: posts that 2,000 younger ones overtook, and up to 40 in 1,000 without a connection after 5 s.
 */

/** A handshake of TLS 1.2 is worked on twice; twice this stays below the five that the loop takes from its queue. */
const BEGIN_PER_LOOP_TURN = 2;

const waiting: (() => void)[] = [];

/** Resolves when it is the caller's turn to begin a handshake. It waits for turns of the loop, never for another's handshake. */
export function handshakeTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  if (waiting.length === 1) setImmediate(callNext);
  return promise;
}

function callNext(): void {
  for (const begin of waiting.splice(0, BEGIN_PER_LOOP_TURN)) begin();
  if (waiting.length > 0) setImmediate(callNext);
}
