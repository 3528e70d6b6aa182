/** The preview of a list of payouts: faults, fees, totals, and what the balance covers. */
import { isAbove } from '../../../domain/accounts/approval.ts';
import type { AppError } from '../../../domain/errors.ts';
import { availableMicroUsd } from '../../../domain/ledger.ts';
import { ok } from '../../../domain/result.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { codeOf } from '../approvals/carry-out.ts';
import { movedLately } from '../approvals/store-request.ts';
import type { Desk, Done, PayoutPreview, PreviewedPayout, RowFault } from '../merchant-desk.ts';
import { readPayoutCsv } from './payout-csv.ts';
import { quotePayouts } from './quote-payouts.ts';

/** Where a row shows the fault. */
const COLUMN_OF: Readonly<Record<string, string>> = {
  ...{ asset_disabled: 'asset', invalid_address: 'address', own_address: 'address' },
  ...{ network_fee_too_high: 'address', below_minimum: 'amount', fee_exceeds_amount: 'amount' },
};

export function previewPayouts(deps: AppDependencies): (by: Desk, csv: string) => Done<PayoutPreview> {
  return async (by, csv) => {
    const { scope } = by.caller;
    const read = readPayoutCsv(csv, deps.catalog);
    const quotes = await quotePayouts(
      deps,
      by.caller,
      read.payouts.map(({ input }) => input),
    );
    const payouts: PreviewedPayout[] = [];
    const faults: RowFault[] = [...read.faults];
    read.payouts.forEach(({ row, input }, index) => {
      const quote = quotes[index];
      if (quote === undefined) throw new Error('a payout without its quote');
      if (quote.ok) payouts.push(pickPreviewed({ row, input, ...quote.value }));
      else faults.push(faultOf(row, quote.error));
    });
    const sum = (of: (payout: PreviewedPayout) => bigint) =>
      payouts.reduce((total, payout) => total + of(payout), 0n);
    const amountMicroUsd = sum((payout) => payout.amountMicroUsd);
    const reservedMicroUsd = sum((payout) => payout.reservedMicroUsd);
    const available = availableMicroUsd(await deps.queries.balance(scope));
    return ok({
      payouts,
      faults: faults.sort((a, b) => a.row - b.row || (a.column ?? '').localeCompare(b.column ?? '')),
      totals: totalsOf(payouts),
      ...{ amountMicroUsd, reservedMicroUsd, feeMicroUsd: sum((payout) => payout.feeMicroUsd) },
      ...{ availableMicroUsd: available, coversIt: reservedMicroUsd <= available },
      needsApproval: await needsApproval(deps, by, amountMicroUsd),
    });
  };
}

function faultOf(row: number, error: AppError): RowFault {
  return { row, column: COLUMN_OF[codeOf(error)] ?? null, message: error.message };
}

/** Without what a stored payout has besides. */
function pickPreviewed(payout: PreviewedPayout): PreviewedPayout {
  const { row, input, amountUnits, sentUnits, feeUnits, amountMicroUsd, feeMicroUsd, reservedMicroUsd } =
    payout;
  return { row, input, amountUnits, sentUnits, feeUnits, amountMicroUsd, feeMicroUsd, reservedMicroUsd };
}

function totalsOf(payouts: readonly PreviewedPayout[]): PayoutPreview['totals'] {
  const totals = new Map<string, PayoutPreview['totals'][number]>();
  for (const { input, amountUnits, sentUnits, feeUnits } of payouts) {
    const asset = input.asset.key;
    const before = totals.get(asset) ?? { asset, count: 0, amountUnits: 0n, sentUnits: 0n, feeUnits: 0n };
    totals.set(asset, {
      ...{ asset, count: before.count + 1, amountUnits: before.amountUnits + amountUnits },
      ...{ sentUnits: before.sentUnits + sentUnits, feeUnits: before.feeUnits + feeUnits },
    });
  }
  return [...totals.values()];
}

function needsApproval(deps: AppDependencies, by: Desk, amountMicroUsd: bigint): Promise<boolean> {
  const { scope } = by.caller;
  return deps.unitOfWork.run(async (repositories) => {
    const merchant = await repositories.merchants.find(scope.merchantId);
    const whose = { ...scope, userId: by.userId, now: deps.clock.now() };
    const { aloneMicroUsd } = await movedLately(repositories, whose);
    return merchant !== null && isAbove(amountMicroUsd + aloneMicroUsd, merchant.approvalAboveMicroUsd);
  });
}
