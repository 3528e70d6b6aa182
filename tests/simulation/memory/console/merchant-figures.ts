/**
 * Sums of a merchant's days, computed from its ledger and its invoices when they are read: only
 * those of removed invoices are kept beside these, and nothing is left to fold.
 */
import type { ledgerEntries } from '../../../../src/adapters/postgres/schema/ledger.ts';
import { type DayFigure, dayOf, REMOVED } from '../../../../src/domain/console/day-figure.ts';
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
  const { ledgerEntries, invoices, dayFigures } = store.tables;
  const isIn = (scope: Scope) => (row: { readonly sandbox: boolean }) => row.sandbox === scope.sandbox;
  const entriesOf = (scope: Scope) => ledgerEntries.by('merchantId', scope.merchantId).filter(isIn(scope));
  /** Of removed invoices only: all else is computed. */
  const removedOf = (scope: Scope) => dayFigures.by('merchantId', scope.merchantId).filter(isIn(scope));
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
      for (const { day, count } of removedOf(scope))
        if (day >= first && day <= last) add(day, { figure: 'invoices', label: REMOVED, ...NOTHING, count });
      return [...sums.values()]
        .filter(isSomething)
        .sort((a, b) => a.day - b.day || byText(a.figure, b.figure) || byText(a.label, b.label));
    },

    async createdPerDay(scope, { first, last }) {
      const counts = new Map<number, number>();
      const add = (day: number, count: number) => void counts.set(day, (counts.get(day) ?? 0) + count);
      for (const { createdAt } of invoicesOf(scope)) add(dayOf(createdAt), 1);
      for (const { day, count } of removedOf(scope)) add(day, count);
      return Array.from({ length: last - first + 1 }, (_, place) => counts.get(first + place) ?? 0);
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
