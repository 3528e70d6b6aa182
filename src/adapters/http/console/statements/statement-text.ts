/** The words of a statement: what its lines and totals are called, and how amounts are written. */
import type { Statement } from '../../../../app/console/statement.ts';
import type { AssetCatalog } from '../../../../domain/catalog/asset.ts';
import { FIAT_DECIMALS } from '../../../../domain/catalog/fiat.ts';
import { startOfDay } from '../../../../domain/console/day-figure.ts';
import {
  daysOfMonth,
  monthText,
  type StatementKind,
  type StatementLine,
} from '../../../../domain/console/statement.ts';
import type { EntryKind } from '../../../../domain/ledger.ts';
import { formatUnits } from '../../../../domain/money/decimal.ts';

const ENTRY_NAMES: Partial<Record<EntryKind, string>> = {
  income: 'Payment',
  income_reversed: 'Payment taken back',
  payout_reserved: 'Payout',
  payout_retaken: 'Payout paid after all',
  payout_released: 'Payout returned',
  payout_fee_charged: 'Network fee',
  payout_fee_returned: 'Network fee returned',
  refund: 'Refund',
  refund_reversed: 'Refund returned',
  refund_fee_charged: 'Network fee',
  refund_fee_returned: 'Network fee returned',
};

export const TOTAL_NAMES: Readonly<Record<StatementKind, string>> = {
  income: 'Payments',
  payout: 'Payouts',
  refund: 'Refunds',
  network_fee: 'Network fees',
  adjustment: 'Adjustments',
};

export function entryName(entry: EntryKind): string {
  return ENTRY_NAMES[entry] ?? entry;
}

/** `1,234.50`: at least two decimals, and as many as it has. */
export function usd(microUsd: bigint): string {
  const [whole = '', fraction = ''] = formatUnits(microUsd, FIAT_DECIMALS).split('.');
  return `${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')}`;
}

/** `-12.5 USDT on tron`: below zero where the balance went down. */
export function coinAmount({ asset, units, netMicroUsd }: StatementLine, catalog: AssetCatalog): string {
  const { symbol, chain, decimals } = catalog.require(asset);
  const size = units < 0n ? -units : units;
  return `${formatUnits(netMicroUsd < 0n ? -size : size, decimals)} ${symbol} on ${chain}`;
}

/** `2026-03-01 12:00:07` */
export function instantText(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ');
}

/** `2026-03-01 to 2026-03-31 (UTC)` */
export function periodText({ month }: Pick<Statement, 'month'>): string {
  const { first, last } = daysOfMonth(month);
  const day = (number: number) => startOfDay(number).toISOString().slice(0, 10);
  return `${day(first)} to ${day(last)} (UTC)`;
}

/** The name of its file, without the ending. */
export function statementFileName({ month, scope, isComplete }: Statement): string {
  const marks = [scope.sandbox ? '-sandbox' : '', isComplete ? '' : '-incomplete'];
  return `statement-${monthText(month)}${marks.join('')}`;
}
