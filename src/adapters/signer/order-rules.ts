/**
 * What an order must fulfil besides what its payload says: the right key for its purpose, a destination that our own keys
 * derive, the operator's policy, what was signed before, and the records in the database. Each rule throws SigningRefused.
 */
import type { Asset } from '../../domain/catalog/asset.ts';
import { formatUnits } from '../../domain/money/decimal.ts';
import { delegationOf, movesMoney } from '../../domain/sending/outgoing.ts';
import type { SigningPolicy } from '../../domain/sending/signing-policy.ts';
import type { FamilySigning } from '../../ports/sending/family-signing.ts';
import { type SigningOrder, type SigningPayment, SigningRefused } from '../../ports/sending/signer.ts';
import type { OrderRecords } from '../../ports/sending/signing-records.ts';
import type { SignedEntry } from './signing-entry.ts';
import { leavesHotWallet, type SigningHistory } from './signing-history.ts';

/** Refused at present; see SigningRefused.lasting. */
const passing = (
  message: string,
  transferId: string | null = null,
  because: SigningRefused['because'] = null,
): SigningRefused => new SigningRefused(message, { lasting: false, transferId, because });

/** The only transfer of an order, which is to blame for whatever is wrong with the order; null where there are several. */
const onlyTransfer = ({ payments: [first, ...others] }: SigningOrder): string | null =>
  others.length === 0 ? (first?.transferId ?? null) : null;

/** The key is that of the wallet, and own destinations are derived, whatever anybody configured. */
export async function checkKeys(order: SigningOrder, asset: Asset, family: FamilySigning): Promise<void> {
  const { purpose, key } = order;
  if (order.nonce < 0n || order.nonce > BigInt(Number.MAX_SAFE_INTEGER))
    throw new SigningRefused('there cannot be such a nonce');
  if (key.role !== (purpose === 'sweep' ? 'deposit' : 'hot'))
    throw new SigningRefused('sweeps leave deposit addresses, and everything else leaves the hot wallet');
  if (purpose === 'gap' && !order.voids) throw new SigningRefused('a gap is filled by what moves nothing');
  const addressOf = async (which: typeof key): Promise<string> => {
    try {
      return await family.addressOf(which);
    } catch (error) {
      if (error instanceof RangeError) throw new SigningRefused(error.message);
      throw error;
    }
  };
  if ((await addressOf(key)) !== family.normalize(order.wallet))
    throw new SigningRefused('the wallet is not the address of the key');
  if (order.feePayer !== null) {
    const hot = await addressOf({ role: 'hot' });
    if (purpose !== 'sweep' || family.normalize(order.feePayer) !== hot)
      throw new SigningRefused('only the hot wallet pays fees for another, and only those of sweeps');
  }
  if (order.delegates !== delegationOf(purpose).delegates)
    throw new SigningRefused('a loan of energy, or its return, is ordered for that purpose and for no other');
  if (order.delegates !== undefined && !family.delegates)
    throw new SigningRefused('nothing can be lent on the chain');
  if (purpose === 'payout') return;
  if (purpose !== 'sweep' && asset.type !== 'native')
    throw new SigningRefused(`a ${purpose} is of the chain's own coin`);
  const serves = purpose === 'topup' || !movesMoney(order);
  for (const payment of order.payments) {
    const to = family.normalize(payment.to);
    if (!serves && to !== (await addressOf({ role: 'hot' })))
      throw new SigningRefused(`a ${purpose} goes to our own hot wallet only`);
    const { toKey } = payment;
    if (serves && (toKey?.role !== 'deposit' || to !== (await addressOf(toKey))))
      throw new SigningRefused(`a ${purpose} is for one of our own deposit addresses only`);
  }
}

/** It pays something, and nothing twice: the records of a transfer fit however often the order names it. */
export function checkPayments({ payments }: SigningOrder): void {
  if (payments.length === 0) throw new SigningRefused('the order pays nothing');
  const transfers = new Set(payments.map(({ transferId }) => transferId));
  const references = new Set(payments.map(({ referenceId }) => referenceId));
  if (transfers.size < payments.length || references.size < payments.length)
    throw new SigningRefused('the order pays one transfer or payout twice');
}

/** Purpose, amount and fee under the operator's policy. A transaction that voids moves nothing, so no amount limits it. */
export function checkPolicy(
  order: SigningOrder,
  policy: SigningPolicy,
  fee: { asset: Asset; native: Asset; maxFeeUnits: bigint },
): void {
  if (!policy.purposes.has(order.purpose))
    throw passing(`the policy lets nothing be signed for the purpose ${order.purpose}`, onlyTransfer(order));
  const ceiling = policy.maxFeeUnits.get(order.chain);
  if (ceiling !== undefined && fee.maxFeeUnits > ceiling) {
    const shown = formatUnits(ceiling, fee.native.decimals);
    const message = `the fee may be more than the ${shown} ${fee.native.symbol} that the policy allows`;
    throw passing(message, onlyTransfer(order), 'fee');
  }
  const most = policy.limits.get(order.asset)?.perTransactionUnits ?? null;
  if (!leavesHotWallet(order) || most === null) return;
  for (const { transferId, units } of order.payments) {
    if (units <= most) continue;
    const shown = formatUnits(most, fee.asset.decimals);
    const message = `the amount is over the policy's ${shown} ${fee.asset.symbol} per transaction`;
    throw passing(message, transferId);
  }
}

/** The last defence against paying twice, and the limit of a day. Called under the log's lock. */
export function checkHistory(
  entry: SignedEntry,
  asset: Asset,
  policy: SigningPolicy,
  history: SigningHistory,
): void {
  for (const { transferId, referenceId } of history.paidElsewhere(entry)) {
    if (policy.resign.has(referenceId)) continue;
    const message = 'the payout was signed under another nonce, and the policy does not list it';
    throw passing(message, transferId);
  }
  if (history.isOfAnother(entry)) {
    const message = `nonce ${entry.nonce} of the wallet was signed for another transfer`;
    throw new SigningRefused(message, { unusedFrom: history.unusedFrom(entry) });
  }
  const rival = history.rivalUntil(entry);
  if (rival !== null)
    throw passing(`what was signed before under the nonce may be mined until ${rival.toISOString()}`);
  const most = policy.limits.get(entry.asset)?.perDayUnits ?? null;
  if (most === null || !history.spendsMore(entry)) return;
  let spent = history.spentUnits(entry.asset, entry.at);
  for (const { transferId, units } of entry.payments) {
    spent += units;
    if (spent <= most) continue;
    const shown = formatUnits(most, asset.decimals);
    const message = `the amount is over what is left of the policy's ${shown} ${asset.symbol} per 24 hours`;
    // The payments before it may be signed without it.
    throw passing(message, transferId);
  }
}

/** A payment's transfer is stored as the order says, and so is the payout that it pays. */
export function checkRecords(
  order: SigningOrder,
  payment: SigningPayment,
  records: OrderRecords,
  family: FamilySigning,
): void {
  const { transfer, payout, stopped } = records;
  const { transferId } = payment;
  const refused = (message: string): SigningRefused => new SigningRefused(message, { transferId });
  if (stopped) throw passing('signing is stopped');
  if (transfer === null) throw refused('there is no such transfer');
  const same =
    transfer.chain === order.chain &&
    transfer.nonce === order.nonce &&
    transfer.purpose === order.purpose &&
    transfer.referenceId === payment.referenceId &&
    transfer.asset === order.asset &&
    transfer.units === payment.units &&
    isSameAddress(family, transfer.wallet, order.wallet) &&
    isSameAddress(family, transfer.to, payment.to);
  if (!same) throw refused('the stored transfer is another one than the order says');
  if (transfer.status !== 'allocated' && transfer.status !== 'signed')
    throw refused(`the transfer is ${transfer.status}`);
  if (transfer.voided !== order.voids)
    throw passing(transfer.voided ? 'the transfer was made void' : 'the transfer was not made void');
  // What moves nothing may follow a payout that failed or was cancelled.
  if (order.purpose !== 'payout' || order.voids) return;
  if (payout === null || payout.sandbox) throw refused('there is no such live payout');
  if (payout.status !== 'pending' && payout.status !== 'processing')
    throw refused(`the payout is ${payout.status}`);
  if (payout.held !== null) throw passing('the payout is held');
  const paysIt =
    payout.asset === order.asset &&
    payout.sentUnits === payment.units &&
    isSameAddress(family, payout.address, payment.to);
  if (!paysIt) throw refused('the payout has another recipient, asset or amount than the order');
}

function isSameAddress(family: FamilySigning, one: string, other: string): boolean {
  const normalized = family.normalize(one);
  return normalized !== null && normalized === family.normalize(other);
}
