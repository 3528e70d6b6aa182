/**
 * A merchant's statement of a month (decision 0046): every entry that moved the balance, with what
 * it was. Months are those of UTC. Pure.
 */
import type { EntryKind } from '../ledger.ts';
import { type Days, dayOf } from './day-figure.ts';

export interface Month {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
}

/** `2026-03`; null for any other text. */
export function monthFrom(text: string): Month | null {
  const [, year, month] = /^(20\d\d)-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  return year === undefined || month === undefined ? null : { year: Number(year), month: Number(month) };
}

export function monthText({ year, month }: Month): string {
  return `${year}-${String(month).padStart(2, '0')}`;
}

export function monthOf(at: Date): Month {
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1 };
}

/** From its first day to its last. */
export function daysOfMonth({ year, month }: Month): Days {
  const start = (of: number) => dayOf(new Date(Date.UTC(year, of - 1, 1)));
  return { first: start(month), last: start(month + 1) - 1 };
}

export const STATEMENT_KINDS = ['income', 'payout', 'refund', 'network_fee', 'adjustment'] as const;
/**
 * `adjustment`: something above was taken back, or taken again: a payment left the chain, a payout
 * or refund was not paid, or was paid after all.
 */
export type StatementKind = (typeof STATEMENT_KINDS)[number];

export interface StatementLine {
  /** Its number in the merchant's ledger. */
  readonly seq: number;
  readonly at: Date;
  readonly entry: EntryKind;
  /** The invoice, payout or deposit. */
  readonly referenceId: string;
  readonly asset: string;
  /** Base units of the asset, the fee not included; below zero if it was taken back. */
  readonly units: bigint;
  /** The commission, or the network fee that a payout or refund was charged. */
  readonly feeMicroUsd: bigint;
  /** How it moved the balance, the fee included. */
  readonly netMicroUsd: bigint;
}

/** The line before its fee: gross - fee = net. */
export function grossMicroUsd({ feeMicroUsd, netMicroUsd }: StatementLine): bigint {
  return netMicroUsd + feeMicroUsd;
}

/** Null: entries that never move a merchant's balance. */
const KINDS: Readonly<Record<EntryKind, StatementKind | null>> = {
  income: 'income',
  payout_reserved: 'payout',
  refund: 'refund',
  payout_fee_charged: 'network_fee',
  refund_fee_charged: 'network_fee',
  income_reversed: 'adjustment',
  payout_retaken: 'adjustment',
  payout_released: 'adjustment',
  refund_reversed: 'adjustment',
  payout_fee_returned: 'adjustment',
  refund_fee_returned: 'adjustment',
  deposit_arrived: null,
  deposit_departed: null,
  hold: null,
  hold_reversed: null,
  payout_settled: null,
  payout_unsettled: null,
  refund_settled: null,
  refund_unsettled: null,
  network_fee: null,
  network_fee_reversed: null,
  capital: null,
  forward: null,
  forward_reversed: null,
};

/** Null for entries that never move a merchant's balance. */
export function statementKind(entry: EntryKind): StatementKind | null {
  return KINDS[entry];
}

export interface StatementTotal {
  readonly kind: StatementKind;
  readonly count: number;
  readonly grossMicroUsd: bigint;
  readonly feeMicroUsd: bigint;
  readonly netMicroUsd: bigint;
}

/** One for each kind, in the order of STATEMENT_KINDS. */
export type StatementTotals = readonly StatementTotal[];

export const NO_TOTALS: StatementTotals = STATEMENT_KINDS.map((kind) => ({
  ...{ kind, count: 0, grossMicroUsd: 0n, feeMicroUsd: 0n, netMicroUsd: 0n },
}));

export function withLines(totals: StatementTotals, lines: readonly StatementLine[]): StatementTotals {
  return totals.map((total) => {
    const its = lines.filter(({ entry }) => statementKind(entry) === total.kind);
    const sum = (of: (line: StatementLine) => bigint) => its.reduce((all, line) => all + of(line), 0n);
    return {
      kind: total.kind,
      count: total.count + its.length,
      grossMicroUsd: total.grossMicroUsd + sum(grossMicroUsd),
      feeMicroUsd: total.feeMicroUsd + sum(({ feeMicroUsd }) => feeMicroUsd),
      netMicroUsd: total.netMicroUsd + sum(({ netMicroUsd }) => netMicroUsd),
    };
  });
}
