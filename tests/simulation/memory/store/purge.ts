/** Deletes rows of a table in memory by their end. */
import { byTime } from './orders.ts';

/** Deletes up to `limit` rows that expired before, the oldest first; returns how many. */
export function purgeExpired<Row extends { readonly expiresAt: Date }>(
  table: { where(test: (row: Row) => boolean): Row[]; delete(row: Row): void },
  before: Date,
  limit: number,
): number {
  const expired = table
    .where(({ expiresAt }) => expiresAt < before)
    .sort((a, b) => byTime(a.expiresAt, b.expiresAt))
    .slice(0, limit);
  for (const row of expired) table.delete(row);
  return expired.length;
}
