/** The sums of a merchant's days, compared with sums over the entries and invoices themselves. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { type Days, dayOf } from '../../../src/domain/console/day-figure.ts';
import { overviewDays } from '../../../src/domain/console/overview.ts';
import { INVOICE_STATUSES } from '../../../src/domain/invoices/invoice.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import {
  feeChargedPostings,
  income,
  paidOut,
  payoutReserved,
  refund,
  reversed,
} from '../../../src/domain/ledger.ts';
import type { MerchantFigures } from '../../../src/ports/console/merchant-figures.ts';
import type { NewEntry } from '../../../src/ports/ledger-repository.ts';
import type { Scope } from '../../../src/ports/list-queries.ts';
import { anEntry, anId, anInvoice, inStatus, NOW, secondsAfter } from '../../support/builders.ts';
import { type Seeded, seeded } from '../../support/runtime/seeded.ts';
import { type Opened, openedFor } from '../opened.ts';

export interface OpenedFigures extends Opened {
  readonly consoleQueries: MerchantFigures;
}

const ASSETS = ['usdt_ethereum', 'btc_bitcoin'] as const;
const TODAY = dayOf(NOW);
const RANGE: Days = { first: TODAY - 2, last: TODAY + 6 };
const ENTRIES = 120;

/** Entries of random kinds; a quarter is reversed later. */
function entriesOf(scope: Scope, random: Seeded): readonly NewEntry[] {
  const entries: NewEntry[] = [];
  for (let n = 0; n < ENTRIES; n += 1) {
    const at = secondsAfter(n * 4_000);
    const micro = BigInt(1 + random.int(1_000_000));
    const asset = random.pick(ASSETS);
    const pair = random.pick(PAIRS);
    const entry = anEntry({
      ...scope,
      referenceId: anId(),
      kind: pair[0],
      postings: pair[2](micro, asset),
      at,
    });
    entries.push(entry);
    if (random.int(4) > 0) continue;
    const later = secondsAfter(n * 4_000 + 1);
    entries.push({ ...entry, id: anId(), kind: pair[1], postings: reversed(entry.postings), at: later });
  }
  return entries;
}

type PostingsOf = (micro: bigint, asset: string) => NewEntry['postings'];
type Pair = readonly [made: NewEntry['kind'], undone: NewEntry['kind'], PostingsOf];
const PAIRS: readonly [Pair, ...Pair[]] = [
  [
    'income',
    'income_reversed',
    (micro, asset) =>
      income({
        ...{ asset, creditedUnits: 99n * micro, feeUnits: micro },
        ...{ receivedMicroUsd: 100n * micro, creditedMicroUsd: 99n * micro },
      }),
  ],
  ['payout_reserved', 'payout_released', (micro) => payoutReserved(micro)],
  [
    'payout_settled',
    'payout_unsettled',
    (micro, asset) =>
      paidOut({
        ...{ reserve: 'payouts_in_flight', asset, units: 7n * micro },
        ...{ reservedMicroUsd: 3n * micro, feeMicroUsd: micro },
      }),
  ],
  ['refund', 'refund_reversed', (micro) => refund(micro)],
  ['payout_fee_charged', 'payout_fee_returned', (micro) => feeChargedPostings(micro)],
];

const sumOf = (
  entries: readonly NewEntry[],
  account: NewEntry['postings'][number]['account'],
  currency = 'USD',
): bigint =>
  entries
    .flatMap(({ postings }) => postings)
    .filter((posting) => posting.account === account && posting.currency === currency)
    .reduce((sum, { amount }) => sum + amount, 0n);

export function describeMerchantFigures(name: string, open: () => Promise<OpenedFigures>): void {
  describe(`${name}: figures of merchants`, () => {
    const storage = openedFor(open);
    let scopes: readonly [Scope, ...Scope[]];
    const entries: NewEntry[] = [];
    const invoices: Invoice[] = [];

    beforeAll(async () => {
      const random = seeded(11);
      const [one, two] = [await storage.merchant(), await storage.merchant()];
      scopes = [
        { merchantId: one.id, sandbox: false },
        { merchantId: one.id, sandbox: true },
        { merchantId: two.id, sandbox: false },
      ];
      for (const scope of scopes) {
        const richest = income({
          ...{ asset: 'usdt_ethereum', creditedUnits: 1n, feeUnits: 0n },
          ...{ receivedMicroUsd: 10n ** 12n, creditedMicroUsd: 10n ** 12n },
        });
        const first = anEntry({ ...scope, kind: 'income', postings: richest, at: secondsAfter(-86_400) });
        entries.push(first, ...entriesOf(scope, random));
      }
      await storage.run(async (r) => {
        for (const entry of entries) await r.ledger.post(entry);
      });
      for (let n = 0; n < 150; n += 1) {
        const scope = random.pick(scopes);
        const status = random.pick(INVOICE_STATUSES);
        const createdAt = secondsAfter(Math.floor(n / 5) * 15_000);
        invoices.push(anInvoice({ ...scope, ...inStatus(status), createdAt }));
      }
      await storage.run(async (r) => {
        for (const invoice of invoices) await r.invoices.insert({ ...invoice, ...inStatus('created') });
      });
      for (const invoice of invoices)
        await storage.run(async (r) => {
          await r.invoices.save({ ...invoice, ...inStatus('confirming') });
          // From one end to another: what was counted there is taken back.
          await r.invoices.save({ ...invoice, ...inStatus('expired') });
          await r.invoices.save(invoice);
          if (random.int(3) === 0) await r.dayFigures.fold(7);
        });
    });

    const within = (scope: Scope, fits: (entry: NewEntry) => boolean) =>
      entries.filter((e) => e.merchantId === scope.merchantId && e.sandbox === scope.sandbox && fits(e));

    test('money of each day equals the sums over the postings of its entries', async () => {
      for (const scope of scopes) {
        const sums = await storage.ports().consoleQueries.daySums(scope, RANGE);
        const days = overviewDays(RANGE, sums, []);
        expect(days.map(({ day }) => day)).toEqual(
          Array.from({ length: 9 }, (_, place) => RANGE.first + place),
        );
        for (const day of days) {
          const kind = (...kinds: readonly string[]) =>
            within(scope, (e) => dayOf(e.at) === day.day && kinds.includes(e.kind));
          for (const asset of ASSETS) {
            const credited = kind('income', 'income_reversed').filter(
              ({ postings }) => sumOf([{ postings } as NewEntry], 'suspense', asset) !== 0n,
            );
            const wanted = {
              count: credited.reduce((sum, { kind: of }) => sum + (of === 'income' ? 1 : -1), 0),
              units: sumOf(credited, 'suspense', asset),
              microUsd: -sumOf(credited, 'merchant'),
              feeMicroUsd: -sumOf(credited, 'fees'),
            };
            const found = day.received.find((sum) => sum.asset === asset);
            expect({ ...found }).toEqual(
              found === undefined && wanted.count === 0 ? {} : { asset, ...wanted },
            );
            const paid = kind('payout_settled', 'payout_unsettled').filter(
              ({ postings }) => sumOf([{ postings } as NewEntry], 'treasury', asset) !== 0n,
            );
            const sent = day.sent.find((sum) => sum.asset === asset);
            expect(sent?.units ?? 0n).toBe(-sumOf(paid, 'treasury', asset));
            expect(sent?.microUsd ?? 0n).toBe(sumOf(paid, 'payouts_in_flight'));
            expect(sent?.feeMicroUsd ?? 0n).toBe(-sumOf(paid, 'network_fees'));
          }
          expect(day.refundedMicroUsd).toBe(sumOf(kind('refund', 'refund_reversed'), 'merchant'));
          const all = within(scope, (e) => dayOf(e.at) === day.day);
          expect(day.feesMicroUsd).toBe(-sumOf(all, 'fees') - sumOf(all, 'network_fees'));
        }
      }
    });

    test('the balance before a day is what the merchant was owed when it began', async () => {
      for (const scope of scopes)
        for (let day = TODAY - 2; day <= TODAY + 7; day += 1) {
          const owed = -sumOf(
            within(scope, ({ at }) => dayOf(at) < day),
            'merchant',
          );
          expect(await storage.ports().consoleQueries.balanceBefore(scope, day)).toBe(owed);
        }
    });

    test('invoices are counted on the day of their creation, by what became of them', async () => {
      for (const scope of scopes) {
        const mine = invoices.filter(
          (one) => one.merchantId === scope.merchantId && one.sandbox === scope.sandbox,
        );
        const queries = storage.ports().consoleQueries;
        const created = await queries.createdPerDay(scope, RANGE);
        const days = overviewDays(RANGE, await queries.daySums(scope, RANGE), created);
        for (const day of days) {
          const its = mine.filter(({ createdAt }) => dayOf(createdAt) === day.day);
          const count = (...statuses: readonly string[]) =>
            its.filter(({ status }) => statuses.includes(status)).length;
          expect(day).toMatchObject({
            created: its.length,
            paid: count('success', 'paid_over', 'refunded'),
            expired: count('expired', 'cancelled', 'failed'),
            open: count('created', 'confirming', 'partially_paid', 'high_risk'),
          });
        }
        const byStatus = await queries.invoicesByStatus(scope);
        for (const status of INVOICE_STATUSES)
          expect(byStatus[status] ?? 0).toBe(mine.filter((one) => one.status === status).length);
      }
    });

    test('the first and the last day of a range are in it, and no other', async () => {
      const queries = storage.ports().consoleQueries;
      const all = await queries.daySums(scopes[0], RANGE);
      const [first, last] = [TODAY + 1, TODAY + 3];
      expect(await queries.daySums(scopes[0], { first, last })).toEqual(
        all.filter(({ day }) => day >= first && day <= last),
      );
      expect(all.map(({ day }) => day)).toContain(first);
      expect(all.map(({ day }) => day)).toContain(last);
    });

    test('a merchant without anything has empty days', async () => {
      const { id: merchantId } = await storage.merchant();
      const scope = { merchantId, sandbox: false };
      const queries = storage.ports().consoleQueries;
      expect(await queries.daySums(scope, RANGE)).toEqual([]);
      expect(await queries.createdPerDay(scope, RANGE)).toEqual(Array.from({ length: 9 }, () => 0));
      expect(await queries.invoicesByStatus(scope)).toEqual({});
      expect(await queries.balanceBefore(scope, TODAY)).toBe(0n);
    });
  });
}
