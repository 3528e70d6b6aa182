/**
 * The CHECKs of the table of invoices (adapters/postgres/schema/invoices.ts) that are about values
 * of several columns, and about amounts: a history in memory must not store what the database
 * refuses. In the order of their names, as the database evaluates them.
 */
import { choicesFromText } from '../../../../src/adapters/postgres/invoices/invoice-choices.ts';
import type { InvoiceRow } from '../../../../src/adapters/postgres/invoices/invoice-row.ts';
import { isFinal } from '../../../../src/domain/invoices/invoice.ts';
import { checkRefused } from '../store/checks.ts';

type Check = (row: InvoiceRow) => boolean;

const CHECKS: Readonly<Record<string, Check>> = {
  invoices_accepted: ({ acceptedUnits, billingType }) =>
    acceptedUnits === null || (acceptedUnits > 0n && billingType === 'STATIC'),
  invoices_earlier_choices: ({ earlierChoices, customerChooses, asset }) =>
    earlierChoices === null ||
    (customerChooses &&
      asset !== null &&
      choicesFromText(earlierChoices).every(({ price }) => price.asset !== asset)),
  invoices_fiat_amount: ({ initialFiatMicros }) => initialFiatMicros >= 0n,
  invoices_funds: ({ pendingUnits, creditedUnits, heldUnits }) =>
    pendingUnits >= 0n && creditedUnits >= 0n && heldUnits >= 0n,
  invoices_funds_need_price: ({ asset, pendingUnits, creditedUnits, heldUnits }) =>
    asset !== null || (pendingUnits === 0n && creditedUnits === 0n && heldUnits === 0n),
  invoices_percentages: ({ tolerancePpm, toleranceGiven, commissionPpm, priceModifierPpm }) =>
    isBetween(tolerancePpm, 0n, 100_000n) &&
    (toleranceGiven || tolerancePpm === 0n) &&
    isBetween(commissionPpm, 0n, 1_000_000n) &&
    (priceModifierPpm === null || isBetween(priceModifierPpm, -900_000n, 900_000n)),
  invoices_permanent_address: ({ bindsPermanentAddress, permanentAddressId, billingType, userId }) =>
    (!bindsPermanentAddress && permanentAddressId === null) || (billingType === 'VARY' && userId !== null),
  invoices_price: ({ dueUnits, baseUnits, originalUnits, deferralUnits }) =>
    isPositive(dueUnits) &&
    isPositive(baseUnits) &&
    isPositive(originalUnits) &&
    (deferralUnits === null || deferralUnits >= 0n) &&
    (baseUnits === null || dueUnits === null || baseUnits <= dueUnits),
  invoices_price_complete: ({ asset, originalUnits, priceModifierPpm, addressTo, initialAsset }) =>
    (originalUnits === null || (asset !== null && priceModifierPpm !== null)) &&
    (addressTo === null || asset !== null) &&
    (initialAsset === null) === (asset === null),
  invoices_processed_when_final: (row) => (row.processedAt === null) !== isFinal(row),
  invoices_status_needs_funds: hasItsFunds,
};
const NAMED = Object.entries(CHECKS);

/** The row, unless the database would refuse it. */
export function checkedInvoice<Row extends InvoiceRow>(row: Row): Row {
  for (const [name, holds] of NAMED) if (!holds(row)) throw checkRefused('invoices', name);
  return row;
}

function hasItsFunds({ status, pendingUnits, creditedUnits, heldUnits }: InvoiceRow): boolean {
  switch (status) {
    case 'created':
      return creditedUnits === 0n && heldUnits === 0n;
    case 'confirming':
      return pendingUnits > 0n;
    case 'partially_paid':
    case 'success':
    case 'paid_over':
      return creditedUnits > 0n;
    case 'high_risk':
      return heldUnits > 0n;
    case 'failed':
      return creditedUnits === 0n;
    default:
      return true;
  }
}

function isBetween(value: bigint, least: bigint, most: bigint): boolean {
  return value >= least && value <= most;
}

function isPositive(value: bigint | null): boolean {
  return value === null || value > 0n;
}
