/**
 * The environment half of the configuration. An empty variable counts as unset; a fault leaves a
 * placeholder value.
 */
import type { ConfigError } from './config-error.ts';
import type { FileConfig } from './file.ts';
import type { Config } from './types.ts';
import { namesPooler } from './variable-parsers.ts';
import { VARIABLES, type VariableName, type VariableValue } from './variables.ts';

type EnvironmentConfig = Omit<Config, keyof FileConfig> & { readonly configFile: string | null };

export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  faults: ConfigError[],
): EnvironmentConfig {
  const textOf = (name: VariableName): string => env[name]?.trim() ?? '';
  /** The parsed text; the default if it is unset or invalid. */
  function read<Name extends VariableName>(name: Name): VariableValue<Name> {
    const { parse, fallback, expected } = VARIABLES[name];
    const text = textOf(name);
    const value = text === '' ? fallback : parse(text);
    if (text !== '' && value === null) faults.push({ path: name, message: `must be ${expected}` });
    return (value ?? fallback) as VariableValue<Name>;
  }

  const port = read('PORT');
  const baseUrl = read('BASE_URL') ?? `http://localhost:${port}`;
  const databaseUrl = read('DATABASE_URL');
  const masterKey = read('MASTER_KEY');
  faults.push(...databaseFaults(textOf));
  const [smtp, from] = [read('SMTP_URL'), read('MAIL_FROM')];
  if ((smtp === null) !== (from === null)) {
    const [path, other] = smtp === null ? ['SMTP_URL', 'MAIL_FROM'] : ['MAIL_FROM', 'SMTP_URL'];
    if (textOf(path as VariableName) === '') faults.push({ path, message: `is needed with ${other}` });
  }
  const registrationIsOpen = read('REGISTRATION') === 'open';
  if (registrationIsOpen && textOf('SMTP_URL') === '')
    faults.push({ path: 'SMTP_URL', message: 'is needed with REGISTRATION=open' });
  return {
    host: read('HOST'),
    port,
    baseUrl,
    checkoutUrl: read('CHECKOUT_URL') ?? baseUrl,
    databaseUrl,
    databaseUrlRead: read('DATABASE_URL_READ'),
    dataDir: read('DATA_DIR'),
    masterKey,
    role: read('ROLE'),
    rateLimitPerMinute: read('RATE_LIMIT_PER_MINUTE'),
    retention: {
      webhookDays: read('RETENTION_WEBHOOK_DAYS'),
      signedDays: read('RETENTION_SIGNED_DAYS'),
      unpaidDays: read('RETENTION_UNPAID_DAYS'),
    },
    logLevel: read('LOG_LEVEL'),
    webhook: {
      allowedHosts: read('WEBHOOK_ALLOWED_HOSTS') ?? [],
      localAddress: read('WEBHOOK_LOCAL_ADDRESS'),
      proxy: read('WEBHOOK_PROXY'),
      headerPrefixes: read('WEBHOOK_HEADER_PREFIXES') ?? [],
    },
    trustedProxies: read('TRUSTED_PROXIES') ?? [],
    mail: smtp === null || from === null ? null : { ...smtp, from },
    operators: operatorsOf(read, smtp !== null, faults),
    fakeChains: read('CHAINS') === 'fake',
    console: {
      isOn: read('CONSOLE') === 'on',
      registrationIsOpen,
      approvalAboveMicroUsd: read('CONSOLE_APPROVAL_USD'),
    },
    signer: {
      socket: read('SIGNER_SOCKET'),
      policyFile: read('SIGNER_POLICY'),
      databaseUrl: read('DATABASE_URL_SIGNER'),
    },
    configFile: read('CONFIG_FILE'),
  };
}

/** What the variables of the database need of each other. */
function databaseFaults(textOf: (name: VariableName) => string): readonly ConfigError[] {
  const isOwn = textOf('DATABASE_URL') !== '';
  const key = 'is needed with DATABASE_URL: 32 random bytes, as 64 hex digits or base64';
  return [
    ...(isOwn && textOf('MASTER_KEY') === '' ? [{ path: 'MASTER_KEY', message: key }] : []),
    ...(!isOwn && textOf('DATABASE_URL_READ') !== ''
      ? [{ path: 'DATABASE_URL', message: 'is needed with DATABASE_URL_READ' }]
      : []),
    // The question how far a replica is and the read after it must meet the same one.
    ...(namesPooler(textOf('DATABASE_URL_READ'))
      ? [{ path: 'DATABASE_URL_READ', message: 'must name the replica itself, without a connection pooler' }]
      : []),
  ];
}

type Read = <Name extends VariableName>(name: Name) => VariableValue<Name>;

function operatorsOf(read: Read, sendsMail: boolean, faults: ConfigError[]): Config['operators'] {
  const [mailTo, url] = [read('OPERATOR_MAIL_TO') ?? [], read('OPERATOR_WEBHOOK_URL')];
  const format = read('OPERATOR_WEBHOOK_FORMAT');
  // Where SMTP_URL itself has a fault, that is enough.
  const hasFault = faults.some(({ path }) => path === 'SMTP_URL');
  if (mailTo.length > 0 && !sendsMail && !hasFault)
    faults.push({ path: 'SMTP_URL', message: 'is needed with OPERATOR_MAIL_TO' });
  if (url !== null && format === 'telegram' && !new URL(url).searchParams.has('chat_id'))
    faults.push({ path: 'OPERATOR_WEBHOOK_URL', message: 'must name a chat_id for Telegram' });
  return { mailTo, webhook: url === null ? null : { url, format } };
}
