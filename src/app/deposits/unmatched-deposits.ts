/**
 * An operator's decisions about waiting money: crediting a stray deposit, releasing or rejecting a
 * held one.
 */
import { decidedRequest } from '../../domain/deposits/credit-request.ts';
import type { Deposit } from '../../domain/deposits/deposit.ts';
import { type AppError, appError } from '../../domain/errors.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import { creditedOf } from '../../domain/money/fee.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import { applyEvents } from '../invoices/invoice-events.ts';
import { runResult } from '../shared/transaction-result.ts';
import { type LifecycleNeeds, lockWithInvoice } from './deposit-lifecycle.ts';
import { compensate, creditPrice, postCredit, postIncome } from './deposit-postings.ts';

type UnmatchedDepositNeeds = LifecycleNeeds & Pick<AppDependencies, 'unitOfWork'>;

/** The request that an operator grants by it, and the answer to the merchant. */
export interface GrantedRequest {
  readonly requestId: string;
  readonly by: string;
  readonly answer: string | null;
}

/**
 * Credits a stray deposit to the merchant of its address, less the merchant's commission. An
 * invoice that ended without it, since it was small, then includes it. The merchant's open request
 * for it is granted; with `granted` it must be that one.
 */
export function creditStray(
  deps: UnmatchedDepositNeeds,
): (depositId: string, granted?: GrantedRequest) => Promise<Result<Deposit, AppError>> {
  return (depositId, granted) =>
    decided(deps, { depositId, status: 'stray' }, async (repositories, { deposit, invoice }) => {
      const request = await repositories.creditRequests.lockOpen(deposit.id);
      if (granted !== undefined && request?.id !== granted.requestId)
        return err(appError('INVALID_TRANSITION', 'The request was decided already.'));
      const credited = await creditAtMerchantsTerms(deps, repositories, deposit);
      if (credited.ok && invoice !== null) {
        await applyEvents(deps, repositories, invoice, [
          { type: 'payment_credited', units: deposit.units, at: deps.clock.now() },
        ]);
      }
      const { by = null, answer = null } = granted ?? {};
      const answered =
        request && decidedRequest(request, { status: 'granted', by, answer, at: deps.clock.now() });
      if (credited.ok && answered !== null) await repositories.creditRequests.save(answered);
      return credited;
    });
}

async function creditAtMerchantsTerms(
  deps: UnmatchedDepositNeeds,
  repositories: Repositories,
  deposit: Deposit,
): Promise<Result<Deposit, AppError>> {
  const merchant = await repositories.merchants.find(deposit.merchantId);
  const asset = deps.catalog.require(deposit.asset);
  if (!deps.catalog.isListed(asset.key)) return err(unlisted(asset.key));
  const price = creditPrice(deps, asset, deposit.sandbox);
  if (!merchant) throw new Error('a deposit without its merchant');
  if (price === null)
    return err(
      appError('RATES_UNAVAILABLE', `No fresh exchange rate of ${asset.key} is known: try again shortly.`),
    );
  const creditedUnits = creditedOf(deposit.units, {
    bearer: 'merchant',
    commissionPpm: merchant.commissionPpm,
    baseUnits: 1n,
    dueUnits: 1n,
  });
  const credited: Deposit = { ...deposit, status: 'credited' };
  await repositories.deposits.save(credited);
  await postCredit(deps, repositories, deposit, { creditedUnits, priceE18: price, currency: 'USD' });
  return ok(credited);
}

function unlisted(key: string): AppError {
  return appError(
    'INVALID_TRANSITION',
    `${key} is not listed, so it cannot be credited. List it in CONFIG_FILE (docs/operations/tokens.md), then repeat this.`,
  );
}

/**
 * The operator accepts a held payment: it is credited, and its invoice gets the matching state,
 * with a webhook.
 */
export function releaseHeld(
  deps: UnmatchedDepositNeeds,
): (depositId: string) => Promise<Result<Deposit, AppError>> {
  return (depositId) =>
    decided(deps, { depositId, status: 'held' }, async (repositories, { deposit, invoice }) => {
      if (invoice === null) throw new Error('a held deposit without its invoice');
      const price = creditPrice(deps, deps.catalog.require(deposit.asset), deposit.sandbox);
      if (price === null)
        return err(
          appError(
            'RATES_UNAVAILABLE',
            `No fresh exchange rate of ${deposit.asset} is known: try again shortly.`,
          ),
        );
      await repositories.deposits.save({ ...deposit, status: 'credited' });
      await compensate(deps, repositories, deposit, ['hold']);
      await postIncome(deps, repositories, {
        deposit,
        invoice,
        grossBefore: invoice.funds.creditedUnits,
        priceE18: price,
      });
      await applyEvents(deps, repositories, invoice, [
        { type: 'hold_released', units: deposit.units, at: deps.clock.now() },
      ]);
      return ok({ ...deposit, status: 'credited' });
    });
}

/**
 * The operator rejects a held payment: the money stays on the held account and the invoice stays
 * high_risk.
 */
export function rejectHeld(
  deps: UnmatchedDepositNeeds,
): (depositId: string, reason: string) => Promise<Result<Deposit, AppError>> {
  return (depositId, reason) =>
    decided(deps, { depositId, status: 'held' }, async (repositories, { deposit }) => {
      const rejected: Deposit = { ...deposit, status: 'rejected', note: reason };
      await repositories.deposits.save(rejected);
      return ok(rejected);
    });
}

/** Runs `work` on a deposit of the needed status, with its invoice locked first as everywhere. */
async function decided(
  deps: UnmatchedDepositNeeds,
  wanted: { depositId: string; status: Deposit['status'] },
  work: (
    repositories: Repositories,
    locked: { deposit: Deposit; invoice: Invoice | null },
  ) => Promise<Result<Deposit, AppError>>,
): Promise<Result<Deposit, AppError>> {
  const { depositId, status } = wanted;
  // In a transaction of its own: no lock on the deposit may be held while waiting for its invoice.
  const known = await deps.unitOfWork.run((repositories) => repositories.deposits.lock(depositId));
  if (!known) return err(appError('NOT_FOUND', `No such deposit: ${depositId}`));
  return runResult(deps.unitOfWork, async (repositories) => {
    const locked = await lockWithInvoice(repositories, known);
    if (locked?.deposit.status !== status) {
      const found = locked?.deposit.status ?? 'gone';
      return err(appError('INVALID_TRANSITION', `The deposit is ${found}, not ${status}.`));
    }
    return work(repositories, locked);
  });
}
