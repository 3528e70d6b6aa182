/** Reads the one URL form for a PostgreSQL database, by TCP or by unix socket, into the parts that the driver takes. */

export interface DatabaseAddress {
  readonly username: string;
  readonly password: string;
  readonly database: string;
  /** Host name or address; `localhost` when a socket is used. */
  readonly hostname: string;
  readonly port: number;
  /** Folder of the unix socket, or null for TCP. */
  readonly socketFolder: string | null;
  /** How far to insist on TLS; libpq's names. */
  readonly sslMode: SslMode;
}

export type SslMode = 'disable' | 'allow' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';

const DEFAULT_PORT = 5432;
const SSL_MODES: readonly string[] = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
// Credentials without a host, as in `postgres://user@/db?host=/run`, are refused by URL parsers, hence a pattern.
const PATTERN =
  /^postgres(?:ql)?:\/\/(?:(?<username>[^:@/?]*)(?::(?<password>[^@/?]*))?@)?(?<hostname>\[[^\]]+\]|[^:/?]*)(?::(?<port>\d+))?(?:\/(?<database>[^?]*))?(?:\?(?<query>.*))?$/;

/**
 * `postgres://user:password@host:5432/database`, or `postgres://user@/database?host=/folder/of/the/socket`. The query may
 * also hold `port` and `sslmode`. Escape special characters with %xx. Throws on anything else, without repeating the
 * URL, because it holds the password.
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const parts = PATTERN.exec(url)?.groups;
  if (parts === undefined)
    throw new Error('not a PostgreSQL URL of the form postgres://user:password@host:port/database');
  const query = new URLSearchParams(parts.query ?? '');
  const host = query.get('host') ?? decode(parts.hostname ?? '');
  const socketFolder = host.startsWith('/') ? host : null;
  const username = decode(parts.username ?? '');
  const database = decode(parts.database ?? '') || username;
  if (username === '') throw new Error('the PostgreSQL URL names no user');
  const port = Number(query.get('port') ?? parts.port ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error('the PostgreSQL URL has no valid port');
  const sslMode = query.get('sslmode') ?? 'disable';
  if (!isSslMode(sslMode))
    throw new Error(`sslmode of the PostgreSQL URL is none of ${SSL_MODES.join(', ')}`);
  return {
    username,
    password: decode(parts.password ?? ''),
    database,
    hostname: socketFolder !== null || host === '' ? 'localhost' : host.replace(/^\[(.*)\]$/, '$1'),
    port,
    socketFolder,
    sslMode,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('the PostgreSQL URL has a malformed %xx escape');
  }
}

function isSslMode(text: string): text is SslMode {
  return SSL_MODES.includes(text);
}
