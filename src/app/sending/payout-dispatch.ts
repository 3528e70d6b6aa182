/**
 * Whether a payout may leave now, decided under its lock, and why not, for the operator; and the
 * batch of those that leave together.
 */
import { availableMicroUsd } from '../../domain/ledger.ts';
import { payoutBar } from '../../domain/merchants/merchant.ts';
import { limitExceeded, type PayoutLimits } from '../../domain/payouts/payout-limits.ts';
import { isOperatorsRefund, type Payout } from '../../domain/payouts/payout-record.ts';
import { isAlreadyRecorded, isRetryDue, type Waiting } from '../../domain/payouts/waiting-reasons.ts';
import { allocatedTransfer } from '../../domain/sending/outgoing.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { NonceFrom } from '../../ports/sending/outgoing-repository.ts';
import { hotWalletOf, type SendingChain, type SendingNeeds } from './sending-chain.ts';

const DAY_MS = 86_400_000;
const SWITCHED_OFF = { code: 'asset', reason: 'asset: it is switched off' } as const;

/**
 * Whether a locked payout may be dispatched. If not, it records why it waits, or holds it.
 *
 * Decided again under the lock: since the list was read the payout may have been held, cancelled or
 * taken by another worker, or signing stopped. The balance is locked, so that two payouts of a
 * merchant cannot exceed the limit of a day together.
 */
async function mayDispatchOrRecord(
  deps: SendingNeeds,
  repositories: Repositories,
  payout: Payout,
  limits: PayoutLimits,
  /** Payouts that may be dispatched in the same transaction. */
  alongside: readonly Payout[],
): Promise<boolean> {
  if (payout.status !== 'pending' || payout.held !== null) return false;
  if (await repositories.outgoing.signingStopped()) return false;
  if (await repositories.outgoing.activeOf('payout', payout.id)) return false;
  const balance = await repositories.ledger.lockBalance(payout.merchantId, payout.sandbox);
  const asset = deps.catalog.require(payout.asset);
  const missing =
    (await barOf(repositories, payout)) ??
    (asset.enabled ? await whatIsMissing(repositories, payout, availableMicroUsd(balance)) : SWITCHED_OFF);
  if (missing !== null) {
    await recordWaitingReason(deps, repositories, payout, missing);
    return false;
  }
  const held = limitExceeded(
    payout,
    asset,
    limits,
    limits.dayMicroUsd === null ? 0n : await dayMicroUsd(deps, repositories, payout, alongside),
  );
  if (held === null) return true;
  await repositories.payouts.save({ ...payout, held, waiting: null });
  deps.logger.warn('payout.held', {
    payoutId: payout.id,
    heldCode: held.code,
    held: held.text,
  });
  return false;
}

/**
 * A refund is the customer's money, and an operator ordered it: it goes whatever became of its
 * merchant (safety.md G7).
 */
async function barOf({ merchants }: Repositories, payout: Payout): Promise<Omit<Waiting, 'at'> | null> {
  const { merchantId, merchantWaived } = payout;
  if (isOperatorsRefund(payout) || merchantWaived) return null;
  const merchant = await merchants.find(merchantId);
  const why = merchant === null ? 'the merchant is gone' : payoutBar(merchant);
  return why === null ? null : barred(why);
}

export const barred = (why: string): Omit<Waiting, 'at'> => ({
  code: 'merchant',
  reason: `merchant: ${why}`,
});

/**
 * A merchant who owes is not paid out, nor is what the merchant offered (safety.md U7). An
 * operator's refund may take the balance below zero. What a refund gives back must still be there,
 * and not be given back already.
 */
async function whatIsMissing(
  repositories: Repositories,
  payout: Payout,
  availableMicroUsd: bigint,
): Promise<Omit<Waiting, 'at'> | null> {
  if (availableMicroUsd < 0n && !isOperatorsRefund(payout))
    return { code: 'negative_balance', reason: "negative balance: the merchant's balance is below zero" };
  if (payout.kind === 'payout') return null;
  const { creditedUnits, refunds } = await whatItGivesBack(repositories, payout);
  const others = refunds.filter(({ id }) => id !== payout.id);
  const left = others.reduce((units, { amountUnits }) => units - amountUnits, creditedUnits);
  return left >= payout.amountUnits
    ? null
    : {
        code: 'payment_gone',
        reason: 'payment gone: what it gives back is not on the chain any more, or was given back',
      };
}

/** What the refund's invoice or unmatched deposit was credited, and all of its refunds. */
async function whatItGivesBack(
  { invoices, payouts, refundClaims }: Repositories,
  { invoiceId, refundClaimId }: Payout,
): Promise<{ readonly creditedUnits: bigint; readonly refunds: readonly Payout[] }> {
  if (invoiceId !== null) {
    const invoice = await invoices.find(invoiceId);
    const creditedUnits = invoice?.funds.creditedUnits ?? 0n;
    return { creditedUnits, refunds: await payouts.standingRefunds(invoiceId) };
  }
  const claim = refundClaimId === null ? null : await refundClaims.find(refundClaimId);
  if (claim === null || claim.depositId === null) return { creditedUnits: 0n, refunds: [] };
  const creditedUnits = await refundClaims.creditedUnits(claim.id);
  return { creditedUnits, refunds: await payouts.standingRefundsOfDeposit(claim.depositId) };
}

/**
 * The payouts of a group that may leave, locked, in the order of the group. Locks are taken in the
 * order of ids, as everywhere, and of balances after payouts.
 */
export async function readyPayouts(
  deps: SendingNeeds,
  repositories: Repositories,
  limits: PayoutLimits,
  group: readonly Pick<Payout, 'id'>[],
): Promise<Payout[]> {
  const ids = group.map(({ id }) => id);
  const locked: Payout[] = [];
  for (const id of ids.toSorted()) {
    const payout = await repositories.payouts.lock(id);
    if (payout) locked.push(payout);
  }
  for (const merchantId of [...new Set(locked.map((payout) => payout.merchantId))].toSorted())
    await repositories.ledger.lockBalance(merchantId, false);
  const ready: Payout[] = [];
  for (const payout of locked)
    if (await mayDispatchOrRecord(deps, repositories, payout, limits, ready)) ready.push(payout);
  return ready.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}

/**
 * Takes a nonce of the hot wallet for payouts that were found ready, stores their transfers as one
 * batch, in their order, and marks them as dispatched. Returns the id of the batch. In the caller's
 * transaction, which has payouts and wallet locked.
 */
export async function insertBatch(
  { clock, ids }: Pick<SendingNeeds, 'clock' | 'ids'>,
  { outgoing, payouts }: Repositories,
  on: SendingChain,
  ready: readonly [Payout, ...Payout[]],
  from: NonceFrom,
): Promise<string> {
  const { chain } = on;
  const wallet = hotWalletOf(on);
  const nonce = await outgoing.takeNonce({ chain, address: wallet, ...from });
  const transferBatchId = ids.id();
  for (const [position, payout] of ready.entries()) {
    const id = position === 0 ? transferBatchId : ids.id();
    const { id: referenceId, asset, address: to, sentUnits: units } = payout;
    const place = { id, chain, wallet, nonce, transferBatchId, position };
    const payment = { purpose: 'payout', referenceId, asset, to, units } as const;
    await outgoing.insert(allocatedTransfer({ ...place, ...payment, createdAt: clock.now() }));
    await payouts.save({ ...payout, waiting: null, dispatchedAt: clock.now() });
  }
  return transferBatchId;
}

/**
 * What leaves within 24 hours if this payout goes now, in micro-USD. Payouts count by when they
 * were dispatched, not by when they were made.
 */
async function dayMicroUsd(
  deps: SendingNeeds,
  repositories: Repositories,
  payout: Payout,
  alongside: readonly Payout[],
): Promise<bigint> {
  const since = new Date(deps.clock.now().getTime() - DAY_MS);
  return alongside
    .filter(({ merchantId }) => merchantId === payout.merchantId)
    .reduce(
      (sum, other) => sum + other.amountMicroUsd,
      payout.amountMicroUsd + (await repositories.payouts.dispatchedMicroUsd(payout, since)),
    );
}

/**
 * Records why a locked payout waits; the same reason again only once its turn is over (isRetryDue).
 */
export async function recordWaitingReason(
  { clock, logger }: Pick<SendingNeeds, 'clock' | 'logger'>,
  repositories: Repositories,
  payout: Payout,
  why: Omit<Waiting, 'at'>,
): Promise<void> {
  const at = clock.now();
  if (isAlreadyRecorded(payout.waiting, why) && !isRetryDue(payout.waiting, at)) return;
  if (why.code === 'merchant' && payout.waiting?.code !== 'merchant')
    logger.warn('payout.merchant_barred', {
      payoutId: payout.id,
      merchantId: payout.merchantId,
      reason: why.reason,
    });
  await repositories.payouts.save({ ...payout, waiting: { ...why, at }, dispatchedAt: null });
}
