/**
 * A TCP or TLS connection to an Electrum server, on which lines of text go both ways. A server is
 * known by a certificate that an authority issued for its name, or by the fingerprint of the one
 * that the operator named: public servers sign their own. Nothing is sent before.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, rootCertificates, type TLSSocket } from 'node:tls';

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /**
   * SHA-256 of the certificate, 64 lower-case hex digits; null: an authority has to vouch for it.
   */
  readonly certificateSha256: string | null;
  /** Besides those of the system (PEM). */
  readonly authorities?: readonly string[];
}

export interface Lines {
  /** Sends text that ends with a line feed. */
  send(text: string): void;
  close(): void;
}

/** A history of 10,000 transactions, or a block's worth of headers, is about a megabyte. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;
const KEEP_ALIVE_MS = 30_000;
const LINE_FEED = 10;

/**
 * Resolves when lines may be sent. Rejects with an Error that says in few words why there is no
 * connection. `ended` is called once when an open connection is over, whoever ended it; no line is
 * heard after that.
 */
export function openLines(
  address: ServerAddress,
  { timeoutMs, heard, ended }: { timeoutMs: number; heard(line: string): void; ended(why: string): void },
): Promise<Lines> {
  return new Promise((resolve, reject) => {
    const socket = connected(address);
    let isOpen = false;
    let isOver = false;
    const over = (why: string): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      socket.destroy();
      if (isOpen) ended(why);
      else reject(new Error(why));
    };
    const timer = setTimeout(() => over('timed out'), timeoutMs);
    const parts = linesOf((line) => isOver || heard(line));
    socket.on('error', (error) => over(`connection failed (${codeOf(error)})`));
    socket.on('close', () => over('the connection was closed'));
    socket.on(address.tls ? 'secureConnect' : 'connect', () => {
      if (isOver) return;
      if (!isTrusted(socket, address)) return over('its certificate is another one than configured');
      clearTimeout(timer);
      socket.setKeepAlive(true, KEEP_ALIVE_MS);
      isOpen = true;
      resolve({ send: (text) => void socket.write(text), close: () => over('this client closed it') });
    });
    socket.on('data', (chunk: Buffer) => {
      if (!parts(chunk)) over('the answer is too big');
    });
  });
}

function connected({ host, port, tls, certificateSha256, authorities }: ServerAddress): Socket {
  if (!tls) return connectTcp({ host, port });
  return connectTls({
    ...{ host, port, rejectUnauthorized: certificateSha256 === null },
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(authorities === undefined ? {} : { ca: [...rootCertificates, ...authorities] }),
  });
}

function isTrusted(socket: Socket, { tls, certificateSha256 }: ServerAddress): boolean {
  if (!tls) return true;
  const secure = socket as TLSSocket;
  if (certificateSha256 === null) return secure.authorized;
  const { fingerprint256 } = secure.getPeerCertificate();
  return fingerprint256?.replaceAll(':', '').toLowerCase() === certificateSha256;
}

/** Cuts what comes into lines; false when one grows too long. */
function linesOf(heard: (line: string) => void): (chunk: Buffer) => boolean {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      heard(Buffer.concat([...begun, chunk.subarray(from, end)]).toString('utf8'));
      begun = [];
      begunBytes = 0;
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    begunBytes += rest.length;
    if (rest.length > 0) begun.push(rest);
    return begunBytes <= LINE_BYTES_MAX;
  };
}

function codeOf(error: Error): string {
  const code: unknown = 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : error.name;
}
