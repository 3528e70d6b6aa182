/**
 * Every environment variable: its parser, its default, and its purpose. The configuration is read
 * from this table (environment.ts). `bun run docs` writes docs/configuration.md, .env.example and
 * the help of ./scripts/start from it.
 */
import type { LogLevel, ProcessRole } from './types.ts';
import {
  address,
  addressOrRange,
  allowedHost,
  daysFrom,
  HEADER_PREFIXES_MAX,
  headerPrefixes,
  hookUrl,
  integerUpTo,
  listOf,
  mailAddress,
  masterKeyHex,
  postgresUrl,
  proxyUrl,
  siteUrl,
  smtpServer,
  socketPath,
  usdAmount,
} from './variable-parsers.ts';

const ROLES = ['api', 'worker', 'all'] as const satisfies readonly ProcessRole[];
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const satisfies readonly LogLevel[];
/** Longer than any chain is reorganised, and than any webhook is retried. */
const RETENTION_LEAST_DAYS = 30;
const SWITCH = ['on', 'off'] as const;
const REGISTRATION = ['closed', 'open'] as const;
const HOOK_FORMATS = ['json', 'slack', 'telegram'] as const;
const CHAIN_ADAPTERS = ['real', 'fake'] as const;

/** `Default` is the parsed default; null if an unset variable has no value. */
interface Variable<Value, Default extends Value | null> {
  /** Null for an invalid text. */
  readonly parse: (text: string) => Value | null;
  readonly fallback: Default;
  /** The default, as people read it. */
  readonly without: string;
  /** Completes "must be ...". */
  readonly expected: string;
  /** The help of ./scripts/start shows only its first sentence. */
  readonly doc: string;
}

type VariableHelp = Pick<Variable<never, null>, 'expected' | 'doc'>;

/** A variable with a default, which is parsed like any other text. */
function defaulting<Value>(
  text: string,
  parse: (text: string) => Value | null,
  about: VariableHelp,
): Variable<Value, Value> {
  const fallback = parse(text);
  if (fallback === null) throw new Error(`the default ${text} must be ${about.expected}`);
  return { parse, fallback, without: text, ...about };
}

/** A variable that may have no value. */
function optional<Value>(
  without: string,
  parse: (text: string) => Value | null,
  about: VariableHelp,
): Variable<Value, null> {
  return { parse, fallback: null, without, ...about };
}

const oneOf =
  <T extends string>(choices: readonly T[]) =>
  (text: string): T | null =>
    choices.find((choice) => choice === text) ?? null;
const anyText = (text: string): string => text;
const SITE = 'an http(s) URL without query or fragment';
const DATABASE = 'a URL of the form postgres://user:password@host:5432/database';

export const VARIABLES = {
  HOST: optional('all addresses', address, {
    expected: 'an IP address of this machine, such as 127.0.0.1 or ::1',
    doc: 'Address of this machine to listen on. Without it: all of them, IPv4 and IPv6',
  }),
  PORT: defaulting('3000', integerUpTo(65_535), {
    expected: 'a port: 0 to 65535',
    doc: 'Port of the API and the checkout. 0 takes a free one',
  }),
  BASE_URL: optional('http://localhost:PORT', siteUrl, {
    expected: SITE,
    doc: 'URL under which clients reach the service',
  }),
  CHECKOUT_URL: optional('BASE_URL', siteUrl, { expected: SITE, doc: 'URL of the hosted checkout' }),
  DATABASE_URL: optional('embedded PostgreSQL', postgresUrl, {
    expected: DATABASE,
    doc: 'Database of your own: postgres://user:password@host:5432/database. Several hosts are separated by commas: the one that takes writes is used. With `?pgbouncer=true` behind a connection pooler',
  }),
  DATABASE_URL_READ: optional('DATABASE_URL', postgresUrl, {
    expected: DATABASE,
    doc: 'A streaming replica of the database, for lists, CSV, reports of the console and metrics',
  }),
  MASTER_KEY: optional('made once, kept in DATA_DIR/master.key', masterKeyHex, {
    expected: '32 bytes, as 64 hex digits or base64',
    doc: 'Key that seals the API keys and the wallet: 32 bytes, hex or base64. DATABASE_URL needs it',
  }),
  DATA_DIR: defaulting('./data', anyText, {
    expected: 'a folder',
    doc: 'Folder of the data that must not be lost. It contains the wallet (keystore.json), the record of issued addresses, the embedded database and the master key',
  }),
  CONFIG_FILE: optional('none', anyText, {
    expected: 'a file',
    doc: 'JSON file with chains, assets, rates, limits of payouts and risk checks',
  }),
  ROLE: defaulting('all', oneOf(ROLES), {
    expected: `one of ${ROLES.join(', ')}`,
    doc: 'Part of the work that this process does: api, worker or all. `api` serves HTTP. `worker` does the background work and serves only `/health`, `/ready` and `/metrics`',
  }),
  RATE_LIMIT_PER_MINUTE: defaulting('600', integerUpTo(1_000_000), {
    expected: 'a whole number of requests, 0 to 1000000 (0 = off)',
    doc: 'Requests per API key and process; 0 is off',
  }),
  RETENTION_WEBHOOK_DAYS: defaulting('365', daysFrom(RETENTION_LEAST_DAYS), {
    expected: `a number of days, ${RETENTION_LEAST_DAYS} to 36500 (0 = for ever)`,
    doc: 'How long events, deliveries and attempts of webhooks are kept; 0 keeps them for ever',
  }),
  RETENTION_SIGNED_DAYS: defaulting('90', daysFrom(RETENTION_LEAST_DAYS), {
    expected: `a number of days, ${RETENTION_LEAST_DAYS} to 36500 (0 = for ever)`,
    doc: 'How long the bytes of signed transactions are kept after they are settled; 0 keeps them for ever. Their hashes stay',
  }),
  RETENTION_UNPAID_DAYS: defaulting('0', daysFrom(RETENTION_LEAST_DAYS), {
    expected: `a number of days, ${RETENTION_LEAST_DAYS} to 36500 (0 = for ever)`,
    doc: 'How long invoices are kept after they expired unpaid; 0 keeps them for ever. Payments to their addresses are booked for their merchants ever after',
  }),
  LOG_LEVEL: defaulting('info', oneOf(LOG_LEVELS), {
    expected: `one of ${LOG_LEVELS.join(', ')}`,
    doc: 'Lowest level that is logged: debug, info, warn, error or silent',
  }),
  TRUSTED_PROXIES: optional('none', listOf(addressOrRange), {
    expected: 'IP addresses or CIDR ranges separated by commas',
    doc: 'Addresses or CIDR ranges whose X-Forwarded-For is trusted',
  }),
  WEBHOOK_ALLOWED_HOSTS: optional('none', listOf(allowedHost), {
    expected: 'host names or addresses, each with an optional :port, separated by commas',
    doc: 'Hosts of webhooks that may be private or loopback. Names or addresses, each with an optional `:port`, separated by commas',
  }),
  WEBHOOK_LOCAL_ADDRESS: optional("the system's choice", address, {
    expected: 'an IP address of this machine',
    doc: 'Address of this machine that webhooks leave from',
  }),
  WEBHOOK_PROXY: optional('none', proxyUrl, {
    expected: 'of the form http://user:password@host:port',
    doc: 'Proxy that webhooks go through: http://user:password@host:port',
  }),
  WEBHOOK_HEADER_PREFIXES: optional('none', headerPrefixes, {
    expected: `up to ${HEADER_PREFIXES_MAX} different beginnings of header names, X-Shop for example, separated by commas`,
    doc: `More names for the headers of webhooks, X-Shop for example. Webhooks then carry \`X-Shop-Signature\` and the like beside \`X-Service-...\`, with the same values, for receivers that expect another name. At most ${HEADER_PREFIXES_MAX}`,
  }),
  SMTP_URL: optional('none', smtpServer, {
    expected: 'of the form smtp://user:password@host:port or smtps://user:password@host:port',
    doc: 'Mail server for e-mails to customers: smtps://user:password@host:465, or smtp://user:password@host:587, which requires STARTTLS (`?tls=none`: no encryption). Without it and `MAIL_FROM` none are sent',
  }),
  MAIL_FROM: optional('none', mailAddress, {
    expected: 'an e-mail address',
    doc: 'Sender of the e-mails to customers',
  }),
  CONSOLE: defaulting('on', oneOf(SWITCH), {
    expected: `one of ${SWITCH.join(', ')}`,
    doc: 'Whether the web console is served, at `/console`: on or off',
  }),
  REGISTRATION: defaulting('closed', oneOf(REGISTRATION), {
    expected: `one of ${REGISTRATION.join(', ')}`,
    doc: 'Who may open a merchant account in the console. `closed`: whoever is invited. `open`: whoever gets an e-mail, which needs `SMTP_URL`. Such a merchant has only its sandbox until it is verified',
  }),
  OPERATOR_MAIL_TO: optional('none', listOf(mailAddress), {
    expected: 'e-mail addresses separated by commas',
    doc: 'Who gets an e-mail of each alarm. Several addresses are separated by commas. It needs `SMTP_URL` and `MAIL_FROM`',
  }),
  OPERATOR_WEBHOOK_URL: optional('none', hookUrl, {
    expected: 'an http(s) URL without fragment and credentials',
    doc: 'URL that each alarm is posted to. It may be private. Secret: it may contain a token',
  }),
  OPERATOR_WEBHOOK_FORMAT: defaulting('json', oneOf(HOOK_FORMATS), {
    expected: `one of ${HOOK_FORMATS.join(', ')}`,
    doc: 'Body of these posts: json, slack or telegram. `slack` fits Mattermost as well. With `telegram` the URL ends in `/sendMessage?chat_id=...`',
  }),
  SIGNER_SOCKET: optional('none', socketPath, {
    expected: 'a file whose name has at most 100 bytes',
    doc: 'Unix socket of the signer process. A worker asks it for signatures. Without it a worker signs for itself. `ROLE=api` never signs',
  }),
  SIGNER_POLICY: optional('none', anyText, {
    expected: 'a file',
    doc: 'JSON file with limits for signatures. It is read again when it changes',
  }),
  DATABASE_URL_SIGNER: optional('DATABASE_URL', postgresUrl, {
    expected: DATABASE,
    doc: 'Database URL of the signer process, for a role of its own',
  }),
  CONSOLE_APPROVAL_USD: optional('no second operator', usdAmount, {
    expected: 'an amount in USD: 0 or more, with at most 6 decimals',
    doc: 'Releases of held payouts, refunds and bookings of owner funding that an operator orders in the console need a second operator if they are worth more than this, together with what the operator ordered alone in the last 24 hours. Scripts are not asked',
  }),
  CHAINS: defaulting('real', oneOf(CHAIN_ADAPTERS), {
    expected: `one of ${CHAIN_ADAPTERS.join(', ')}`,
    doc: 'Chains to work with: real or fake. `fake` ones exist in memory, for tests only, with a database that was never used with a real chain',
  }),
} as const;

export type VariableName = keyof typeof VARIABLES;

type VariableTable = typeof VARIABLES;
/** A variable's parsed text, or its default. */
export type VariableValue<Name extends VariableName> =
  VariableTable[Name] extends Variable<infer Value, infer Default> ? Value | Default : never;
