/**
 * Nodes as configured: the parts of a URL that may be used and shown, a provider's key, and the
 * budget of its plan.
 */
import type { BudgetTime } from './call-log.ts';
import { type NodeBudget, nodeBudget } from './node-budget.ts';

/** A URL, or a node with what its provider requires and allows. */
export type NodeAddress = string | NodeSettings;

export interface NodeSettings {
  /** http(s), or the scheme of the node's protocol. No message shows credentials in it. */
  readonly url: string;
  /** Sent with every request. Secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent in the header that providers of this family require. Secret. */
  readonly apiKey?: string | null;
  /** Where the node streams new heads, ws(s). Secret. */
  readonly stream?: string | null;
  /** Calls that the plan allows, per second and per day; null: unknown. */
  readonly maxRps?: number | null;
  readonly maxPerDay?: number | null;
  /** In USD; null: free, or unknown. */
  readonly pricePerMillionCalls?: string | null;
  /** The lowest is asked first, equal ones in their order. Default 1. */
  readonly priority?: number;
  /**
   * Electrum servers: SHA-256 of the only accepted certificate, in hex; null: a certificate
   * authority decides.
   */
  readonly certificateSha256?: string | null;
}

export interface NodeEndpoint {
  /** `node 2 (eth.example.com)`: for logs and error messages. */
  readonly label: string;
  /** The URL without user and password, and without a slash at its end. */
  readonly url: string;
  readonly certificateSha256: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** `text` without secrets of the node, at most 200 characters. */
  redact(text: string): string;
  readonly budget: NodeBudget;
}

/** Shorter parts of a path (`v3`, `rpc`) are no keys. Hiding them would only garble messages. */
const SECRET_LENGTH_MIN = 8;
const PRIORITY = 1;

interface EndpointOptions {
  readonly keyHeader?: string;
  /** What URLs may begin with. Default http and https. */
  readonly schemes?: readonly string[];
  readonly time?: BudgetTime | undefined;
}

/**
 * The nodes of one chain, in the order in which they are asked. Throws for a text that is no URL of
 * these schemes, without repeating it.
 */
export function nodeEndpoints(
  addresses: readonly NodeAddress[],
  options: EndpointOptions = {},
): readonly NodeEndpoint[] {
  return addresses
    .map((address, position) => {
      const settings = typeof address === 'string' ? { url: address } : address;
      return { priority: settings.priority ?? PRIORITY, endpoint: nodeEndpoint(settings, position, options) };
    })
    .toSorted((a, b) => a.priority - b.priority)
    .map(({ endpoint }) => endpoint);
}

/**
 * Whether a provider counts its calls, as far as the configuration shows: by a limit, a price or a
 * key.
 */
export function hasPlan({
  maxRps,
  maxPerDay,
  pricePerMillionCalls,
  apiKey,
}: Omit<NodeSettings, 'url'>): boolean {
  return [maxRps, maxPerDay, pricePerMillionCalls, apiKey].some((told) => told != null);
}

/** `node 2 (eth.example.com)`; `position` counts from 0. */
export function nodeLabel(position: number, { host }: Pick<URL, 'host'>): string {
  return `node ${position + 1} (${host})`;
}

/** `position` counts from 0. Throws like `nodeEndpoints`. */
export function nodeEndpoint(
  settings: NodeSettings,
  position: number,
  { keyHeader = 'x-api-key', schemes = ['http', 'https'], time }: EndpointOptions = {},
): NodeEndpoint {
  const url = URL.canParse(settings.url) ? new URL(settings.url) : null;
  if (url === null || !schemes.includes(url.protocol.slice(0, -1)))
    throw new Error(`URL ${position + 1} of the nodes does not begin with ${schemes.join(':// or ')}://`);
  const label = nodeLabel(position, url);
  const secrets = secretsOf(settings, url);
  return {
    label,
    url: withoutUser(url),
    certificateSha256: settings.certificateSha256 ?? null,
    headers: headersOf(settings, url, keyHeader),
    redact: (message) =>
      secrets.reduce((kept, secret) => kept.replaceAll(secret, '***'), message).slice(0, 200),
    budget: nodeBudget({
      label,
      perSecond: settings.maxRps ?? null,
      perDay: settings.maxPerDay ?? null,
      hasPlan: hasPlan(settings),
      time,
    }),
  };
}

function userOf({ username, password }: URL): { readonly user: string; readonly password: string } {
  return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/** Without a slash at its end. */
function withoutUser({ href }: URL): string {
  const url = new URL(href);
  url.username = '';
  url.password = '';
  return url.href.replace(/\/+$/, '');
}

/** The texts that no message may show, the longest first: one may contain another. */
function secretsOf({ url: text, headers = {}, apiKey = null }: NodeSettings, url: URL): readonly string[] {
  const { user, password } = userOf(url);
  const ofUrl = [text, user, password, ...url.pathname.split('/'), ...url.searchParams.values()];
  return [...ofUrl, ...Object.values(headers), apiKey ?? '']
    .filter((part) => part.length >= SECRET_LENGTH_MIN || (part !== '' && [password, apiKey].includes(part)))
    .toSorted((a, b) => b.length - a.length);
}

function headersOf(
  { headers = {}, apiKey = null }: NodeSettings,
  url: URL,
  keyHeader: string,
): Readonly<Record<string, string>> {
  const { user, password } = userOf(url);
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  return {
    'content-type': 'application/json',
    ...(user === '' && password === '' ? {} : { authorization: `Basic ${credentials}` }),
    ...(apiKey === null ? {} : { [keyHeader]: apiKey }),
    ...headers,
  };
}
