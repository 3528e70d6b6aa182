/**
 * Parses the URL of a PostgreSQL database, by TCP or by Unix socket, into the parts that the driver
 * takes.
 */

export interface DatabaseAddress {
  readonly username: string;
  readonly password: string;
  readonly database: string;
  /** Host name or address; `localhost` for a socket. */
  readonly hostname: string;
  readonly port: number;
  /** Folder of the Unix socket, or null for TCP. */
  readonly socketFolder: string | null;
  /** The required level of TLS, by libpq's names. */
  readonly sslMode: SslMode;
}

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

const DEFAULT_PORT = 5432;
// A pattern, because URL parsers refuse credentials without a host, as in
// `postgres://user@/db?host=/run`.
const PATTERN =
  /^postgres(?:ql)?:\/\/(?:(?<username>[^:@/?]*)(?::(?<password>[^@/?]*))?@)?(?<hostname>\[[^\]]+\]|[^:/?]*)(?::(?<port>\d+))?(?:\/(?<database>[^?]*))?(?:\?(?<query>.*))?$/;

/**
 * Accepts `postgres://user:password@host:5432/database`, or
 * `postgres://user@/database?host=/folder/of/the/socket`. The query may also contain `port` and
 * `sslmode`. Special characters are escaped with %xx. Throws on anything else, without repeating
 * the URL, because it contains the password.
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const parts = PATTERN.exec(url)?.groups;
  if (parts === undefined)
    throw new Error('not a PostgreSQL URL of the form postgres://user:password@host:port/database');
  const query = new URLSearchParams(parts.query);
  const place = placeOf(query.get('host') ?? decode(parts.hostname));
  const username = decode(parts.username);
  const database = decode(parts.database) || username;
  if (username === '') throw new Error('the PostgreSQL URL names no user');
  const port = portOf(query.get('port') ?? parts.port ?? DEFAULT_PORT);
  const sslMode = sslModeOf(query.get('sslmode') ?? 'disable');
  return { username, password: decode(parts.password), database, ...place, port, sslMode };
}

function placeOf(host: string): Pick<DatabaseAddress, 'hostname' | 'socketFolder'> {
  if (host.startsWith('/')) return { hostname: 'localhost', socketFolder: host };
  return { hostname: host === '' ? 'localhost' : host.replace(/^\[(.*)\]$/, '$1'), socketFolder: null };
}

function portOf(text: string | number): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error('the PostgreSQL URL has no valid port');
  return port;
}

function sslModeOf(text: string): SslMode {
  const mode = SSL_MODES.find((each) => each === text);
  if (mode === undefined) throw new Error(`sslmode of the PostgreSQL URL is none of ${SSL_MODES.join(', ')}`);
  return mode;
}

/** The empty text for a part that the URL does not have. */
function decode(part = ''): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error('the PostgreSQL URL has a malformed %xx escape');
  }
}
