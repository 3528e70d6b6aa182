/**
 * What an order must fulfil besides what its payload says: the right key for its purpose, a
 * destination that our own keys derive, the operator's policy, what was signed before, and the
 * records in the database. Each rule throws SigningRefused where the order breaks it.
 */
import type { Asset } from '../../domain/catalog/asset.ts';
import { formatUnits } from '../../domain/money/decimal.ts';
import { delegationOf, leavesUs, movesMoney } from '../../domain/sending/outgoing-purpose.ts';
import { coldAddressOf, type SigningPolicy } from '../../domain/sending/signing-policy.ts';
import type { FamilySigning } from '../../ports/sending/family-signing.ts';
import {
  type SigningOrder,
  type SigningPayment,
  SigningRefused,
  type WalletKey,
} from '../../ports/sending/signer.ts';
import type { OrderRecords } from '../../ports/sending/signing-records.ts';
import type { SignedEntry } from './signing-entry.ts';
import { leavesHotWallet, type SigningHistory } from './signing-history.ts';

/** A refusal for the present: the same order may be signed later (SigningRefused.lasting). */
const passing = (
  message: string,
  transferId: string | null = null,
  because: SigningRefused['because'] = null,
): SigningRefused => new SigningRefused(message, { lasting: false, transferId, because });

/**
 * The transfer to blame for a fault of the whole order: its only one, or null where it has several.
 */
const onlyTransfer = ({ payments: [first, ...others] }: SigningOrder): string | null =>
  others.length === 0 ? (first?.transferId ?? null) : null;

/**
 * The order's key fits its purpose and is the wallet's key, and what goes to an address of ours
 * goes to one that our keys derive: no address is believed.
 */
export async function checkKeys(order: SigningOrder, asset: Asset, family: FamilySigning): Promise<void> {
  checkNonce(order);
  checkRole(order);
  await checkWallet(order, family);
  await checkFeePayer(order, family);
  checkDelegation(order, family);
  if (leavesUs(order)) return;
  checkCoin(order, asset);
  for (const payment of order.payments) await checkOwnRecipient(order, payment, family);
}

function checkNonce({ nonce }: SigningOrder): void {
  if (nonce < 0n || nonce > BigInt(Number.MAX_SAFE_INTEGER))
    throw new SigningRefused('the nonce is below zero or above 2^53 - 1');
}

function checkRole({ purpose, key, voids }: SigningOrder): void {
  if (key.role !== (purpose === 'sweep' ? 'deposit' : 'hot'))
    throw new SigningRefused('sweeps leave deposit addresses, and everything else leaves the hot wallet');
  if (purpose === 'gap' && !voids) throw new SigningRefused('a gap is filled by what moves nothing');
}

async function checkWallet({ key, wallet }: SigningOrder, family: FamilySigning): Promise<void> {
  if ((await derivedAddress(family, key)) !== family.normalize(wallet))
    throw new SigningRefused('the wallet is not the address of the key');
}

async function checkFeePayer({ purpose, feePayer }: SigningOrder, family: FamilySigning): Promise<void> {
  if (feePayer === null) return;
  const hot = await derivedAddress(family, { role: 'hot' });
  if (purpose !== 'sweep' || family.normalize(feePayer) !== hot)
    throw new SigningRefused('only the hot wallet pays fees for another, and only those of sweeps');
}

function checkDelegation({ purpose, delegates }: SigningOrder, family: FamilySigning): void {
  if (delegates !== delegationOf(purpose).delegates)
    throw new SigningRefused(
      'a delegation of energy, or its return, is ordered for that purpose and for no other',
    );
  if (delegates !== undefined && !family.delegates) throw new SigningRefused('the chain has no delegations');
}

/** Of what stays ours, only a sweep moves tokens. */
function checkCoin({ purpose }: SigningOrder, asset: Asset): void {
  if (purpose !== 'sweep' && asset.type !== 'native')
    throw new SigningRefused(`a ${purpose} is of the chain's own coin`);
}

/**
 * A top-up, a delegation of energy and its return are for a deposit address of ours; the rest goes
 * to our hot wallet.
 */
async function checkOwnRecipient(
  order: SigningOrder,
  { to, toKey }: SigningPayment,
  family: FamilySigning,
): Promise<void> {
  const { purpose } = order;
  const recipient = family.normalize(to);
  if (purpose === 'topup' || !movesMoney(order)) {
    if (toKey?.role !== 'deposit' || recipient !== (await derivedAddress(family, toKey)))
      throw new SigningRefused(`a ${purpose} is for one of our own deposit addresses only`);
  } else if (recipient !== (await derivedAddress(family, { role: 'hot' })))
    throw new SigningRefused(`a ${purpose} goes to our own hot wallet only`);
}

async function derivedAddress(family: FamilySigning, key: WalletKey): Promise<string> {
  try {
    return await family.addressOf(key);
  } catch (error) {
    if (error instanceof RangeError) throw new SigningRefused(error.message);
    throw error;
  }
}

/**
 * The order pays something, and nothing twice: the records of a transfer fit however often the
 * order names it.
 */
export function checkPayments({ payments }: SigningOrder): void {
  if (payments.length === 0) throw new SigningRefused('the order pays nothing');
  const transfers = new Set(payments.map(({ transferId }) => transferId));
  const references = new Set(payments.map(({ referenceId }) => referenceId));
  if (transfers.size < payments.length || references.size < payments.length)
    throw new SigningRefused('the order pays one transfer or payout twice');
}

/**
 * The operator's policy allows the purpose, the fee and each amount. A transaction that voids moves
 * nothing, so no amount limits it.
 */
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
  if (!leavesHotWallet(order) || order.purpose === 'forward' || most === null) return;
  for (const { transferId, units } of order.payments) {
    if (units <= most) continue;
    const shown = formatUnits(most, fee.asset.decimals);
    const message = `the amount is over the policy's ${shown} ${fee.asset.symbol} per transaction`;
    throw passing(message, transferId);
  }
}

/**
 * A forward goes to the cold address of the signer's own policy, and to nobody else, whatever
 * worker and database say (safety.md G11). What only uses its nonce up moves nothing, also after
 * the policy was changed.
 */
export function checkCold(order: SigningOrder, policy: SigningPolicy, family: FamilySigning): void {
  if (order.purpose !== 'forward' || order.voids) return;
  const cold = coldAddressOf(policy, order);
  if (cold === null) throw new SigningRefused(`the policy names no cold address of ${order.asset}`);
  for (const { to, toKey, transferId } of order.payments)
    if (toKey !== null || !isSameAddress(family, to, cold))
      throw new SigningRefused("a forward goes to the policy's cold address only", { transferId });
}

/**
 * Nothing is paid twice, and no more than the limit of a day: the last defence. To be called under
 * the log's lock.
 */
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
  const { asset: key } = entry;
  const most =
    (entry.purpose === 'forward' ? policy.forwardsPerDay.get(key) : policy.limits.get(key)?.perDayUnits) ??
    null;
  if (most === null || !history.spendsMore(entry)) return;
  let spent = history.spentUnits(entry, entry.at);
  for (const { transferId, units } of entry.payments) {
    spent += units;
    if (spent <= most) continue;
    const shown = formatUnits(most, asset.decimals);
    const message = `the amount is over what is left of the policy's ${shown} ${asset.symbol} per 24 hours`;
    // Blames this payment alone: those before it may be signed without it.
    throw passing(message, transferId);
  }
}

/** The stored transfer is what the order says, and so is the payout that it pays. */
export function checkRecords(
  order: SigningOrder,
  payment: SigningPayment,
  records: OrderRecords,
  family: FamilySigning,
): void {
  if (records.stopped) throw passing('signing is stopped');
  checkTransfer(order, payment, records.transfer, family);
  // What moves nothing may follow a payout that failed or was cancelled.
  if (order.purpose === 'payout' && !order.voids) checkPayout(order, payment, records.payout, family);
}

function checkTransfer(
  order: SigningOrder,
  payment: SigningPayment,
  transfer: OrderRecords['transfer'],
  family: FamilySigning,
): void {
  const { transferId } = payment;
  if (transfer === null) throw new SigningRefused('there is no such transfer', { transferId });
  const same =
    transfer.chain === order.chain &&
    transfer.nonce === order.nonce &&
    transfer.purpose === order.purpose &&
    transfer.referenceId === payment.referenceId &&
    transfer.asset === order.asset &&
    transfer.units === payment.units &&
    isSameAddress(family, transfer.wallet, order.wallet) &&
    isSameAddress(family, transfer.to, payment.to);
  if (!same)
    throw new SigningRefused('the stored transfer is another one than the order says', { transferId });
  if (transfer.status !== 'allocated' && transfer.status !== 'signed')
    throw new SigningRefused(`the transfer is ${transfer.status}`, { transferId });
  if (transfer.voided !== order.voids)
    throw passing(transfer.voided ? 'the transfer was made void' : 'the transfer was not made void');
}

function checkPayout(
  { asset }: SigningOrder,
  { transferId, units, to }: SigningPayment,
  payout: OrderRecords['payout'],
  family: FamilySigning,
): void {
  if (payout === null || payout.sandbox)
    throw new SigningRefused('there is no such live payout', { transferId });
  if (payout.status !== 'pending' && payout.status !== 'processing')
    throw new SigningRefused(`the payout is ${payout.status}`, { transferId });
  if (payout.held !== null) throw passing('the payout is held');
  const paysIt =
    payout.asset === asset && payout.sentUnits === units && isSameAddress(family, payout.address, to);
  if (!paysIt)
    throw new SigningRefused('the payout has another recipient, asset or amount than the order', {
      transferId,
    });
}

function isSameAddress(family: FamilySigning, one: string, other: string): boolean {
  const normalized = family.normalize(one);
  return normalized !== null && normalized === family.normalize(other);
}
