/**
 * An HTTP proxy for webhooks, so that they come from one known subnet. It gets an address, never a
 * name.
 */
import { isIP, type Socket } from 'node:net';
import { AttemptFailure } from './failure.ts';

export interface EgressProxy {
  readonly host: string;
  readonly port: number;
  /** Value of Proxy-Authorization, or null. */
  readonly authorization: string | null;
}

const ANSWER_BYTES_MAX = 16 * 1024;

/**
 * @param url `http://[user:password@]host:port`. Throws on anything else, without repeating the
 * password.
 */
export function readProxy(url: string): EgressProxy {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed?.protocol !== 'http:' || parsed.hostname === '' || parsed.pathname + parsed.search !== '/') {
    throw new Error('the webhook proxy must look like http://user:password@host:port');
  }
  const credentials = `${percentDecoded(parsed.username)}:${percentDecoded(parsed.password)}`;
  return {
    host: parsed.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: parsed.port === '' ? 80 : Number(parsed.port),
    authorization:
      credentials === ':' ? null : `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`,
  };
}

/** A stray `%` in a password stays as it is. */
function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

/**
 * Turns a connection to the proxy into a tunnel to `address`:`port` (RFC 9110, CONNECT), for http
 * and https. Rejects with AttemptFailure if the proxy refuses, does not speak HTTP, or sends more
 * than its response.
 */
export function openTunnel(
  socket: Socket,
  proxy: EgressProxy,
  destination: { address: string; port: number },
): Promise<void> {
  const host = isIP(destination.address) === 6 ? `[${destination.address}]` : destination.address;
  const authority = `${host}:${destination.port}`;
  const authorization = proxy.authorization === null ? '' : `Proxy-Authorization: ${proxy.authorization}\r\n`;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let answer = Buffer.alloc(0);

  const onData = (chunk: Buffer) => {
    answer = Buffer.concat([answer, chunk]);
    const end = answer.indexOf('\r\n\r\n');
    if (end === -1 && answer.length <= ANSWER_BYTES_MAX) return;
    socket.pause();
    const status = /^HTTP\/1\.[01] (\d{3})(?= |\r)/.exec(answer.toString('latin1'))?.[1];
    if (end === -1 || status === undefined)
      reject(new AttemptFailure('the egress proxy did not answer in HTTP'));
    else if (!status.startsWith('2'))
      reject(new AttemptFailure(`the egress proxy refused (status ${status})`));
    else if (answer.length > end + 4) reject(new AttemptFailure('the egress proxy sent data of its own'));
    else resolve();
  };
  const onEnd = () => reject(new AttemptFailure('the egress proxy closed the connection'));

  socket.on('data', onData);
  socket.once('close', onEnd);
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`);
  return promise.finally(() => {
    socket.off('data', onData);
    socket.off('close', onEnd);
  });
}
