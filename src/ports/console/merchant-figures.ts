/**
 * The sums of a merchant's overview and statements. Reads take no locks, and cost the same whatever
 * the merchant's history is: they read one row per day, figure and label.
 */
import type { DayFigure, Days } from '../../domain/console/day-figure.ts';
import type { InvoiceStatus } from '../../domain/invoices/invoice.ts';
import type { Scope } from '../list-queries.ts';

/** A sum of one day; exact, as of the read. */
export interface DaySum {
  readonly day: number;
  readonly figure: DayFigure;
  readonly label: string;
  readonly count: number;
  readonly units: bigint;
  readonly microUsd: bigint;
  readonly feeMicroUsd: bigint;
}

export interface MerchantFigures {
  /** In the order of days. Rows of zeros are left out. */
  daySums(scope: Scope, days: Days): Promise<readonly DaySum[]>;
  /** Invoices created on each of the days, from the first; 0 on days without any. */
  createdPerDay(scope: Scope, days: Days): Promise<readonly number[]>;
  /** Invoices per status, now; statuses without any are left out. */
  invoicesByStatus(scope: Scope): Promise<Readonly<Partial<Record<InvoiceStatus, number>>>>;
  /** What the ledger owed the merchant when the day began (UTC), in micro-USD. */
  balanceBefore(scope: Scope, day: number): Promise<bigint>;
}

export interface DayFigureRepository {
  /** Folds up to `limit` changes into the sums; returns how many. */
  fold(limit: number): Promise<number>;
}
