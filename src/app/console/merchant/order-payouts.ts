/**
 * Payouts that the console orders. Each is stored first, with its X-Uniq-Id, and then carried out
 * (carry-out-payouts.ts). What is refused at once leaves no trace.
 */
import type { Approval } from '../../../domain/accounts/approval.ts';
import { type AppError, validationError } from '../../../domain/errors.ts';
import { availableMicroUsd } from '../../../domain/ledger.ts';
import type { JsonObject } from '../../../domain/money/json.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { CreatedBatch, PayoutInput } from '../../application.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { insufficient } from '../../payouts/create-payouts.ts';
import { runResult } from '../../shared/transaction-result.ts';
import type { CarryOut } from '../approvals/carry-out.ts';
import { batchJson, payoutJson, textOf } from '../approvals/order-payloads.ts';
import { ordered } from '../approvals/ordered.ts';
import { formFault, requestIn } from '../approvals/store-request.ts';
import type { Desk, Done, FormId, Ordered } from '../merchant-desk.ts';
import { batchFrom } from './carry-out-payouts.ts';
import { requesterAt } from './desk-parts.ts';
import { readPayoutCsv } from './payout-csv.ts';
import { quotePayouts } from './quote-payouts.ts';

export function createPayout(
  deps: AppDependencies,
  carryOut: CarryOut,
): (by: Desk, input: PayoutInput, formId: FormId) => Done<Ordered<{ readonly payoutId: string }>> {
  return async (by, input, formId) => {
    const stored = await storePayouts(deps, by, {
      ...{ kind: 'payout', action: 'payout.ordered', order: payoutJson(input), inputs: [input], formId },
    });
    if (!stored.ok) return stored;
    return ordered(await carryOut(stored.value), (made) => ({ payoutId: textOf(made, 'payout_id') }));
  };
}

export function createPayoutBatch(
  deps: AppDependencies,
  carryOut: CarryOut,
): (by: Desk, csv: string, formId: FormId) => Done<Ordered<CreatedBatch>> {
  return async (by, csv, formId) => {
    const { payouts, faults } = readPayoutCsv(csv, deps.catalog);
    if (faults.length > 0)
      return err(validationError(faults.map(({ row, column, message }) => fieldFault(row, column, message))));
    const inputs = payouts.map(({ input }) => input);
    const stored = await storePayouts(deps, by, {
      ...{ kind: 'payout_batch', action: 'payout.batch_ordered', order: batchJson(inputs), inputs, formId },
    });
    return stored.ok ? ordered(await carryOut(stored.value), batchFrom) : stored;
  };
}

interface PayoutOrder {
  readonly kind: 'payout' | 'payout_batch';
  readonly action: string;
  readonly order: JsonObject;
  readonly inputs: readonly PayoutInput[];
  readonly formId: string;
}

async function storePayouts(
  deps: AppDependencies,
  by: Desk,
  { inputs, ...wanted }: PayoutOrder,
): Promise<Result<Approval, AppError>> {
  const { sandbox } = by.caller.scope;
  const fault = formFault(wanted.formId);
  if (fault !== null) return err(fault);
  const earlier = await deps.unitOfWork.run(({ approvals }) => approvals.ofForm(by.userId, wanted.formId));
  // What a form cost is spent by now, so that it would be refused.
  const worth = earlier === null ? await worthIfPossible(deps, by, inputs) : ok(null);
  if (!worth.ok) return worth;
  const stored = await runResult(deps.unitOfWork, (repositories) =>
    requestIn(deps, repositories, {
      by: requesterAt(by),
      wanted: { ...wanted, sandbox, worth: async () => worth },
      terms: { operatorLimitMicroUsd: null },
    }),
  );
  return stored.ok ? ok(stored.value.approval) : stored;
}

/** Micro-USD; or why the payouts, or the first that is refused, would not be accepted now. */
async function worthIfPossible(
  deps: AppDependencies,
  by: Desk,
  inputs: readonly PayoutInput[],
): Promise<Result<bigint, AppError>> {
  let [worth, reserved] = [0n, 0n];
  for (const [index, quote] of (await quotePayouts(deps, by.caller, inputs)).entries()) {
    if (!quote.ok)
      return inputs.length === 1
        ? quote
        : err({ ...quote.error, message: `Payout ${index + 1}: ${quote.error.message}` });
    worth += quote.value.amountMicroUsd;
    reserved += quote.value.reservedMicroUsd;
  }
  const available = availableMicroUsd(await deps.queries.balance(by.caller.scope));
  return reserved <= available ? ok(worth) : err(insufficient(available, reserved));
}

function fieldFault(row: number, column: string | null, message: string) {
  return { field: column === null ? `row ${row}` : `row ${row}, ${column}`, message };
}
