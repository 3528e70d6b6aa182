/** A node that tells heads over WebSockets, well or badly, on a free port of this machine. */
import type { ServerWebSocket } from 'bun';

export interface HeadServer {
  /** ws://... */
  readonly url: string;
  /** What was sent to it first on each connection. */
  readonly asked: readonly { readonly message: string; readonly headers: Headers }[];
  /** Connections that were ever begun. */
  begun(): number;
  /** Connections that are open. */
  open(): number;
  /** Says it on every connection. */
  say(message: string | Uint8Array): void;
  hangUp(): void;
  /** From now on each connection is ended as soon as it is open. */
  hangUpAtOnce(): void;
  stop(): Promise<void>;
}

export function startHeadServer(): HeadServer {
  const asked: { message: string; headers: Headers }[] = [];
  const sockets = new Set<ServerWebSocket<Headers>>();
  let begun = 0;
  let isAway = false;
  const server = Bun.serve<Headers>({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      begun += 1;
      server.upgrade(request, { data: request.headers });
    },
    websocket: {
      open(socket) {
        if (isAway) socket.close();
        else sockets.add(socket);
      },
      message: (socket, message) => void asked.push({ message: String(message), headers: socket.data }),
      close: (socket) => void sockets.delete(socket),
    },
  });
  const hangUp = () => {
    for (const socket of sockets) socket.close();
  };
  return {
    ...{ url: `ws://127.0.0.1:${server.port}`, asked, begun: () => begun, open: () => sockets.size, hangUp },
    say(message) {
      for (const socket of sockets) socket.send(message);
    },
    hangUpAtOnce() {
      isAway = true;
      hangUp();
    },
    stop: () => server.stop(true),
  };
}
