/** A loopback TCP relay that a test can break in the ways networks break. */
import { connect, createServer, type Socket } from 'node:net';

/**
 * `silent` keeps connections and moves nothing; `truncating` cuts each answer in half and ends;
 * `refusing` ends new connections at once.
 */
export type RelayMode = 'passing' | 'silent' | 'truncating' | 'refusing';

export interface TcpRelay {
  readonly port: number;
  mode: RelayMode;
  /** Resets every connection that is open now. */
  cut(): void;
  close(): void;
}

export async function openTcpRelay(target: { host: string; port: number }): Promise<TcpRelay> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    client.on('error', () => undefined);
    if (relay.mode === 'refusing') return void client.end();
    const upstream = connect(target.port, target.host);
    const end = (): void => {
      for (const socket of [client, upstream]) {
        open.delete(socket);
        socket.destroy();
      }
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (bytes) => void (relay.mode !== 'silent' && upstream.write(bytes)));
    upstream.on('data', (bytes) => {
      if (relay.mode === 'silent') return;
      if (relay.mode === 'passing') return void client.write(bytes);
      client.write(bytes.subarray(0, bytes.length >> 1), end);
    });
  });
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await listening;
  const address = server.address();
  const relay: TcpRelay = {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    mode: 'passing',
    cut() {
      for (const socket of open) socket.destroy();
    },
    close() {
      relay.cut();
      server.close();
    },
  };
  return relay;
}
