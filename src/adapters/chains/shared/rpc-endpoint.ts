/** What of a node's URL may be used and shown: credentials go into a header, and no message ever carries them. */

export interface RpcEndpoint {
  /** `node 2 (eth.example.com)`: for logs and error messages. */
  readonly label: string;
  /** The URL without user and password. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `text` without anything secret of the URL, at most 200 characters. */
  redact(text: string): string;
}

/** Shorter parts of a path (`v3`, `rpc`) are no keys; hiding them would only garble messages. */
const SECRET_LENGTH_MIN = 8;

/** Throws, without repeating it, when `text` is not an http(s) URL. `position` counts from 0. */
export function rpcEndpoint(text: string, position: number): RpcEndpoint {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new Error(`rpc URL ${position + 1} is not an http(s) URL`);
  const user = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  const secrets = [text, user, password, ...url.pathname.split('/'), ...url.searchParams.values()]
    .filter((part) => part.length >= SECRET_LENGTH_MIN || (part !== '' && part === password))
    .toSorted((a, b) => b.length - a.length);
  url.username = '';
  url.password = '';
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  return {
    label: `node ${position + 1} (${url.host})`,
    url: url.href,
    headers: {
      'content-type': 'application/json',
      ...(user === '' && password === '' ? {} : { authorization: `Basic ${credentials}` }),
    },
    redact: (message) =>
      secrets.reduce((kept, secret) => kept.replaceAll(secret, '***'), message).slice(0, 200),
  };
}
