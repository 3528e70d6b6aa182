/** Why a start failed, in one line for the operator; with a stack only for an unexpected error. */
import { SettingsUnusable } from '../adapters/chains/shared/settings-unusable.ts';
import { ClusterUnusable } from '../adapters/embedded-postgres/usable-files.ts';
import { MigrationsRefused } from '../adapters/postgres/client/migrate.ts';
import { IssuedIndexesUnusable } from '../adapters/signer/issued-indexes.ts';
import { KeystoreError } from '../adapters/signer/keystore-file.ts';
import { SignerSocketUnusable } from '../adapters/signer/signer-server.ts';
import { SigningLogUnusable } from '../adapters/signer/signing-log.ts';
import { StorageUnavailable } from '../ports/repositories.ts';
import { AssetsLost } from './catalog.ts';
import { ChainsRefused } from './chains/chain-identities.ts';
import { SigningPolicyFaults } from './signer/signing-policy.ts';
import { WalletRefused } from './wallet/wallet-refused.ts';

interface ListenSetting {
  readonly port: number;
  readonly dataDir: string;
}

export function startFault(error: unknown, config: ListenSetting): string {
  if (!(error instanceof Error)) return String(error);
  return (
    portFault(error, config) ??
    foreseenFault(error, config) ??
    folderFault(error, config) ??
    error.stack ??
    error.message
  );
}

function portFault(error: NodeJS.ErrnoException, { port }: ListenSetting): string | null {
  const { code, syscall, message } = error;
  if (code === 'EADDRINUSE')
    return `port ${port} is taken. Stop what listens there, or set PORT to another one.`;
  if (syscall !== 'listen') return null;
  return `port ${port} cannot be listened on (${code ?? message}). Set PORT to another one.`;
}

/** The text for each expected kind of error at start. */
const FORESEEN = [
  told(
    StorageUnavailable,
    ({ message }) => `the database is away: ${message}. Check DATABASE_URL and that its server runs.`,
  ),
  told(WalletRefused, ({ message }) => message),
  told(ChainsRefused, ({ message }) => message),
  told(AssetsLost, ({ message }) => message),
  told(ClusterUnusable, ({ message }) => message),
  told(MigrationsRefused, ({ message }) => message),
  told(KeystoreError, ({ message, fault }, { dataDir }) => {
    const advice = fault === 'missing' ? ' The roles worker and all make one at their first start.' : '';
    return `the wallet in DATA_DIR (${dataDir}) cannot be opened: ${message}.${advice}`;
  }),
  told(
    IssuedIndexesUnusable,
    ({ message }) =>
      `${message}. Put the newest copy of it back. If there is none, remove it and run: bun run restore`,
  ),
  told(
    SigningLogUnusable,
    ({ message }) => `the signer's log is not usable: ${message}. See docs/operations/signer.md.`,
  ),
  told(SettingsUnusable, ({ chain, message }) => `chains.${chain} of CONFIG_FILE is not usable: ${message}.`),
  told(SignerSocketUnusable, ({ message }) => `the signer's socket is not usable: ${message}`),
  told(SigningPolicyFaults, ({ lines }) =>
    ['the policy of the signer has faults:', ...lines.map((line) => `  ${line}`)].join('\n'),
  ),
];

function told<E extends Error>(
  kind: abstract new (...given: never[]) => E,
  text: (error: E, config: ListenSetting) => string,
): (error: Error, config: ListenSetting) => string | null {
  return (error, config) => (error instanceof kind ? text(error, config) : null);
}

function foreseenFault(error: Error, config: ListenSetting): string | null {
  for (const tell of FORESEEN) {
    const text = tell(error, config);
    if (text !== null) return text;
  }
  return null;
}

/** Other errors of the operating system at start concern files. */
function folderFault(
  { code, syscall, message }: NodeJS.ErrnoException,
  { dataDir }: ListenSetting,
): string | null {
  if (code === undefined || syscall === undefined) return null;
  return `${message}. Check that DATA_DIR (${dataDir}) is a folder that this user may write.`;
}
