/** The environment half of the configuration. An empty variable counts as absent; a fault leaves a stand-in value behind. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Config, ConfigFault, LogLevel, Role } from '../config.ts';

type EnvironmentConfig = Omit<
  Config,
  'chains' | 'assets' | 'ownAssets' | 'rates' | 'commissionPercent' | 'payouts' | 'risk' | 'checkout'
> & {
  readonly configFile: string | null;
};

const ROLES = ['api', 'worker', 'all'] as const satisfies readonly Role[];
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const satisfies readonly LogLevel[];
const CHAIN_ADAPTERS = ['real', 'fake'] as const;

export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  faults: ConfigFault[],
): EnvironmentConfig {
  /** The variable parsed, `fallback` when absent; `parse` answers null for a value that will not do. */
  function setting<T>(name: string, fallback: T, parse: (text: string) => T | null, expected: string): T {
    const text = env[name]?.trim() ?? '';
    if (text === '') return fallback;
    const value = parse(text);
    if (value !== null) return value;
    faults.push({ path: name, message: `must be ${expected}` });
    return fallback;
  }
  const isSet = (name: string): boolean => (env[name] ?? '').trim() !== '';
  const oneOf = <T extends string>(name: string, fallback: T, choices: readonly T[]): T =>
    setting(
      name,
      fallback,
      (text) => choices.find((choice) => choice === text) ?? null,
      `one of ${choices.join(', ')}`,
    );

  const port = setting('PORT', 3000, integerUpTo(65_535), 'a port: 0 to 65535');
  const baseUrl = setting(
    'BASE_URL',
    `http://localhost:${port}`,
    siteUrl,
    'an http(s) URL without query or fragment',
  );
  const databaseUrl = setting(
    'DATABASE_URL',
    null,
    postgresUrl,
    'a URL of the form postgres://user:password@host:5432/database',
  );
  const masterKey = setting('MASTER_KEY', null, masterKeyHex, '32 bytes, as 64 hex digits or base64');
  if (isSet('DATABASE_URL') && !isSet('MASTER_KEY')) {
    const message = 'is needed with DATABASE_URL: 32 random bytes, as 64 hex digits or base64';
    faults.push({ path: 'MASTER_KEY', message });
  }
  return {
    host: setting('HOST', null, address, 'an IP address of this machine, such as 127.0.0.1 or ::1'),
    port,
    baseUrl,
    checkoutUrl: setting('CHECKOUT_URL', baseUrl, siteUrl, 'an http(s) URL without query or fragment'),
    databaseUrl,
    dataDir: setting('DATA_DIR', './data', (text) => text, 'a folder'),
    masterKey,
    role: oneOf('ROLE', 'all', ROLES),
    rateLimitPerMinute: setting(
      'RATE_LIMIT_PER_MINUTE',
      600,
      integerUpTo(1_000_000),
      'a whole number of requests, 0 to 1000000 (0 = off)',
    ),
    logLevel: oneOf('LOG_LEVEL', 'info', LOG_LEVELS),
    webhook: {
      allowedHosts: setting(
        'WEBHOOK_ALLOWED_HOSTS',
        [],
        listOf(allowedHost),
        'host names or addresses, each with an optional :port, separated by commas',
      ),
      localAddress: setting('WEBHOOK_LOCAL_ADDRESS', null, address, 'an IP address of this machine'),
      proxy: setting('WEBHOOK_PROXY', null, proxyUrl, 'of the form http://user:password@host:port'),
      headerPrefixes: setting(
        'WEBHOOK_HEADER_PREFIXES',
        [],
        headerPrefixes,
        `up to ${HEADER_PREFIXES_MAX} different beginnings of header names, X-Shop for example, separated by commas`,
      ),
    },
    trustedProxies: setting(
      'TRUSTED_PROXIES',
      [],
      listOf(addressOrRange),
      'IP addresses or CIDR ranges separated by commas',
    ),
    fakeChains: oneOf('CHAINS', 'real', CHAIN_ADAPTERS) === 'fake',
    signer: {
      socket: setting('SIGNER_SOCKET', null, socketPath, 'a file whose name has at most 100 bytes'),
      policyFile: setting('SIGNER_POLICY', null, (text) => text, 'a file'),
      databaseUrl: setting(
        'DATABASE_URL_SIGNER',
        null,
        postgresUrl,
        'a URL of the form postgres://user:password@host:5432/database',
      ),
    },
    configFile: setting('CONFIG_FILE', null, (text) => text, 'a file'),
  };
}

/** Of headers that webhooks have already: our own, those of Standard Webhooks, and those of a format (docs/decisions.md). */
const TAKEN_PREFIXES: ReadonlySet<string> = new Set(['x-service', 'webhook', 'x-coinpayments']);
const HEADER_PREFIXES_MAX = 5;

function headerPrefixes(text: string): readonly string[] | null {
  const prefixes = text.split(',').map((part) => part.trim());
  const names = new Set(prefixes.map((prefix) => prefix.toLowerCase()));
  const isGood =
    names.size === prefixes.length &&
    prefixes.length <= HEADER_PREFIXES_MAX &&
    prefixes.every((prefix) => /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/i.test(prefix) && prefix.length <= 40) &&
    [...names].every((name) => !TAKEN_PREFIXES.has(name));
  return isGood ? prefixes : null;
}

function integerUpTo(max: number): (text: string) => number | null {
  return (text) => (/^\d{1,9}$/.test(text) && Number(text) <= max ? Number(text) : null);
}

function listOf(parse: (text: string) => string | null): (text: string) => readonly string[] | null {
  return (text) => {
    const parsed = text.split(',').map((part) => parse(part.trim()));
    return parsed.every((part) => part !== null) ? parsed : null;
  };
}

/** Only the form: the host may be missing where the query names a socket, which URL.parse does not accept. */
function postgresUrl(text: string): string | null {
  return /^postgres(?:ql)?:\/\/[^\s/?#]+(?:[/?]\S*)?$/.test(text) ? text : null;
}

/** The kernel takes 107 bytes for the name of a socket. */
function socketPath(text: string): string | null {
  return Buffer.byteLength(text) <= 100 ? text : null;
}

function proxyUrl(text: string): string | null {
  const url = URL.parse(text);
  return url?.protocol === 'http:' && url.hostname !== '' && url.pathname + url.search + url.hash === '/'
    ? text
    : null;
}

/** A URL that paths are appended to: no query, fragment or credentials, and the trailing slash removed. */
function siteUrl(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || /[?#]/.test(text) || url.username || url.password)
    return null;
  return url.href.replace(/\/+$/, '');
}

function masterKeyHex(text: string): string | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  // 32 bytes are 43 characters and one padding; the last character carries 4 bits, so its other two must be zero
  if (!/^[A-Za-z0-9+/_-]{42}[AEIMQUYcgkosw048]=?$/.test(text)) return null;
  return Buffer.from(text, 'base64').toString('hex');
}

function address(text: string): string | null {
  return isIP(text) === 0 ? null : text; // ipaddr.js alone would take 0x7f.1
}

function addressOrRange(text: string): string | null {
  const [host = '', ...range] = text.split('/');
  if (address(host) === null || range.length > 1) return null;
  return range.length === 0 || (/^\d{1,3}$/.test(range[0] ?? '') && ipaddr.isValidCIDR(text)) ? text : null;
}

/** `name`, `name:port`, an address, or `[v6 address]:port`. */
function allowedHost(text: string): string | null {
  if (address(text) !== null) return text;
  const [, host = '', port] = /^(.*?)(?::(\d{1,5}))?$/.exec(text.toLowerCase()) ?? [];
  const bracketed = /^\[(.*)\]$/.exec(host)?.[1];
  const isHost = bracketed === undefined ? isHostName(host) : isIP(bracketed) === 6;
  return isHost && Number(port ?? 1) <= 65_535 ? text.toLowerCase() : null;
}

function isHostName(text: string): boolean {
  return /^(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(text) && text.length <= 253;
}
