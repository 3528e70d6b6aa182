/**
 * A relay before PostgreSQL that freezes: it takes connections and logins, and lets nothing through
 * that comes after the login. So is a machine whose disk hangs.
 */
import { connect, createServer, type Socket } from 'node:net';

export interface FreezingRelay {
  readonly port: number;
  /** Whether connections that begin now freeze; one that has frozen stays so. */
  freezes: boolean;
  close(): void;
}

/** ReadyForQuery, which ends the login. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);

export async function openFreezingRelay(server: number): Promise<FreezingRelay> {
  const open = new Set<Socket>();
  const listener = createServer((client) => {
    const upstream = connect(server, '127.0.0.1');
    const isToFreeze = relay.freezes;
    let isFrozen = false;
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
    client.on('data', (bytes) => void (isFrozen || upstream.write(bytes)));
    upstream.on('data', (bytes) => {
      if (isFrozen) return;
      client.write(bytes);
      isFrozen = isToFreeze && bytes.includes(READY);
    });
  });
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  listener.listen(0, '127.0.0.1', resolve);
  await listening;
  const address = listener.address();
  const relay: FreezingRelay = {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    freezes: false,
    close() {
      for (const socket of open) socket.destroy();
      listener.close();
    },
  };
  return relay;
}
