/**
 * What the overview of a merchant shows per day (UTC): codes of the stored sums, and the days of a
 * request. Pure.
 */

export const DAY_MS = 86_400_000;
/** The most days that one request may cover: a year, and the month before it to compare with. */
export const FIGURE_DAYS_MAX = 400;

/**
 * Sums that are kept per day and label.
 *
 * - `balance`: how entries moved the merchant's balance.
 * - `received`: what was credited, by asset, less what was taken back.
 * - `sent`: what payouts paid on the chain, by asset.
 * - `refunded`: what refunds took from the balance.
 * - `network_fee`: network fees of transactions without effect, charged to the merchant.
 * - `invoices`: invoices by status, on the day of their creation; open ones have no row. Those that
 *   expired unpaid and were removed are under REMOVED.
 */
export const DAY_FIGURES = ['balance', 'received', 'sent', 'refunded', 'network_fee', 'invoices'] as const;
export type DayFigure = (typeof DAY_FIGURES)[number];

/** In the place of a status: a month keeps its conversion after its unpaid invoices are gone. */
export const REMOVED = 'removed';

/** A day as the number of days since 1970 (UTC). */
export function dayOf(at: Date): number {
  return Math.floor(at.getTime() / DAY_MS);
}

export function startOfDay(day: number): Date {
  return new Date(day * DAY_MS);
}

/** Days from the first to the last, both included. */
export interface Days {
  readonly first: number;
  readonly last: number;
}

/** Whether it is a range that one request may cover. */
export function isFigureRange({ first, last }: Days): boolean {
  return Number.isSafeInteger(first) && last >= first && last - first < FIGURE_DAYS_MAX;
}
