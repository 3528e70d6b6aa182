/** Loopback servers that speak byte by byte, for answers that no ordinary HTTP server gives. */
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

export interface TcpServer {
  readonly port: number;
  /** Connections accepted so far; for TLS those whose handshake succeeded. */
  connections(): number;
  readonly stop: () => Promise<void>;
}

/**
 * @param onConnection called for every accepted connection
 * @param at where to listen; default a free port of 127.0.0.1
 */
export function startTcpServer(
  onConnection: (socket: Socket) => void,
  at?: { host: string; port: number },
): Promise<TcpServer> {
  return listening(createServer(), 'connection', onConnection, at);
}

/** The same behind TLS; the certificate is one of tests/support/webhooks/certificates. */
export async function startTlsServer(
  certificate: 'merchant' | 'expired' | 'self-signed',
  onConnection: (socket: Socket) => void,
): Promise<TcpServer> {
  const [cert, key] = [await pem(certificate), await pem(`${certificate}.key`)];
  return listening(createTlsServer({ cert, key }), 'secureConnection', onConnection);
}

/** The authority that issued the certificates `merchant` and `expired`. */
export const testAuthority = (): Promise<string> => pem('authority');

/** Calls `answer` with the request's text once head and body (by Content-Length) are complete. */
export function onRequest(socket: Socket, answer: (request: string) => void): void {
  let text = '';
  const look = (chunk: Buffer) => {
    text += chunk.toString('latin1');
    const head = text.indexOf('\r\n\r\n');
    if (head === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (text.length < head + 4 + length) return;
    socket.off('data', look);
    answer(text);
  };
  socket.on('data', look);
}

const pem = (name: string) => Bun.file(new URL(`./certificates/${name}.pem`, import.meta.url)).text();

async function listening(
  server: Server,
  event: 'connection' | 'secureConnection',
  onConnection: (socket: Socket) => void,
  { host, port }: { host: string; port: number } = { host: '127.0.0.1', port: 0 },
): Promise<TcpServer> {
  const open = new Set<Socket>();
  let accepted = 0;
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  });
  server.on('tlsClientError', () => {});
  server.on(event, (socket: Socket) => {
    accepted += 1;
    socket.on('error', () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    connections: () => accepted,
    stop: () => {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
