/**
 * A connection that carries one exchange at a time. Bytes outside an exchange are unsolicited and
 * close it, so that no byte of a receiver is ever read as the response to a later request.
 */
import type { Socket } from 'node:net';

export interface Connection {
  /** The checked address of the receiver, an IP literal. */
  readonly address: string;
  readonly openedAt: number;
  isOpen(): boolean;
  /** Whether bytes came since the last exchange began. */
  hasSpoken(): boolean;
  /**
   * Sends `bytes` and passes on what arrives until end(). Must not be called during an exchange.
   */
  begin(bytes: Uint8Array, listener: ConnectionListener): void;
  /**
   * Ends the exchange; false if the request was not sent completely, so that no other may follow
   * it.
   */
  end(): boolean;
  close(): void;
}

export interface ConnectionListener {
  data(bytes: Buffer): void;
  /** The connection has ended, with the socket's error if there was one. Called once. */
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
  // A tunnel arrives paused, so that no byte is lost before the listener exists.
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
