/**
 * Whether payouts may leave now, decided under their locks, and why not, for the operator; and the
 * batches of those that leave together.
 */
import { availableMicroUsd, type BalanceSummary } from '../../domain/ledger.ts';
import { type Merchant, payoutBar } from '../../domain/merchants/merchant.ts';
import { limitExceeded, type PayoutLimits } from '../../domain/payouts/payout-limits.ts';
import { isOperatorsRefund, type Payout } from '../../domain/payouts/payout-record.ts';
import { isAlreadyRecorded, isRetryDue, type Waiting } from '../../domain/payouts/waiting-reasons.ts';
import { allocatedTransfer, type OutgoingTransfer } from '../../domain/sending/outgoing.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { NonceFrom } from '../../ports/sending/outgoing-repository.ts';
import { type DayTotals, dayTotals } from '../payouts/day-total.ts';
import { heldBack, writing } from '../shared/held-back.ts';
import { hotWalletOf, type SendingChain, type SendingNeeds } from './sending-chain.ts';

const SWITCHED_OFF = { code: 'asset', reason: 'asset: it is switched off' } as const;

/** Locked payouts, and what decides whether they may be dispatched. */
export interface PayoutsToDispatch {
  readonly locked: ReadonlyMap<string, Payout>;
  /** The ids of those that have a transfer. */
  readonly active: ReadonlySet<string>;
  /** Balances, which are locked, and merchants, by merchant id. */
  readonly balances: ReadonlyMap<string, BalanceSummary>;
  readonly merchants: ReadonlyMap<string, Merchant>;
  readonly stopped: boolean;
  /** Null where no day has a limit. */
  readonly day: DayTotals | null;
}

/**
 * Locks are taken in the order of ids, as everywhere, and of balances after payouts. The balances
 * are locked, so that two payouts of a merchant cannot exceed the limit of a day together.
 */
export async function lockToDispatch(
  { clock }: Pick<SendingNeeds, 'clock'>,
  { payouts, ledger, outgoing, merchants }: Repositories,
  { dayMicroUsd }: Pick<PayoutLimits, 'dayMicroUsd'>,
  ids: readonly string[],
): Promise<PayoutsToDispatch> {
  const locked = await payouts.lockAll(ids);
  const merchantIds = [...new Set(locked.map(({ merchantId }) => merchantId))];
  const balances = await ledger.lockBalances(merchantIds, false);
  return {
    locked: new Map(locked.map((payout) => [payout.id, payout])),
    balances,
    stopped: (await outgoing.signingStopped()) !== null,
    active: await outgoing.activeAmong('payout', ids),
    merchants: await merchants.findAll(merchantIds),
    day: dayMicroUsd === null ? null : await dayTotals({ payouts }, locked, clock.now()),
  };
}

/**
 * Whether a locked payout may be dispatched. If not, it records why it waits, or holds it.
 *
 * Decided again under the lock: since the list was read the payout may have been held, cancelled or
 * taken by another worker, or signing stopped.
 */
async function mayDispatchOrRecord(
  deps: SendingNeeds,
  repositories: Repositories,
  payout: Payout,
  limits: PayoutLimits,
  {
    among,
    alongside,
  }: {
    readonly among: PayoutsToDispatch;
    /** Payouts that may be dispatched in the same batch. */
    readonly alongside: readonly Payout[];
  },
): Promise<boolean> {
  if (payout.status !== 'pending' || payout.held !== null) return false;
  if (among.stopped || among.active.has(payout.id)) return false;
  const balance = among.balances.get(payout.merchantId);
  if (balance === undefined) throw new Error(`the balance of payout ${payout.id} is gone`);
  const asset = deps.catalog.require(payout.asset);
  const missing =
    barOf(among, payout) ??
    (asset.enabled ? await whatIsMissing(repositories, payout, availableMicroUsd(balance)) : SWITCHED_OFF);
  if (missing !== null) {
    await recordWaitingReason(deps, repositories, payout, missing);
    return false;
  }
  const held = limitExceeded(payout, asset, limits, among.day?.with(payout, alongside) ?? 0n);
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
function barOf({ merchants }: PayoutsToDispatch, payout: Payout): Omit<Waiting, 'at'> | null {
  const { merchantId, merchantWaived } = payout;
  if (isOperatorsRefund(payout) || merchantWaived) return null;
  const merchant = merchants.get(merchantId);
  const why = merchant === undefined ? 'the merchant is gone' : payoutBar(merchant);
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

/** The payouts of a group that may leave together, in the order of the group. */
export async function readyPayouts(
  deps: SendingNeeds,
  repositories: Repositories,
  limits: PayoutLimits,
  { among, group }: { readonly among: PayoutsToDispatch; readonly group: readonly Pick<Payout, 'id'>[] },
): Promise<Payout[]> {
  const ids = group.map(({ id }) => id);
  const ready: Payout[] = [];
  for (const id of ids.toSorted()) {
    const payout = among.locked.get(id);
    if (payout === undefined) continue;
    if (await mayDispatchOrRecord(deps, repositories, payout, limits, { among, alongside: ready }))
      ready.push(payout);
  }
  return ready.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}

/** Marks payouts that were found ready as dispatched. */
export async function dispatchAll(
  { clock }: Pick<SendingNeeds, 'clock'>,
  { payouts }: Repositories,
  ready: readonly Payout[],
): Promise<void> {
  for (const payout of ready) await payouts.save({ ...payout, waiting: null, dispatchedAt: clock.now() });
}

/** Payouts that leave in one transaction. */
export type PayoutBatch = readonly [Payout, ...Payout[]];

/**
 * Takes nonces of the hot wallet for dispatched payouts, and stores their transfers as batches, in
 * their order. Returns the ids of the batches. In the caller's transaction, which has payouts and
 * wallet locked.
 */
export async function insertBatches(
  { clock, ids }: Pick<SendingNeeds, 'clock' | 'ids'>,
  { outgoing }: Repositories,
  on: SendingChain,
  batches: readonly PayoutBatch[],
  from: NonceFrom,
): Promise<readonly string[]> {
  const { chain } = on;
  const wallet = hotWalletOf(on);
  const nonces = await outgoing.takeNonces({ chain, address: wallet, ...from }, batches.length);
  const transfers: OutgoingTransfer[] = [];
  const batchIds: string[] = [];
  for (const [nth, nonce] of nonces.entries()) {
    const transferBatchId = ids.id();
    batchIds.push(transferBatchId);
    for (const [position, payout] of (batches[nth] ?? []).entries()) {
      const id = position === 0 ? transferBatchId : ids.id();
      const { id: referenceId, asset, address: to, sentUnits: units } = payout;
      const place = { id, chain, wallet, nonce, transferBatchId, position };
      const payment = { purpose: 'payout', referenceId, asset, to, units } as const;
      transfers.push(allocatedTransfer({ ...place, ...payment, createdAt: clock.now() }));
    }
  }
  await outgoing.insertAll(transfers);
  return batchIds;
}

/**
 * Repositories that hold back what is saved of payouts, and write it with one statement before
 * anything else is asked of the repository of payouts. `flush` writes the rest.
 */
export function holdBackPayouts(
  repositories: Repositories,
  { day }: Pick<PayoutsToDispatch, 'day'>,
): {
  readonly holding: Repositories;
  flush(): Promise<void>;
} {
  const held = heldBack<Payout>();
  const flush = () => repositories.payouts.saveAll(held.take());
  const payouts = {
    ...writing(repositories.payouts, flush),
    save: async (payout: Payout) => {
      held.save(payout);
      day?.note(payout);
    },
  };
  return { holding: { ...repositories, payouts }, flush };
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
