/** The overview of a merchant: what came in and went out per day, and what is open now. */
import { type Days, isFigureRange } from '../../domain/console/day-figure.ts';
import { type AssetSum, type OverviewDay, overviewDays, totalOf } from '../../domain/console/overview.ts';
import type { InvoiceStatus } from '../../domain/invoices/invoice.ts';
import type { Scope } from '../../ports/list-queries.ts';
import type { AppDependencies } from '../dependencies.ts';

export interface Overview {
  /** One for each day, from the first. */
  readonly days: readonly OverviewDay[];
  readonly received: readonly AssetSum[];
  readonly sent: readonly AssetSum[];
  /** Invoices per status, now, of any day. */
  readonly invoices: Readonly<Partial<Record<InvoiceStatus, number>>>;
}

/** Days of UTC. Throws if they are no range of domain/console/day-figure.ts. */
export function merchantOverview({ consoleQueries }: Pick<AppDependencies, 'consoleQueries'>) {
  return async (scope: Scope, range: Days): Promise<Overview> => {
    if (!isFigureRange(range)) throw new RangeError('the days of an overview are no range');
    const [sums, created, invoices] = await Promise.all([
      consoleQueries.daySums(scope, range),
      consoleQueries.createdPerDay(scope, range),
      consoleQueries.invoicesByStatus(scope),
    ]);
    const days = overviewDays(range, sums, created);
    return {
      days,
      received: totalOf(days.map((day) => day.received)),
      sent: totalOf(days.map((day) => day.sent)),
      invoices,
    };
  };
}
