/**
 * Parses the URL of a PostgreSQL database, by TCP or by Unix socket, into the parts that the driver
 * takes.
 */

export interface DatabaseAddress {
  readonly username: string;
  readonly password: string;
  readonly database: string;
  /** At least one; of several, the first that fits `target`. */
  readonly places: readonly DatabasePlace[];
  /** Which server a session may be on. Null: the URL does not say. */
  readonly target: Target | null;
  /** The required level of TLS, by libpq's names. */
  readonly sslMode: SslMode;
  /**
   * A connection pooler is in between (`pgbouncer=true`): sessions are shared, and nothing is kept
   * in one.
   */
  readonly isPooled: boolean;
}

export interface DatabasePlace {
  /** Host name or address; `localhost` for a socket. */
  readonly hostname: string;
  readonly port: number;
  /** Folder of the Unix socket, or null for TCP. */
  readonly socketFolder: string | null;
}

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];
const TARGETS = ['any', 'read-write', 'standby'] as const;
export type Target = (typeof TARGETS)[number];
const FLAGS = ['false', 'true'] as const;

const DEFAULT_PORT = '5432';
// Patterns, because URL parsers refuse credentials without a host, as in
// `postgres://user@/db?host=/run`, and several hosts.
const PATTERN =
  /^postgres(?:ql)?:\/\/(?:(?<username>[^:@/?]*)(?::(?<password>[^@/?]*))?@)?(?<hosts>[^/?]*)(?:\/(?<database>[^?]*))?(?:\?(?<query>.*))?$/;
const HOST = /^(?<hostname>\[[^\]]+\]|[^:]*)(?::(?<port>\d+))?$/;

/**
 * Accepts `postgres://user:password@host:5432/database`, several hosts as `host1:5432,host2:5432`,
 * or `postgres://user@/database?host=/folder/of/the/socket`. The query may also contain `port`,
 * `sslmode`, `pgbouncer` and `target_session_attrs` (`any`, `read-write` or `standby`). Special
 * characters are escaped with %xx. Throws on anything else, without repeating the URL, because it
 * contains the password.
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const parts = PATTERN.exec(url)?.groups;
  const hosts = parts?.hosts?.split(',').map((host) => HOST.exec(host)?.groups);
  if (parts === undefined || hosts === undefined || hosts.includes(undefined))
    throw new Error('not a PostgreSQL URL of the form postgres://user:password@host:port/database');
  const query = new URLSearchParams(parts.query);
  if (hosts.length > 1 && hosts.some((host) => host?.hostname === ''))
    throw new Error('the PostgreSQL URL has an empty place in its list of hosts');
  refuseOtherSpellings('pgbouncer', query);
  const username = decode(parts.username);
  if (username === '') throw new Error('the PostgreSQL URL names no user');
  return {
    username,
    password: decode(parts.password),
    database: decode(parts.database) || username,
    places: hosts.map((host) => ({
      ...placeOf(query.get('host') ?? decode(host?.hostname)),
      port: portOf(query.get('port') ?? host?.port ?? DEFAULT_PORT),
    })),
    target: oneOf(TARGETS, 'target_session_attrs', query),
    sslMode: oneOf(SSL_MODES, 'sslmode', query) ?? 'disable',
    isPooled: oneOf(FLAGS, 'pgbouncer', query) === 'true',
  };
}

function placeOf(host: string): Omit<DatabasePlace, 'port'> {
  if (host.startsWith('/')) return { hostname: 'localhost', socketFolder: host };
  return { hostname: host === '' ? 'localhost' : host.replace(/^\[(.*)\]$/, '$1'), socketFolder: null };
}

function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error('the PostgreSQL URL has no valid port');
  return port;
}

/** Ignored as unknown, or overruled by another one, it would lead into a pooler unnamed. */
function refuseOtherSpellings(name: string, query: URLSearchParams): void {
  const spelled = [...query.keys()].filter((key) => key.trim().toLowerCase() === name);
  if (spelled.length > 1 || spelled.some((key) => key !== name))
    throw new Error(`${name} of the PostgreSQL URL is written once, and in small letters`);
}

/** Null where the query does not have it. */
function oneOf<Choice extends string>(
  choices: readonly Choice[],
  name: string,
  query: URLSearchParams,
): Choice | null {
  const text = query.get(name);
  const choice = choices.find((each) => each === text);
  if (text !== null && choice === undefined)
    throw new Error(`${name} of the PostgreSQL URL is none of ${choices.join(', ')}`);
  return choice ?? null;
}

/** The empty text for a part that the URL does not have. */
function decode(part = ''): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error('the PostgreSQL URL has a malformed %xx escape');
  }
}
