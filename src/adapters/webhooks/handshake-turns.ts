/**
 * Starts TLS handshakes a few at a time, first come first served. Bun's event loop (1.4.5,
 * uSockets' low-priority queue) works on five handshakes per turn, sets the others aside and takes
 * the newest first. If five or more arrive in every turn, the oldest starve until their time limit,
 * with the receiver's response unread. Measured on loopback with 64 posts in flight: 2,000 newer
 * posts overtook some, and up to 40 in 1,000 had no connection after 5 s.
 */

/**
 * TLS 1.2 needs two steps per handshake; twice this number stays below the five that the loop takes
 * from its queue.
 */
const BEGIN_PER_LOOP_TURN = 2;
/**
 * Most recent handshakes that run at a time. Older ones do not count, so that a receiver that hangs
 * blocks no other.
 */
const YOUNG_MOST = 32;
const YOUNG_MS = 100;

const waiting: (() => void)[] = [];
let young = 0;
let calling = false;

/** Runs a handshake in its turn. */
export async function inHandshakeTurn<T>(handshake: () => Promise<T>): Promise<T> {
  const { promise: turn, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  callLater();
  await turn;
  let grown = false;
  const growUp = () => {
    if (grown) return;
    grown = true;
    young -= 1;
    callLater();
  };
  const timer = setTimeout(growUp, YOUNG_MS);
  try {
    return await handshake();
  } finally {
    clearTimeout(timer);
    growUp();
  }
}

function callLater(): void {
  if (calling || waiting.length === 0 || young >= YOUNG_MOST) return;
  calling = true;
  setImmediate(() => {
    calling = false;
    for (const begin of waiting.splice(0, Math.min(BEGIN_PER_LOOP_TURN, YOUNG_MOST - young))) {
      young += 1;
      begin();
    }
    callLater();
  });
}
