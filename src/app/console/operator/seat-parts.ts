/** What the use cases of the operators' console share. */
import type { AuditedAction } from '../../../domain/audit/audit-entry.ts';
import { type AppError, appError, ratesUnavailable } from '../../../domain/errors.ts';
import { fiatForUnits, priceE18 } from '../../../domain/rates/rate.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import { ChainUnavailable } from '../../../ports/chains/chain-scanner.ts';
import { type AuditOptions, runAudited } from '../../audit/audited.ts';
import { noteFault } from '../../audit/note-fault.ts';
import type { AppDependencies } from '../../dependencies.ts';
import type { TreasuryChain } from '../../sweeps/sweep-needs.ts';
import type { Decider } from '../approvals/decide.ts';
import type { Requester } from '../approvals/store-request.ts';
import type { DeskFault } from '../merchant-desk.ts';
import type { OperatorSeat } from '../operator-desk.ts';

/** What the desk needs of this process. */
export interface OperatorParts {
  readonly deps: AppDependencies;
  /** Chains with a sender here. */
  readonly treasury: ReadonlyMap<string, TreasuryChain>;
  /** Assets with a threshold in `treasury.forward`. */
  readonly forwarded: readonly string[];
  /** CONSOLE_APPROVAL_USD; null: off. */
  readonly approvalAboveMicroUsd: bigint | null;
  /** Of merchants that are made without one; null: the built-in one. */
  readonly commissionPpm: bigint | null;
  /** Calls that a node's plan allows in a day; null: no limit, or no configured node. */
  maxPerDayOf(chain: string, node: string): number | null;
}

export function requesterFrom({ actor, userId }: OperatorSeat): Requester {
  return { actor, userId, merchant: null };
}

export function deciderFrom({ actor, userId, role }: OperatorSeat): Decider {
  return { actor, userId, role, refundLimitMicroUsd: null, merchantId: null };
}

/** An action; what is left out is null. */
export type SeatAction = Pick<AuditedAction, 'action' | 'subject'> & {
  readonly id?: string;
  readonly merchantId?: string;
  readonly note?: string | null;
};

export function actionOf({ action, subject, id, merchantId, note }: SeatAction): AuditedAction {
  return {
    ...{ action, subject, subjectId: id ?? null, merchantId: merchantId ?? null },
    note: note === '' || note === undefined ? null : note,
  };
}

/** Runs a use case with its entry in the audit log. */
export function act<Made>(
  deps: AppDependencies,
  by: OperatorSeat,
  action: SeatAction,
  useCase: (deps: AppDependencies) => Promise<Made>,
  options?: AuditOptions,
): Promise<Made> {
  return runAudited(deps, by.actor, actionOf(action), useCase, options);
}

/** Does it, unless what is written about it is too long to be kept. */
export async function noted<Made>(
  field: 'note' | 'reason',
  note: string,
  work: () => Promise<Result<Made, DeskFault>>,
): Promise<Result<Made, DeskFault>> {
  const fault = noteFault(field, note);
  return fault === null ? work() : err(fault);
}

/** The chain, where this process can ask its nodes about wallets. */
export function chainHere({ treasury }: OperatorParts, chain: string): Result<TreasuryChain, DeskFault> {
  const on = treasury.get(chain);
  if (on !== undefined) return { ok: true, value: on };
  const names = [...treasury.keys()].join(', ') || 'none';
  return err({
    code: 'NOT_HERE',
    message: `This process has no node of ${chain} that it could send by. It has: ${names}.`,
    details: { chain },
  });
}

/** Where no node answers, that is the refusal. */
export async function asking<Made>(
  chain: string,
  ask: () => Promise<Result<Made, AppError>>,
): Promise<Result<Made, DeskFault>> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    const message = `No node of ${chain} answers: ${error.message}`;
    return err({ code: 'CHAIN_UNAVAILABLE', message, details: { chain } });
  }
}

/** At present prices, up. Without a limit no price is needed. */
export function worthOf(
  { deps, approvalAboveMicroUsd }: OperatorParts,
  key: string,
  units: bigint,
): Result<bigint | null, AppError> {
  const asset = deps.catalog.get(key);
  if (!asset) return err(appError('NOT_FOUND', `There is no asset ${key}.`));
  const price = priceE18(deps.rateBook.latest().rates, asset, 'USD');
  if (price === null) return approvalAboveMicroUsd === null ? ok(null) : err(ratesUnavailable());
  return ok(fiatForUnits(units < 0n ? -units : units, price, asset, 'ceil'));
}
