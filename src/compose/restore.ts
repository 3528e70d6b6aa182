/**
 * Makes a database from an older backup safe, before any process starts on it (safety.md K4 to K6).
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { issuedIndexes } from '../adapters/signer/issued-indexes.ts';
import { verifySigningLog } from '../adapters/signer/verify-signing-log.ts';
import type { RaisedIndexes } from '../app/invoices/addresses/raise-indexes.ts';
import { prepareRestored } from '../app/sending/restart/prepare-restored.ts';
import type { Config } from '../config/types.ts';
import { PERMANENT_FAMILIES } from '../domain/catalog/family.ts';
import type { UnitOfWork } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime/clock.ts';
import type { Logger } from '../ports/runtime/logger.ts';
import type { ComposedDatabase } from './database.ts';
import { openWallet } from './wallet/open-wallet.ts';

export type Restoration =
  | { readonly kind: 'in_use'; readonly sessions: number }
  /** The database is new. */
  | { readonly kind: 'unused' }
  | {
      readonly kind: 'restored';
      readonly indexes: RaisedIndexes;
      /** Ids of the payouts that were not held for this reason before. */
      readonly held: readonly string[];
      readonly signerLog: SignerLogVerdict;
      /** Faults of the books themselves. */
      readonly faults: number;
    };

export type SignerLogVerdict =
  /** Another process signs, and has the log; fake chains are signed for without one. */
  | { readonly kind: 'elsewhere' }
  /** There is no log, although this database has signatures. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'broken'; readonly line: number; readonly fault: string }
  /**
   * `missing`: the database's newest signatures that the log lacks. `unknown`: those of the log
   * that the database lacks.
   */
  | { readonly kind: 'read'; readonly signed: number; readonly unknown: number; readonly missing: number };

/** One missing signature among the newest is enough. */
const COMPARED = 1_000;
const TXIDS_AT_ONCE = 10_000;

/**
 * Skips `skip` addresses of each family after the last one in the database, holds every pending
 * live payout, and compares wallet, signer's log and books. Each step may be repeated without
 * further effect. Throws WalletRefused and KeystoreError if the wallet is not the database's, and
 * IssuedIndexesUnusable.
 */
export async function restore(
  config: Config,
  database: ComposedDatabase,
  parts: { readonly clock: Clock; readonly logger: Logger; readonly skip: number },
): Promise<Restoration> {
  const { unitOfWork, operatorQueries } = database.ports;
  const found = await database.walletKeys.replacing(async (held) => ({
    sessions: await held.otherSessions(),
    used: await held.isUsed(),
  }));
  if (found.sessions > 0) return { kind: 'in_use', sessions: found.sessions };
  if (!found.used) return { kind: 'unused' };
  await openWallet(config, { walletKeys: database.walletKeys, ...parts });
  const marks = issuedIndexes(config.dataDir);
  const families = new Map(PERMANENT_FAMILIES.map((family) => [family, null]));
  const deps = { ...parts, unitOfWork, issuedIndexes: marks, liveDerivers: families };
  const { indexes, held } = await prepareRestored(deps, parts.skip).finally(() => marks.close());
  const signerLog = await readSignerLog(config, unitOfWork);
  const faults = await operatorQueries.reconciliationFaults(parts.clock.now());
  return { kind: 'restored', indexes, held, signerLog, faults: faults.length };
}

async function readSignerLog(config: Config, unitOfWork: UnitOfWork): Promise<SignerLogVerdict> {
  if (config.signer.socket !== null || config.role === 'api' || config.fakeChains)
    return { kind: 'elsewhere' };
  const newest = await unitOfWork.run(({ outgoing }) => outgoing.newestSigned(COMPARED));
  const path = join(config.dataDir, 'signer.log');
  if (!existsSync(path))
    return newest.length > 0 ? { kind: 'missing' } : { kind: 'read', signed: 0, unknown: 0, missing: 0 };
  const logged = new Set<string>();
  const { broken } = await verifySigningLog(path, ({ txid }) => logged.add(txid));
  if (broken !== null) return { kind: 'broken', ...broken };
  let known = 0;
  const txids = [...logged];
  for (let from = 0; from < txids.length; from += TXIDS_AT_ONCE) {
    const page = txids.slice(from, from + TXIDS_AT_ONCE);
    known += (await unitOfWork.run(({ outgoing }) => outgoing.ours(page))).size;
  }
  const missing = newest.filter((txid) => !logged.has(txid)).length;
  return { kind: 'read', signed: logged.size, unknown: logged.size - known, missing };
}
