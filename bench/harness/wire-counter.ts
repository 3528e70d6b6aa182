/**
 * Counts what clients ask of a PostgreSQL server: a proxy on loopback that reads their messages
 * (PostgreSQL's documentation, "Message Formats"). It costs time, so nothing is timed through it.
 */
import { connect, createServer, type Socket } from 'node:net';
import { parseDatabaseUrl } from '../../src/adapters/postgres/client/database-url.ts';

export interface WireCounter {
  /** The same database, through the proxy. */
  readonly url: string;
  /** Statements since the last call, `begin` and `commit` among them. */
  taken(): number;
  stop(): Promise<void>;
}

/** A statement is bound (extended protocol), or sent as text. */
const STATEMENT = new Set(['B', 'Q']);

export async function startWireCounter(databaseUrl: string): Promise<WireCounter> {
  const { hostname, port, socketFolder } = parseDatabaseUrl(databaseUrl);
  const sockets = new Set<Socket>();
  let statements = 0;
  const server = createServer((client) => {
    const upstream =
      socketFolder === null ? connect(port, hostname) : connect(`${socketFolder}/.s.PGSQL.${port}`);
    const read = messageReader((type) => {
      if (STATEMENT.has(type)) statements += 1;
    });
    client.on('data', read);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String(address.port);
  return {
    url: url.href,
    taken() {
      const taken = statements;
      statements = 0;
      return taken;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Calls `seen` with the type of each message of a client, however its bytes are cut. */
function messageReader(seen: (type: string) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  // The first message has no type.
  let typed = 0;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= typed + 4) {
      const end = typed + rest.readUInt32BE(typed);
      if (rest.length < end) return;
      if (typed === 1) seen(String.fromCharCode(rest[0] ?? 0));
      typed = 1;
      rest = rest.subarray(end);
    }
  };
}
