/**
 * Every list, compared with a naive one over the same random data: all filters, sorts and pages,
 * exact totals.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { lastChange } from '../../../src/domain/chains/last-change.ts';
import { INVOICE_STATUSES } from '../../../src/domain/invoices/invoice.ts';
import type { Page, PageRequest, Scope } from '../../../src/ports/list-queries.ts';
import {
  anId,
  anInvoice,
  aPayout,
  aPermanentAddress,
  aPrice,
  inStatus,
  NOW,
  secondsAfter,
} from '../../support/builders.ts';
import { type Seeded, seeded } from '../../support/runtime/seeded.ts';
import { openedFor } from '../opened.ts';
import type { OpenedQueries } from './queries.ts';

const ASSETS = ['usdt_ethereum', 'eth_base', 'btc_bitcoin'] as const;
const REQUESTS = 150;
const HUGE = 9_000_000_000_000_000;

/** The naive list: `matching` in the requested order, cut manually. */
export function cut<Row>(matching: readonly Row[], { page, perPage }: PageRequest): Page<Row> {
  const start = (page - 1) * perPage;
  return { rows: matching.slice(start, start + perPage), total: matching.length };
}

export function aPageRequest(random: Seeded): PageRequest {
  return { page: random.pick([1, 1, 2, 3, 7, 40, HUGE]), perPage: random.pick([1, 3, 10, 100]) };
}

/** Null, or an instant around the data, sometimes before or after all of it. */
export function aBound(random: Seeded): Date | null {
  return random.pick([true, false]) ? null : secondsAfter(random.int(80) - 10, NOW);
}

export function within(at: Date, range: { from: Date | null; to: Date | null }): boolean {
  return (range.from === null || at >= range.from) && (range.to === null || at <= range.to);
}

function byAmountThenId(amount: (row: { id: string }) => bigint) {
  return (a: { id: string }, b: { id: string }): number => {
    const [left, right] = [amount(a), amount(b)];
    if (left !== right) return left < right ? -1 : 1;
    return a.id < b.id ? -1 : 1;
  };
}

export function describeLists(name: string, open: () => Promise<OpenedQueries>): void {
  describe(`${name}: lists`, () => {
    const storage = openedFor(open);
    let scopes: readonly [Scope, ...Scope[]];

    beforeAll(async () => {
      const [one, two] = [await storage.merchant(), await storage.merchant()];
      scopes = [
        { merchantId: one.id, sandbox: false },
        { merchantId: one.id, sandbox: true },
        { merchantId: two.id, sandbox: false },
      ];
    });

    const mine = <Row extends Scope>(rows: readonly Row[], scope: Scope): readonly Row[] =>
      rows.filter((row) => row.merchantId === scope.merchantId && row.sandbox === scope.sandbox);

    test('invoices', async () => {
      const random = seeded(1);
      const invoices = Array.from({ length: 240 }, (_, i) => {
        const asset = random.pick([...ASSETS, null]);
        const status = asset === null ? random.pick(['created', 'expired']) : random.pick(INVOICE_STATUSES);
        return anInvoice({
          ...random.pick(scopes),
          ...inStatus(status),
          price: asset === null ? null : aPrice({ asset }),
          initialFiatMicros: BigInt(random.int(12)) * 1_000_000n,
          extra: random.pick([null, 'order-1', 'order-2']),
          userId: random.pick([null, null, 'user-1', 'user-2']),
          updatedAt: random.pick([null, secondsAfter(60 + random.int(20))]),
          // Many within one second: ties are frequent.
          createdAt: secondsAfter(Math.floor(i / 4)),
        });
      });
      await storage.run(async (r) => {
        for (const invoice of invoices) await r.invoices.insert(invoice);
      });
      const everyId = invoices.map((invoice) => invoice.id);
      for (let i = 0; i < REQUESTS; i++) {
        const scope = random.pick(scopes);
        const ids = Array.from(
          { length: random.int(300) },
          () => everyId[random.int(everyId.length)] ?? anId(),
        );
        const filter = {
          status: random.pick([null, null, ...INVOICE_STATUSES]),
          asset: random.pick([null, null, ...ASSETS, 'no_such']),
          ids: random.pick([null, null, null, ids, [anId()], []]),
          externalId: random.int(20) === 0 ? (invoices[random.int(240)]?.externalId ?? null) : null,
          extra: random.pick([null, null, null, 'order-1', 'no-such']),
          userId: random.pick([null, null, null, 'user-1']),
          updatedFrom: random.int(3) === 0 ? aBound(random) : null,
          from: aBound(random),
          to: aBound(random),
        };
        const sort = {
          by: random.pick(['created_at', 'amount']),
          order: random.pick(['asc', 'desc']),
        } as const;
        const page = aPageRequest(random);
        const matching = mine(invoices, scope).filter(
          (invoice) =>
            (filter.status === null || invoice.status === filter.status) &&
            (filter.asset === null || invoice.price?.asset === filter.asset) &&
            (filter.ids === null || new Set<string>(filter.ids).has(invoice.id)) &&
            (filter.externalId === null || invoice.externalId === filter.externalId) &&
            (filter.extra === null || invoice.extra === filter.extra) &&
            (filter.userId === null || invoice.userId === filter.userId) &&
            (filter.updatedFrom === null || lastChange(invoice) >= filter.updatedFrom) &&
            within(invoice.createdAt, filter),
        );
        const amounts = new Map(invoices.map((invoice) => [invoice.id, invoice.initialFiatMicros]));
        const sorted =
          sort.by === 'amount'
            ? matching.toSorted(byAmountThenId(({ id }) => amounts.get(id) ?? 0n))
            : matching;
        const expected = cut(sort.order === 'asc' ? sorted : sorted.toReversed(), page);
        expect(await storage.ports().queries.invoices(scope, filter, sort, page)).toEqual(expected);
      }
    }, 30_000);

    test('payouts', async () => {
      const random = seeded(2);
      const payouts = Array.from({ length: 120 }, (_, i) =>
        aPayout({
          ...random.pick(scopes),
          asset: random.pick(ASSETS),
          amountMicroUsd: BigInt(random.int(9)),
          ref: random.pick([null, 'withdrawal-1', 'withdrawal-2']),
          updatedAt: random.pick([null, secondsAfter(60 + random.int(20))]),
          createdAt: secondsAfter(Math.floor(i / 3)),
        }),
      );
      await storage.run(async (r) => {
        for (const payout of payouts) await r.payouts.insert(payout);
      });
      const amounts = new Map(payouts.map((payout) => [payout.id, payout.amountMicroUsd]));
      for (let i = 0; i < REQUESTS; i++) {
        const scope = random.pick(scopes);
        const filter = {
          asset: random.pick([null, ...ASSETS]),
          ids: random.pick([
            null,
            null,
            payouts.filter(() => random.int(2) === 0).map((payout) => payout.id),
          ]),
          ref: random.pick([null, null, 'withdrawal-1', 'no-such']),
          address: random.int(20) === 0 ? (payouts[random.int(120)]?.address.toUpperCase() ?? null) : null,
          updatedFrom: random.int(3) === 0 ? aBound(random) : null,
          from: aBound(random),
          to: aBound(random),
        };
        const sort = {
          by: random.pick(['created_at', 'amount']),
          order: random.pick(['asc', 'desc']),
        } as const;
        const page = aPageRequest(random);
        const matching = mine(payouts, scope).filter(
          (payout) =>
            (filter.asset === null || payout.asset === filter.asset) &&
            (filter.ids === null || new Set<string>(filter.ids).has(payout.id)) &&
            (filter.ref === null || payout.ref === filter.ref) &&
            (filter.address === null || payout.address.toUpperCase() === filter.address) &&
            (filter.updatedFrom === null || lastChange(payout) >= filter.updatedFrom) &&
            within(payout.createdAt, filter),
        );
        const sorted =
          sort.by === 'amount'
            ? matching.toSorted(byAmountThenId(({ id }) => amounts.get(id) ?? 0n))
            : matching;
        const expected = cut(sort.order === 'asc' ? sorted : sorted.toReversed(), page);
        expect(await storage.ports().queries.payouts(scope, filter, sort, page)).toEqual(expected);
      }
    }, 30_000);

    test('permanent addresses', async () => {
      const random = seeded(3);
      const addresses = Array.from({ length: 90 }, (_, i) => {
        const active = random.int(3) > 0;
        return aPermanentAddress({
          ...random.pick(scopes),
          userId: active ? `user-${i}` : `user-${random.int(3)}`,
          family: random.pick(['evm', 'tron', 'bitcoin']),
          active,
          deactivatedAt: active ? null : NOW,
          createdAt: secondsAfter(Math.floor(i / 3)),
        });
      });
      await storage.run(async (r) => {
        for (const address of addresses)
          expect(await r.permanentAddresses.insertIfAbsent(address)).toBe(true);
      });
      for (let i = 0; i < REQUESTS; i++) {
        const scope = random.pick(scopes);
        const filter = {
          family: random.pick([null, 'evm', 'tron', 'solana']),
          userId: random.pick([null, null, 'user-1', 'user-5', "no'body"]),
          active: random.pick([null, true, false]),
        };
        const page = aPageRequest(random);
        const matching = mine(addresses, scope).filter(
          (address) =>
            (filter.family === null || address.family === filter.family) &&
            (filter.userId === null || address.userId === filter.userId) &&
            (filter.active === null || address.active === filter.active),
        );
        const expected = cut(matching.toReversed(), page);
        expect(await storage.ports().queries.permanentAddresses(scope, filter, page)).toEqual(expected);
      }
    }, 30_000);

    test('lists of a merchant that has nothing are empty', async () => {
      const scope = { merchantId: (await storage.merchant()).id, sandbox: false };
      const nothing = { rows: [], total: 0 };
      const { queries } = storage.ports();
      const page = { page: 1, perPage: 20 };
      const range = { from: NOW, to: null };
      const sort = { by: 'created_at', order: 'desc' } as const;
      for (const dates of [range, { from: null, to: NOW }, { from: null, to: null }]) {
        expect(
          await queries.invoices(scope, { ...dates, status: null, asset: null, ids: null }, sort, page),
        ).toEqual(nothing);
        expect(await queries.payouts(scope, { ...dates, asset: null, ids: null }, sort, page)).toEqual(
          nothing,
        );
        expect(await queries.ledger(scope, { ...dates, type: null }, page)).toEqual(nothing);
        expect(await queries.ledger(scope, { ...dates, type: 'refund' }, page)).toEqual(nothing);
        expect(
          await queries.notifications(scope, { ...dates, invoiceId: null, payoutId: null }, page),
        ).toEqual(nothing);
      }
    });
  });
}
