/** Reads lines of a bounded length from a stream socket. */
import type { Socket } from 'node:net';

export interface LineReader {
  /** The next line without its end. Null when the other side has ended, or its line is too long. */
  next(): Promise<string | null>;
  /** Stops waiting for lines. */
  stop(): void;
}

/**
 * Reads only on request, so that a caller who sends without end fills the kernel's buffer and not
 * ours.
 */
export function lineReader(socket: Socket, bytesMax: number): LineReader {
  let held: Buffer = Buffer.alloc(0);
  let over = false;
  let wake: (() => void) | null = null;
  const changed = (): void => {
    wake?.();
    wake = null;
  };
  socket.on('data', (piece: Buffer) => {
    held = Buffer.concat([held, piece]);
    socket.pause();
    changed();
  });
  const stop = (): void => {
    over = true;
    changed();
  };
  for (const event of ['end', 'close', 'error'] as const) socket.on(event, stop);
  socket.pause();

  return {
    stop,
    async next() {
      for (;;) {
        const end = held.indexOf(0x0a);
        if (end > bytesMax || (end === -1 && held.length >= bytesMax)) return null;
        if (end !== -1) {
          const line = held.toString('utf8', 0, end);
          held = held.subarray(end + 1);
          return line;
        }
        if (over) return null;
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        socket.resume();
        await woken;
      }
    },
  };
}
