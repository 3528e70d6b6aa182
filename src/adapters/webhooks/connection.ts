/**
 * A connection that carries one exchange at a time. Whatever comes while none is under way was asked for by nobody and closes
 * it, so no byte of a receiver is ever taken for the answer to a later request.
 */
import type { Socket } from 'node:net';

export interface Connection {
  /** The checked address behind it, an IP literal. */
  readonly address: string;
  readonly openedAt: number;
  isOpen(): boolean;
  /** Bytes came since the last exchange began. */
  hasSpoken(): boolean;
  /** Sends `bytes` and hands on what comes until end(). Must not be called while an exchange is under way. */
  begin(bytes: Uint8Array, listener: ConnectionListener): void;
  /** Ends the exchange; false when the request was not sent whole, and so nothing may follow it. */
  end(): boolean;
  close(): void;
}

export interface ConnectionListener {
  data(bytes: Buffer): void;
  /** The connection is over, with the socket's error where there was one. Said once. */
  closed(error: unknown): void;
}

/** @param socket connected and, where that is wanted, secured; it has no other owner */
export function connectionOver(socket: Socket, address: string): Connection {
  let listener: ConnectionListener | null = null;
  let open = true;
  let spoken = false;

  function over(error: unknown): void {
    if (!open) return;
    open = false;
    socket.destroy();
    const told = listener;
    listener = null;
    told?.closed(error);
  }

  socket.on('data', (bytes: Buffer) => {
    spoken = true;
    if (listener === null) over(null);
    else listener.data(bytes);
  });
  socket.on('error', over);
  for (const event of ['end', 'close']) socket.on(event, () => over(null));
  // A tunnel is handed over paused, so that nothing is lost before somebody listens.
  socket.resume();

  return {
    address,
    openedAt: performance.now(),
    isOpen: () => open && !socket.destroyed,
    hasSpoken: () => spoken,
    begin(bytes, wanted) {
      spoken = false;
      listener = wanted;
      if (open && !socket.destroyed) socket.write(bytes);
      else {
        open = true;
        over(null);
      }
    },
    end() {
      listener = null;
      return socket.writableLength === 0;
    },
    close: () => over(null),
  };
}
