/**
 * Sums of a merchant's days, computed from its ledger and its invoices when they are read: nothing
 * is kept beside these, and so nothing is left to fold.
 */
import type { ledgerEntries } from '../../../../src/adapters/postgres/schema/ledger.ts';
import { type DayFigure, dayOf, startOfDay } from '../../../../src/domain/console/day-figure.ts';
import type { InvoiceStatus } from '../../../../src/domain/invoices/invoice.ts';
import type {
  DayFigureRepository,
  DaySum,
  MerchantFigures,
} from '../../../../src/ports/console/merchant-figures.ts';
import type { Scope } from '../../../../src/ports/list-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';

type Entry = typeof ledgerEntries.$inferSelect;
type Sums = Pick<DaySum, 'count' | 'units' | 'microUsd' | 'feeMicroUsd'>;
type Figure = Omit<DaySum, 'day'>;

export function dayFigureRepository(_store: MemoryStore): DayFigureRepository {
  return { fold: async () => 0 };
}

export function merchantFigures(store: MemoryStore): MerchantFigures {
  const { ledgerEntries, invoices } = store.tables;
  const isIn = (scope: Scope) => (row: { readonly sandbox: boolean }) => row.sandbox === scope.sandbox;
  const entriesOf = (scope: Scope) => ledgerEntries.by('merchantId', scope.merchantId).filter(isIn(scope));
  const invoicesOf = (scope: Scope) => invoices.by('merchantId', scope.merchantId).filter(isIn(scope));

  return {
    async daySums(scope, { first, last }) {
      const sums = new Map<string, DaySum>();
      const add = (day: number, figure: Figure): void => {
        const key = `${day} ${figure.figure} ${figure.label}`;
        sums.set(key, { day, ...plus(figure, sums.get(key)) });
      };
      for (const entry of entriesOf(scope)) {
        const day = dayOf(entry.at);
        if (day < first || day > last) continue;
        for (const figure of figuresOf(store, entry)) add(day, figure);
      }
      for (const { status, createdAt } of invoicesOf(scope)) {
        const day = dayOf(createdAt);
        if (status === 'created' || day < first || day > last) continue;
        add(day, { figure: 'invoices', label: status, ...NOTHING, count: 1 });
      }
      return [...sums.values()]
        .filter(isSomething)
        .sort((a, b) => a.day - b.day || byText(a.figure, b.figure) || byText(a.label, b.label));
    },

    // The numbers of invoices follow their times, so a day's count is the distance of two numbers.
    async createdPerDay(scope, { first, last }) {
      const rows = invoicesOf(scope).sort(
        (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.seq < b.seq ? -1 : 1),
      );
      const counts: number[] = [];
      let [place, number] = [0, 0];
      for (let day = first; day <= last + 1; day += 1) {
        const before = number;
        for (; rows[place] !== undefined && rows[place]!.createdAt < startOfDay(day); place += 1)
          number = Number(rows[place]!.seq);
        if (day > first) counts.push(number - before);
      }
      return counts;
    },

    async invoicesByStatus(scope) {
      const counts = new Map<InvoiceStatus, number>();
      for (const { status } of invoicesOf(scope)) counts.set(status, (counts.get(status) ?? 0) + 1);
      return Object.fromEntries([...counts].sort(([a], [b]) => byText(a, b)));
    },

    async balanceBefore(scope, day) {
      let sum = 0n;
      for (const entry of entriesOf(scope))
        if (dayOf(entry.at) < day) sum += postingsOf(store, entry).merchant;
      return sum;
    },
  };
}

const NOTHING: Sums = { count: 0, units: 0n, microUsd: 0n, feeMicroUsd: 0n };

function plus(one: Figure, other: Sums = NOTHING): Figure {
  return {
    ...{ figure: one.figure, label: one.label },
    count: one.count + other.count,
    units: one.units + other.units,
    microUsd: one.microUsd + other.microUsd,
    feeMicroUsd: one.feeMicroUsd + other.feeMicroUsd,
  };
}

function isSomething({ count, units, microUsd, feeMicroUsd }: Sums): boolean {
  return count !== 0 || units !== 0n || microUsd !== 0n || feeMicroUsd !== 0n;
}

/** What an entry's postings add up to, with the signs of the view `entry_figures`. */
function postingsOf({ tables }: MemoryStore, { id }: Entry) {
  const sums = { merchant: 0n, fees: 0n, networkFees: 0n, inFlight: 0n, suspense: 0n, treasury: 0n };
  let asset = '';
  for (const { account, currency, amount } of tables.ledgerPostings.by('entryId', id)) {
    if (account === 'merchant') sums.merchant -= amount;
    else if (account === 'fees') sums.fees -= amount;
    else if (account === 'network_fees') sums.networkFees -= amount;
    else if (account === 'payouts_in_flight') sums.inFlight += amount;
    else if (account === 'suspense') sums.suspense += amount;
    else if (account === 'treasury') sums.treasury -= amount;
    if ((account === 'suspense' || account === 'treasury') && byText(currency, asset) > 0) asset = currency;
  }
  return { ...sums, asset };
}

/** What an entry adds to the sums of its day: the view `entry_figures`. */
function figuresOf(store: MemoryStore, entry: Entry): readonly Figure[] {
  const sums = postingsOf(store, entry);
  const figures: Figure[] = [];
  const add = (figure: DayFigure, given: Partial<Figure>) =>
    void figures.push({ label: '', ...NOTHING, ...given, figure });
  if (sums.merchant !== 0n) add('balance', { count: 1, microUsd: sums.merchant });
  const { asset: label, suspense, treasury, inFlight, networkFees, merchant, fees } = sums;
  switch (entry.kind) {
    case 'income':
    case 'income_reversed': {
      const count = entry.kind === 'income' ? 1 : -1;
      add('received', { label, count, units: suspense, microUsd: merchant, feeMicroUsd: fees });
      break;
    }
    case 'payout_settled':
    case 'payout_unsettled': {
      const count = entry.kind === 'payout_settled' ? 1 : -1;
      add('sent', { label, count, units: treasury, microUsd: inFlight, feeMicroUsd: networkFees });
      break;
    }
    case 'refund':
    case 'refund_reversed':
      add('refunded', { count: entry.kind === 'refund' ? 1 : -1, microUsd: -merchant });
      break;
    case 'refund_settled':
    case 'refund_unsettled':
      if (networkFees !== 0n) add('refunded', { feeMicroUsd: networkFees });
      break;
    case 'payout_fee_charged':
    case 'refund_fee_charged':
      add('network_fee', { count: 1, feeMicroUsd: -merchant });
      break;
    case 'payout_fee_returned':
    case 'refund_fee_returned':
      add('network_fee', { count: -1, feeMicroUsd: -merchant });
      break;
    default:
  }
  return figures;
}
