/**
 * A relay before PostgreSQL that counts the statements which clients send through it. `begin` and
 * `commit` count, too.
 */
import { connect, createServer, type Socket } from 'node:net';
import { parseDatabaseUrl } from '../../../src/adapters/postgres/client/database-url.ts';

export interface CountingRelay {
  /** The database, through the relay. */
  readonly url: string;
  readonly statements: number;
  /** Transactions of more than one statement that were committed. */
  readonly commits: number;
  /** Each text with how often it was sent, the most frequent first; for people. */
  texts(): readonly (readonly [text: string, times: number])[];
  close(): void;
}

/** Of the messages of a client: their lengths exclude the byte of the type. */
const HEADER = 5;
const EXECUTE = 'E'.charCodeAt(0);
const PARSE = 'P'.charCodeAt(0);
const BIND = 'B'.charCodeAt(0);
const QUERY = 'Q'.charCodeAt(0);

export async function openCountingRelay(databaseUrl: string): Promise<CountingRelay> {
  const { username, password, database, places } = parseDatabaseUrl(databaseUrl);
  const [place] = places;
  if (place === undefined) throw new Error('the URL names no server');
  const { hostname, port, socketFolder } = place;
  const times = new Map<string, number>();
  let statements = 0;
  let commits = 0;
  const open = new Set<Socket>();

  function note(text: string): void {
    statements += 1;
    if (text === 'commit') commits += 1;
    times.set(text, (times.get(text) ?? 0) + 1);
  }

  const server = createServer((client) => {
    const upstream =
      socketFolder === null ? connect(port, hostname) : connect(`${socketFolder}/.s.PGSQL.${port}`);
    const count = messageCounter(note);
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
    client.on('data', (bytes) => {
      count(bytes);
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => void client.write(bytes));
  });
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await listening;
  const address = server.address();
  const relayPort = address !== null && typeof address === 'object' ? address.port : 0;
  const user = [username, password].filter((part) => part !== '').map(encodeURIComponent);
  return {
    url: `postgres://${user.join(':')}@127.0.0.1:${relayPort}/${database}`,
    get statements() {
      return statements;
    },
    get commits() {
      return commits;
    },
    texts: () => [...times].sort(([, a], [, b]) => b - a),
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

/** Reads what one client sends, and notes the text of each statement that it executes. */
function messageCounter(note: (text: string) => void): (bytes: Buffer) => void {
  const prepared = new Map<string, string>();
  let bound = '';
  let begun = false;
  let left: Buffer = Buffer.alloc(0);

  function message(type: number, body: Buffer): void {
    const [first = '', second = ''] = body.toString('utf8').split('\0', 2);
    if (type === PARSE) prepared.set(first, second);
    else if (type === BIND) bound = prepared.get(second) ?? '';
    else if (type === EXECUTE) note(bound);
    else if (type === QUERY) note(first);
  }

  return (bytes) => {
    left = Buffer.concat([left, bytes]);
    // The first message has no type.
    if (!begun) {
      if (left.length < 4 || left.length < left.readInt32BE(0)) return;
      left = left.subarray(left.readInt32BE(0));
      begun = true;
    }
    while (left.length >= HEADER && left.length > left.readInt32BE(1)) {
      const end = 1 + left.readInt32BE(1);
      message(left[0] ?? 0, left.subarray(HEADER, end));
      left = left.subarray(end);
    }
  };
}
