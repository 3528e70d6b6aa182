/**
 * Chains whose deposits arrive at the hot wallet itself, each with a tag (XRP). A payment without
 * an issued tag has no owner: it is parked until an operator assigns it. Until then it pays no
 * payouts.
 */
import { type AppError, appError } from '../../domain/errors.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Utxo } from '../../ports/sending/utxo-spending.ts';
import { postCapital } from '../shared/capital-entry.ts';
import { runResult } from '../shared/transaction-result.ts';
import type { SweepNeeds, TreasuryChain } from '../sweeps/sweep-needs.ts';

/** A transaction has one payment, and at most one other part. */
const PARTS_MAX = 10;

export type ParkedUtxo = Pick<Utxo, 'txid' | 'vout' | 'units'>;

/** The operator's own money: all parked parts of a transaction become capital. */
export function bookAsOwnerFunding(deps: SweepNeeds, on: Pick<TreasuryChain, 'chain' | 'sender'>) {
  const { chain, sender } = on;
  const asset = sender.nativeAsset;
  return (order: { txid: string; note: string }): Promise<Result<readonly ParkedUtxo[], AppError>> =>
    runResult(deps.unitOfWork, async (repositories) => {
      const parked = await lockParked(repositories, chain, order.txid);
      if (parked.length === 0) return err(notParked(chain, order.txid));
      for (const { txid, vout, units, block } of parked) {
        const note = order.note === '' ? `received at the hot wallet: ${txid}` : order.note;
        const booking = { chain, asset, address: null, units, block, note, coin: { txid, vout } };
        await postCapital(deps, repositories, booking);
        await repositories.utxos.markBooked(chain, { txid, vout }, true);
      }
      return ok(parked);
    });
}

/** The parked and final parts of a transaction, locked. */
export async function lockParked({ chains, utxos }: Repositories, chain: string, txid: string) {
  const cursor = await chains.cursor(chain);
  return utxos.lockUnbooked(chain, cursor?.finalizedHeight ?? -1, PARTS_MAX, txid);
}

export function notParked(chain: string, txid: string): AppError {
  return appError('NOT_FOUND', `The transaction ${txid} has no final, parked money on ${chain}.`);
}
