/** Why a start failed, as one line for the person who started it; the stack only of what nobody expects. */
import { MoneroKeysUnusable } from '../adapters/chains/monero/keys-unusable.ts';
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

export function startFault(
  error: unknown,
  config: { readonly port: number; readonly dataDir: string },
): string {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return `port ${config.port} is taken. Stop what listens there, or set PORT to another one.`;
  }
  if (syscall === 'listen') {
    return `port ${config.port} cannot be listened on (${code ?? error.message}). Set PORT to another one.`;
  }
  if (error instanceof StorageUnavailable) {
    return `the database is away: ${error.message}. Check DATABASE_URL and that its server runs.`;
  }
  const refusals = [WalletRefused, ChainsRefused, AssetsLost, ClusterUnusable, MigrationsRefused];
  if (refusals.some((kind) => error instanceof kind)) return error.message;
  if (error instanceof KeystoreError) {
    const advice =
      error.fault === 'missing' ? ' The roles worker and all make one at their first start.' : '';
    return `the wallet in DATA_DIR (${config.dataDir}) cannot be opened: ${error.message}.${advice}`;
  }
  if (error instanceof IssuedIndexesUnusable) {
    return `${error.message}. Put the newest copy of it back. If there is none, remove it and run: bun run restore`;
  }
  if (error instanceof SigningLogUnusable) {
    return `the signer's log is not usable: ${error.message}. See docs/operations/signer.md.`;
  }
  if (error instanceof MoneroKeysUnusable) {
    return `chains.monero of CONFIG_FILE is not usable: ${error.message}.`;
  }
  if (error instanceof SignerSocketUnusable) return `the signer's socket is not usable: ${error.message}`;
  if (error instanceof SigningPolicyFaults) {
    return ['the policy of the signer has faults:', ...error.lines.map((line) => `  ${line}`)].join('\n');
  }
  if (code !== undefined && syscall !== undefined) {
    return `${error.message}. Check that DATA_DIR (${config.dataDir}) is a folder that this user may write.`;
  }
  return error.stack ?? error.message;
}
