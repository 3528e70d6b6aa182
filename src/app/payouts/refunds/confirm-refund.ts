/**
 * The customer says where a refund goes. It may be changed until something is signed. What arrives
 * is never less than what the customer was shown.
 */
import type { Asset } from '../../../domain/catalog/asset.ts';
import type { AppError } from '../../../domain/errors.ts';
import { availableMicroUsd } from '../../../domain/ledger.ts';
import { payoutBar } from '../../../domain/merchants/merchant.ts';
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import { decideClaim, isClaimable, type RefundClaim } from '../../../domain/payouts/refund-claim.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { ClaimWithPayout } from '../../../ports/payouts/refund-claim-repository.ts';
import type { FeeQuote } from '../../../ports/rates/fee-quoter.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { applyEvents, type EventNeeds } from '../../invoices/invoice-events.ts';
import { payoutChange } from '../apply-payout-event.ts';
import { destinationOf, refusedDestination } from '../payout-destination.ts';
import { tooLittleToSend } from '../payout-terms.ts';
import { tellClaim } from './claim-events.ts';
import type { ClaimRefusal, RefundQuote } from './refund-order.ts';
import {
  addRefund,
  type QuoteNeeds,
  type RefundCost,
  refundCost,
  refundFee,
  refundPayout,
} from './refund-payout.ts';
import type { TermsNeeds } from './refund-terms.ts';
import { type Credit, partOf, refundableDeposit, refundableInvoice } from './refundable.ts';

export type ClaimNeeds = EventNeeds & TermsNeeds & QuoteNeeds & Pick<AppDependencies, 'unitOfWork'>;

/** Payouts of one claim: bounds what a customer's changes of mind can write. */
const PAYOUTS_PER_CLAIM = 10;

/** What would arrive at the address. Writes nothing. */
export function quoteRefund(
  deps: ClaimNeeds,
): (claimId: string, address: string) => Promise<Result<RefundQuote, ClaimRefusal>> {
  return async (claimId, address) => {
    const quoted = await quotedFor(deps, claimId, address);
    if (!quoted.ok) return quoted;
    const { asset, part, cost, to } = quoted.value;
    return ok({ asset, address: to, units: part.units, sentUnits: cost.sentUnits });
  };
}

/**
 * Makes the payout, unless less than `seenUnits` would arrive. A payout to an earlier address is
 * cancelled in the same transaction.
 */
export function confirmRefund(
  deps: ClaimNeeds,
): (
  claimId: string,
  customer: { readonly address: string; readonly seenUnits: bigint },
) => Promise<Result<ClaimWithPayout, ClaimRefusal>> {
  return async (claimId, { address, seenUnits }) => {
    const quoted = await quotedFor(deps, claimId, address);
    if (!quoted.ok) return quoted;
    const { to, quote } = quoted.value;
    return deps.unitOfWork.run(async (repositories) => {
      const found = await subjectOf(deps, repositories, claimId);
      if (!found.ok) return found;
      const { claim, asset, part, replaced } = found.value;
      if (part.units !== quoted.value.part.units || replaced?.id !== quoted.value.replaced?.id)
        return err({ why: 'changed' });
      const { merchantId, sandbox } = claim;
      const balance = await repositories.ledger.lockBalance(merchantId, sandbox);
      const available = availableMicroUsd(balance) + (replaced?.reservedMicroUsd ?? 0n);
      const cost = refundCost(part, claim, { quote, availableMicroUsd: available });
      const refusal = refusedCost(asset, cost, { seenUnits, availableMicroUsd: available });
      if (refusal) return err(refusal);
      const at = deps.clock.now();
      const payout = refundPayout(deps, {
        ...{ merchantId, sandbox, refundClaimId: claimId, orderedBy: claim.orderedBy, asset: asset.key },
        invoiceId: claim.subject === 'deposit' ? null : claim.invoiceId,
        ...{ address: to, feeBearer: claim.feeBearer, part, cost },
      });
      const next = decideClaim(claim, { type: 'confirmed', payoutId: payout.id, address: to, at });
      if (next === null) return err({ why: 'over' });
      if (replaced === null) await markRefunded(deps, repositories, claim, at);
      else await cancel(deps, repositories, replaced, at);
      await addRefund(deps, repositories, payout);
      await repositories.refundClaims.save(next);
      await tellClaim(deps, repositories, next, payout);
      return ok({ claim: next, payout });
    });
  };
}

interface Subject {
  readonly claim: RefundClaim;
  readonly asset: Asset;
  readonly part: Credit;
  /** The payout to the customer's earlier address, locked. */
  readonly replaced: Payout | null;
}

/** Locks the claim, its payout if it has one, and else its invoice or deposit. */
async function subjectOf(
  deps: ClaimNeeds,
  repositories: Repositories,
  claimId: string,
): Promise<Result<Subject, ClaimRefusal>> {
  const known = await repositories.refundClaims.find(claimId);
  if (known === null) return err({ why: 'over' });
  const replaced = known.payoutId === null ? null : await repositories.payouts.lock(known.payoutId);
  const claim = await repositories.refundClaims.lock(claimId);
  if (claim === null) return err({ why: 'over' });
  if (claim.payoutId !== (replaced?.id ?? null)) return err({ why: 'sent' });
  if (await isBarred(repositories, claim)) return err({ why: 'later' });
  if ((await repositories.refundClaims.payouts(claimId)) >= PAYOUTS_PER_CLAIM) return err({ why: 'later' });
  if (replaced !== null) {
    if (!(await isReplaceable(repositories, replaced))) return err({ why: 'sent' });
    const part = { units: replaced.amountUnits, microUsd: replaced.amountMicroUsd };
    return ok({ claim, asset: deps.catalog.require(claim.asset), part, replaced });
  }
  if (!isClaimable(claim, deps.clock.now())) return err({ why: 'over' });
  const found = await leftOf(deps, repositories, claim);
  if (!found.ok || found.value.mostUnits < claim.units) return err({ why: 'over' });
  const part = partOf(found.value, claim.units);
  return part.ok ? ok({ claim, asset: found.value.asset, part: part.value, replaced }) : err({ why: 'over' });
}

async function leftOf(deps: ClaimNeeds, repositories: Repositories, claim: RefundClaim) {
  const { subject, depositId, invoiceId } = claim;
  if (subject === 'deposit') {
    const found = await refundableDeposit(deps, repositories, depositId ?? '');
    return found.ok ? ok({ ...found.value, mostUnits: found.value.left.units }) : found;
  }
  const found = await refundableInvoice(deps, repositories, invoiceId ?? '');
  if (!found.ok) return found;
  const { left, surplusUnits } = found.value;
  return ok({ ...found.value, mostUnits: subject === 'surplus' ? surplusUnits : left.units });
}

/** What the merchant offered is bound to what binds the merchant's payouts (safety.md G7). */
async function isBarred({ merchants }: Repositories, claim: RefundClaim): Promise<boolean> {
  if (claim.orderedBy !== null || claim.sandbox) return false;
  const merchant = await merchants.find(claim.merchantId);
  return merchant === null || payoutBar(merchant) !== null;
}

/**
 * Nothing was signed for it, it has no nonce yet, and no operator held it. A limit's hold is kept
 * by the next one.
 */
async function isReplaceable({ outgoing }: Repositories, payout: Payout): Promise<boolean> {
  const { status, held, id } = payout;
  if (status !== 'pending' || (held !== null && held.code !== 'limit' && held.code !== 'fee')) return false;
  return (await outgoing.activeOf('payout', id)) === null;
}

async function quotedFor(
  deps: ClaimNeeds,
  claimId: string,
  address: string,
): Promise<Result<Subject & { to: string; quote: FeeQuote; cost: RefundCost }, ClaimRefusal>> {
  const found = await deps.unitOfWork.run(
    async (repositories): Promise<Result<Subject & { to: string }, ClaimRefusal>> => {
      const subject = await subjectOf(deps, repositories, claimId);
      if (!subject.ok) return subject;
      const { claim, asset } = subject.value;
      const to = await recipientOf(deps, repositories, claim, asset, address);
      return to.ok ? ok({ ...subject.value, to: to.value }) : err({ why: 'address' });
    },
  );
  if (!found.ok) return found;
  const { claim, asset, part, to } = found.value;
  const quote = await refundFee(deps, claim, { asset, to, units: part.units });
  if (!quote.ok) return err({ why: quote.error.code === 'RATES_UNAVAILABLE' ? 'later' : 'address' });
  // What the merchant's balance can bear is decided when it is confirmed.
  const cost = refundCost(part, claim, { quote: quote.value, availableMicroUsd: 0n });
  const tooLittle = tooLittleToSend(asset, cost.sentUnits, cost.fee) !== null;
  return tooLittle ? err({ why: 'too_small' }) : ok({ ...found.value, quote: quote.value, cost });
}

/** The sandbox reveals no addresses of the gateway (safety.md W5). */
async function recipientOf(
  deps: ClaimNeeds,
  repositories: Repositories,
  { sandbox }: RefundClaim,
  asset: Asset,
  address: string,
): Promise<Result<string, AppError>> {
  const normalized = destinationOf(deps, asset, { address, sandbox });
  if (!normalized.ok || sandbox) return normalized;
  const refused = await refusedDestination(deps, repositories, asset, address);
  return refused ? err(refused) : normalized;
}

function refusedCost(
  asset: Asset,
  { sentUnits, fee, reservedMicroUsd }: RefundCost,
  limits: { readonly seenUnits: bigint; readonly availableMicroUsd: bigint },
): ClaimRefusal | null {
  if (tooLittleToSend(asset, sentUnits, fee) !== null) return { why: 'too_small' };
  if (sentUnits < limits.seenUnits) return { why: 'changed' };
  return limits.availableMicroUsd < reservedMicroUsd ? { why: 'later' } : null;
}

/** The invoice stays refunded, and the claim stays confirmed: only the payout ends. */
async function cancel(deps: ClaimNeeds, repositories: Repositories, payout: Payout, at: Date): Promise<void> {
  const change = payoutChange(deps, payout, { type: 'cancelled', at });
  if (change === null) throw new Error(`refund ${payout.id} is pending and could not be cancelled`);
  await repositories.payouts.save(change.after);
  for (const entry of change.entries) await repositories.ledger.post(entry);
}

async function markRefunded(
  deps: ClaimNeeds,
  repositories: Repositories,
  { subject, invoiceId }: RefundClaim,
  at: Date,
): Promise<void> {
  if (subject !== 'invoice') return;
  const invoice = invoiceId === null ? null : await repositories.invoices.lock(invoiceId);
  if (invoice === null) throw new Error(`invoice ${invoiceId} is gone`);
  await applyEvents(deps, repositories, invoice, [{ type: 'refunded', at }]);
}
