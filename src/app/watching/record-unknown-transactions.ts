/**
 * Transactions of the hot wallet that this gateway's database does not know: the wallet was used
 * elsewhere, or an older backup was restored, and then they may be what pays its pending payouts
 * (safety.md K4). Those are held until an operator has looked; payouts ordered after such a
 * transaction cannot have been paid by it.
 */
import { type Moment, timeOfPayment } from '../../domain/chains/payment-time.ts';
import type { ChainCursor } from '../../ports/chains/chain-repository.ts';
import type { ScannedBlock, UnknownPayment, UnknownTransaction } from '../../ports/chains/chain-scanner.ts';
import type { WatchedSpending } from '../../ports/chains/watch-list.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Utxo } from '../../ports/sending/utxo-spending.ts';
import { assetsOf } from '../catalog/assets-of-chain.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { Observation } from '../deposits/observation.ts';
import { paysFor } from '../payouts/record-paid.ts';
import { holdBack } from '../sending/restart/hold-back.ts';

type UnknownTransactionNeeds = Pick<
  AppDependencies,
  'unitOfWork' | 'clock' | 'logger' | 'catalog' | 'liveDerivers'
>;

/** Most txids in one line of the log. */
const TXIDS_TOLD = 20;

/**
 * Call before the cursor moves past these blocks: a process that sees it there can rely on the
 * holds. `cursor`: where they were read from; nothing is noted once it has moved. Null for blocks
 * at or below it.
 */
export async function recordUnknown(
  deps: UnknownTransactionNeeds,
  on: Pick<Observation, 'chain' | 'family'> & { spending: WatchedSpending | undefined },
  { blocks, cursor, now }: { blocks: readonly ScannedBlock[]; cursor: ChainCursor | null; now: Moment },
): Promise<void> {
  const { chain, spending } = on;
  if (spending === undefined) return;
  const txids: string[] = [];
  let heldPayouts = 0;
  for (const block of blocks)
    for (const transaction of block.unknown ?? []) {
      const held = await note(deps, { ...on, spending }, { block, transaction, cursor, now });
      if (held === null) continue;
      txids.push(transaction.txid);
      heldPayouts += held.length;
    }
  if (txids.length === 0) return;
  const told = { transactions: txids.length, txids: txids.slice(0, TXIDS_TOLD), heldPayouts };
  deps.logger.error('wallet.unknown_transaction', { chain, wallet: spending.wallet, ...told });
}

/** The payouts that it held; null if it was recorded before, or by whoever moved the cursor. */
async function note(
  deps: UnknownTransactionNeeds,
  { chain, family, spending }: Pick<Observation, 'chain' | 'family'> & { spending: WatchedSpending },
  found: {
    block: ScannedBlock;
    transaction: UnknownTransaction;
    cursor: ChainCursor | null;
    now: Moment;
  },
): Promise<readonly string[] | null> {
  const { transaction, cursor, now } = found;
  const { height, hash, time } = found.block;
  const { seenAt: minedAt, madeBefore } = timeOfPayment(family, time, now);
  const { change, payments } = await withoutChange(transaction, spending);
  const notedAt = deps.clock.now();
  const noted = { chain, wallet: spending.wallet, block: { height, hash }, minedAt, notedAt, payments };
  return deps.unitOfWork.run(async (repositories) => {
    if (cursor !== null && !(await repositories.chains.moveCursor(chain, cursor, cursor))) return null;
    const which = { assets: assetsOf(deps, chain), madeBefore, now: notedAt };
    const pending = await repositories.payouts.pendingOf(which);
    const may = transaction.onlyPays ? await paidOf(deps, repositories, pending, transaction) : pending;
    if (transaction.onlyPays && may.length === 0) return null;
    for (const coin of change) await repositories.utxos.insertChange(chain, coin, noted.block);
    if (!(await repositories.unknown.note({ ...transaction, ...noted }))) return null;
    if (transaction.harmless) return [];
    const { assets } = which;
    const why = `the unknown transaction ${transaction.txid} may have paid it`;
    return holdBack(repositories, { payoutIds: may, assets, at: notedAt }, why);
  });
}

/** The payouts that it pays, by all known facts. */
async function paidOf(
  deps: UnknownTransactionNeeds,
  { payouts }: Repositories,
  ids: readonly string[],
  { payments }: UnknownTransaction,
): Promise<readonly string[]> {
  const assets = [...new Set(payments.map(({ asset }) => asset))];
  const paid = (await payouts.owed(assets)).filter((order) => payments.some(paysFor(deps, order)));
  return paid.map(({ id }) => id).filter((id) => ids.includes(id));
}

/** Its payments, and the outputs to change addresses: those UTXOs can be spent. */
async function withoutChange(
  { txid, payments }: UnknownTransaction,
  { wallet, change }: WatchedSpending,
): Promise<{ payments: readonly UnknownPayment[]; change: readonly Utxo[] }> {
  const indexes = await change(payments.map(({ to }) => to));
  return {
    payments: payments.filter(({ to }) => to !== wallet && !indexes.has(to)),
    change: payments.flatMap(({ to, units, vout }) => {
      const index = indexes.get(to);
      if (index === undefined || vout === undefined) return [];
      return [{ txid, vout, address: to, key: { role: 'change', index }, units }];
    }),
  };
}

/**
 * Call once the cursor has moved past `blocks`, in the same transaction. A process that died before
 * it moved the cursor may have noted transactions of blocks that were replaced since.
 */
export async function forgetReplaced(
  { unknown, utxos }: Pick<Repositories, 'unknown' | 'utxos'>,
  { chain, height }: { chain: string; height: number },
  blocks: readonly ScannedBlock[],
): Promise<void> {
  const read = blocks.map(({ hash }) => hash);
  if (await unknown.orphanAbove(chain, height, read)) await utxos.orphanAbove(chain, height, read);
}
