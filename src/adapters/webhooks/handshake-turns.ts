/**
 * Lets TLS handshakes begin a few at a time, first come first served. Bun's event loop (1.4.5, uSockets' low-priority queue)
 * works on five handshakes in each turn, puts the others aside and takes the newest of them first: where five or more go on
 * arriving in every turn, the oldest starve until their time limit, the receiver's answer unread. Measured on loopback with
 * 64 posts in flight: posts that 2,000 younger ones overtook, and up to 40 in 1,000 without a connection after 5 s.
 */

/** A handshake of TLS 1.2 is worked on twice; twice this stays below the five that the loop takes from its queue. */
const BEGIN_PER_LOOP_TURN = 2;
/** So many are under way at once, but for those that have lasted for longer: a receiver that hangs keeps nobody from a turn. */
const YOUNG_MOST = 32;
const YOUNG_MS = 100;

const waiting: (() => void)[] = [];
let young = 0;
let calling = false;

/** Carries out a handshake when it is its turn. */
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
