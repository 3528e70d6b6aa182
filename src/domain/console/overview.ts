/** The days of a merchant's overview, put together from stored sums. Pure. */
import type { InvoiceStatus } from '../invoices/invoice.ts';
import { type Days, REMOVED } from './day-figure.ts';

/** Money of one asset on one day. */
export interface AssetSum {
  readonly asset: string;
  readonly count: number;
  /** Base units. */
  readonly units: bigint;
  readonly microUsd: bigint;
  readonly feeMicroUsd: bigint;
}

export interface OverviewDay {
  readonly day: number;
  /** Invoices created on the day; those of them that are paid, and that ended unpaid. */
  readonly created: number;
  readonly paid: number;
  readonly expired: number;
  /** Neither: they wait, or are partly paid or held. */
  readonly open: number;
  /** Credited payments less those taken back. `microUsd` is what was credited. */
  readonly received: readonly AssetSum[];
  /** Payouts that the chains took. `microUsd` contains the fee. */
  readonly sent: readonly AssetSum[];
  readonly refundedMicroUsd: bigint;
  /** Commission, network fees of payouts and refunds, and those of transactions without effect. */
  readonly feesMicroUsd: bigint;
}

/** What is stored for a day (ports/console/merchant-figures.ts). */
interface Sum {
  readonly day: number;
  readonly figure: string;
  readonly label: string;
  readonly count: number;
  readonly units: bigint;
  readonly microUsd: bigint;
  readonly feeMicroUsd: bigint;
}

/** A payment completed it, whatever was given back later. */
const PAID: ReadonlySet<string> = new Set<InvoiceStatus>(['success', 'paid_over', 'refunded']);
const NEVER_PAID: ReadonlySet<string> = new Set<InvoiceStatus | typeof REMOVED>([
  ...(['expired', 'cancelled', 'failed', REMOVED] as const),
]);

/** One for each of the days, in order. `created`: the invoices of each day. */
export function overviewDays(
  days: Days,
  sums: readonly Sum[],
  created: readonly number[],
): readonly OverviewDay[] {
  const byDay = Map.groupBy(sums, ({ day }) => day);
  return Array.from({ length: days.last - days.first + 1 }, (_, place) => {
    const day = days.first + place;
    return overviewDay(day, byDay.get(day) ?? [], created[place] ?? 0);
  });
}

function overviewDay(day: number, sums: readonly Sum[], created: number): OverviewDay {
  const of = (figure: string) => sums.filter((sum) => sum.figure === figure);
  const invoices = (labels: ReadonlySet<string>) =>
    of('invoices').reduce((sum, { label, count }) => sum + (labels.has(label) ? count : 0), 0);
  const paid = invoices(PAID);
  const expired = invoices(NEVER_PAID);
  return {
    day,
    created,
    ...{ paid, expired, open: created - paid - expired },
    received: of('received').map(assetSum),
    sent: of('sent').map(assetSum),
    refundedMicroUsd: of('refunded').reduce((sum, { microUsd }) => sum + microUsd, 0n),
    feesMicroUsd: sums.reduce((sum, { feeMicroUsd }) => sum + feeMicroUsd, 0n),
  };
}

const assetSum = ({ label, count, units, microUsd, feeMicroUsd }: Sum): AssetSum => ({
  ...{ asset: label, count, units, microUsd, feeMicroUsd },
});

/** The same of all days together, by asset. */
export function totalOf(sums: readonly (readonly AssetSum[])[]): readonly AssetSum[] {
  const totals = new Map<string, AssetSum>();
  for (const sum of sums.flat()) {
    const before = totals.get(sum.asset);
    totals.set(sum.asset, before === undefined ? sum : added(before, sum));
  }
  return [...totals.values()].sort((a, b) => (a.asset < b.asset ? -1 : 1));
}

const added = (a: AssetSum, b: AssetSum): AssetSum => ({
  asset: a.asset,
  count: a.count + b.count,
  units: a.units + b.units,
  microUsd: a.microUsd + b.microUsd,
  feeMicroUsd: a.feeMicroUsd + b.feeMicroUsd,
});
