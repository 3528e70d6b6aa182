/**
 * The hosts that an operator lists, so that their webhooks may go to a loopback or private address
 * (local development).
 */
import { isIP } from 'node:net';
import { canonicalHost } from './webhook-target.ts';

export interface AllowedHosts {
  includes(target: { host: string; port: number }): boolean;
}

/**
 * @param entries host names or IP literals, each with an optional `:port` (`[::1]:8080`). Throws on
 * an entry that is neither.
 */
export function allowedHosts(entries: readonly string[]): AllowedHosts {
  const allowed = new Set(entries.map(canonicalEntry));
  return { includes: ({ host, port }) => allowed.has(host) || allowed.has(`${host} ${port}`) };
}

function canonicalEntry(entry: string): string {
  const bareV6 = isIP(entry) === 6;
  const [, name = '', port] = bareV6 ? [entry, `[${entry}]`] : (/^(.*?)(?::(\d{1,5}))?$/.exec(entry) ?? []);
  const plain = /^(\[[0-9a-fA-F:.]+\]|[^\s/\\?#@:[\]]+)$/.test(name);
  if (!plain || !URL.canParse(`http://${name}/`) || Number(port ?? 1) > 65_535) {
    throw new Error(`not a host name, an address or either with a port: ${JSON.stringify(entry)}`);
  }
  const host = canonicalHost(new URL(`http://${name}/`).hostname);
  return port === undefined ? host : `${host} ${Number(port)}`;
}
