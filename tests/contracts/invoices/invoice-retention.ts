/**
 * The contract of InvoiceRetention: what nothing names goes, and pages, totals, numbers, figures
 * and addresses stay right.
 */
import { describe, expect, test } from 'bun:test';
import { workerJobs } from '../../../src/app/jobs.ts';
import { dayOf } from '../../../src/domain/console/day-figure.ts';
import { overviewDays } from '../../../src/domain/console/overview.ts';
import { INVOICE_STATUSES } from '../../../src/domain/invoices/invoice.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import type { ExpiredPlace } from '../../../src/ports/invoices/invoice-retention.ts';
import type { Queries, Scope } from '../../../src/ports/list-queries.ts';
import type { OperatorQueries } from '../../../src/ports/operator-queries.ts';
import type { Repositories } from '../../../src/ports/repositories.ts';
import {
  aDelivery,
  aDeposit,
  anEntry,
  anId,
  anInvoice,
  anIssuedAddress,
  aPayout,
  inStatus,
  NOW,
  secondsAfter,
} from '../../support/builders.ts';
import { seeded } from '../../support/runtime/seeded.ts';
import type { OpenedFigures } from '../console/merchant-figures.ts';
import { cut } from '../lists/lists.ts';
import { openedFor } from '../opened.ts';

const DAY = 86_400;
const after = (days: number): Date => secondsAfter(days * DAY);
const FROM = secondsAfter(-DAY);

export interface OpenedRetention extends OpenedFigures {
  readonly queries: Queries;
  readonly operatorQueries: OperatorQueries;
}

export function describeInvoiceRetention(name: string, open: () => Promise<OpenedRetention>): void {
  describe(`${name}: retention of unpaid invoices`, () => {
    const storage = openedFor(open);
    const ports = () => storage.ports();

    /** How many went, in sets. */
    async function remove(before: Date, limit = 100): Promise<number> {
      const setAfter = (last: ExpiredPlace | null) =>
        storage.run((r) => r.invoiceRetention.expiredUnpaid({ from: FROM, before }, { after: last, limit }));
      let gone = 0;
      for (let set = await setAfter(null); set.length > 0; set = await setAfter(set.at(-1) ?? null)) {
        const ids = set.map(({ id }) => id);
        gone += await storage.run((r) => r.invoiceRetention.removeUnpaid(ids));
      }
      return gone;
    }
    const idsOf = async (scope: Scope): Promise<readonly string[]> => {
      const ids: string[] = [];
      for await (const rows of ports().queries.every.invoices(scope, NONE, 'asc'))
        ids.push(...rows.map(({ id }) => id));
      return ids;
    };
    /** Of lists and days: these invoices have no deposits. */
    const faults = async () =>
      (await ports().operatorQueries.reconciliationFaults()).filter(({ check }) => OF_LISTS.test(check));

    /** An invoice that expired on that day, with what `also` writes. */
    async function expired(
      scope: Scope,
      { day = 0, ...given }: Partial<Invoice> & { readonly day?: number } = {},
      also: (repositories: Repositories, invoice: Invoice) => Promise<unknown> = async () => undefined,
    ): Promise<Invoice> {
      const times = { createdAt: after(day), expiresAt: after(day) };
      const invoice = anInvoice({ ...scope, ...times, ...inStatus('expired', after(day)), ...given });
      await storage.run(async (r) => {
        await r.invoices.insert(invoice);
        await also(r, invoice);
      });
      return invoice;
    }
    async function aScope(): Promise<Scope> {
      return { merchantId: (await storage.merchant()).id, sandbox: false };
    }

    test('only what expired then goes, and what was paid, waits or was cancelled stays', async () => {
      const scope = await aScope();
      const kept: string[] = [];
      for (const status of INVOICE_STATUSES.filter((each) => each !== 'expired'))
        kept.push((await expired(scope, inStatus(status))).id);
      const [old, young] = [await expired(scope, { day: 1 }), await expired(scope, { day: 3 })];
      expect(await remove(after(2))).toBe(1);
      expect(await idsOf(scope)).toEqual([...kept, young.id]);
      expect(await storage.run((r) => r.invoices.find(old.id))).toBeNull();
      expect(await storage.run((r) => r.invoices.lock(old.id))).toBeNull();
      expect(await faults()).toEqual([]);
    });

    const at = (invoice: Invoice) =>
      anIssuedAddress({ ...scopeOf(invoice), invoiceId: invoice.id, issuedAt: invoice.createdAt });
    const paid = (invoice: Invoice, given: Partial<Parameters<typeof aDeposit>[0]> = {}) =>
      aDeposit({ ...scopeOf(invoice), invoiceId: invoice.id, ...given });
    test.each([
      [
        'a payment that is gone',
        (r, i) => r.deposits.insertAll([paid(i, { status: 'dropped', block: null })]),
      ],
      [
        'an unmatched payment at its address',
        async (r, i) => {
          const issued = at(i);
          await r.addresses.insert(issued);
          const { address } = issued;
          await r.deposits.insertAll([
            paid(i, { invoiceId: null, address, status: 'stray', strayReason: 'invoice_closed' }),
          ]);
        },
      ],
      ['a webhook', (r, i) => r.webhooks.enqueue(aDelivery({ ...scopeOf(i), invoiceId: i.id }))],
      ['an entry of the ledger', (r, i) => r.ledger.post(anEntry({ ...scopeOf(i), referenceId: i.id }))],
      ['a payout', (r, i) => r.payouts.insert(aPayout({ ...scopeOf(i), kind: 'refund', invoiceId: i.id }))],
      [
        'an e-mail',
        (r, i) =>
          r.customerMails.queue({
            ...{ id: anId(), ...scopeOf(i), invoiceId: i.id, kind: 'receipt', refundClaimId: null },
            ...{ recipient: 'ann@customer.example', language: 'de', status: 'queued', tries: 0 },
            ...{ dueAt: NOW, failure: null, createdAt: NOW },
          }),
      ],
      [
        'a claim',
        (r, i) =>
          r.refundClaims.insert({
            ...{ id: anId(), ...scopeOf(i), invoiceId: i.id, subject: 'invoice', depositId: null, units: 5n },
            ...{ asset: 'usdt_ethereum', feeBearer: 'client', onCheckout: true, orderedBy: null },
            ...{ status: 'open', address: null, payoutId: null, expiresAt: after(9), createdAt: NOW },
            updatedAt: NOW,
          }),
      ],
    ] as readonly [string, (r: Repositories, invoice: Invoice) => Promise<unknown>][])(
      'one with %s stays',
      async (_, also) => {
        const scope = await aScope();
        const named = await expired(scope, {}, also);
        await expired(scope);
        await remove(after(2));
        expect(await idsOf(scope)).toEqual([named.id]);
      },
    );

    test.each(['pendingUnits', 'creditedUnits', 'heldUnits'] as const)(
      'one that counts money stays, though no payment names it (%s)',
      async (counted) => {
        const scope = await aScope();
        const invoice = await expired(scope, { funds: { ...NOTHING, [counted]: 1n } });
        expect(await remove(after(2))).toBe(0);
        expect(await idsOf(scope)).toEqual([invoice.id]);
      },
    );

    test('one of a permanent address stays', async () => {
      const scope = await aScope();
      const invoice = await expired(scope, {
        ...{ billingType: 'VARY', userId: 'ann', bindsPermanentAddress: true },
      });
      expect(await remove(after(2))).toBe(0);
      expect(await idsOf(scope)).toEqual([invoice.id]);
    });

    test('its address stays with its id, its external_id is free, and its number is never given again', async () => {
      const scope = await aScope();
      const first = await expired(scope);
      const issued = at(first);
      await storage.run((r) => r.addresses.insert(issued));
      const second = await expired(scope);
      expect(await remove(after(2))).toBe(2);
      const found = await storage.run((r) => r.addresses.find(issued.family, [issued.address]));
      expect(found).toMatchObject([{ invoiceId: first.id, merchantId: scope.merchantId }]);
      const again = await expired(scope, { externalId: second.externalId, day: 9 });
      expect(await idsOf(scope)).toEqual([again.id]);
      const page = await ports().queries.invoices(scope, NONE, NEWEST, { page: 1, perPage: 10 });
      expect(page).toMatchObject({ total: 1, rows: [{ id: again.id }] });
      expect(await faults()).toEqual([]);
      expect(await ports().consoleQueries.createdPerDay(scope, daysFrom(0, 9))).toEqual([
        ...[2, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      ]);
    });

    test('what stays keeps no other one from its turn, in sets of any size', async () => {
      const scope = await aScope();
      const kept: string[] = [];
      for (let nth = 0; nth < 12; nth += 1) {
        const stays = nth % 3 !== 2;
        const invoice = await expired(scope, {}, async (r, each) => {
          if (stays) await r.webhooks.enqueue(aDelivery({ ...scope, invoiceId: each.id }));
        });
        if (stays) kept.push(invoice.id);
      }
      expect(await remove(after(1), 2)).toBe(4);
      expect(await idsOf(scope)).toEqual(kept);
    });

    test('pages, totals, figures and whole lists are those of the rows that are left, whatever goes', async () => {
      // What other tests left.
      await remove(after(100));
      const random = seeded(5);
      const [one, two] = [await aScope(), await aScope()];
      const scopes = [one, { ...one, sandbox: true }, two] as const;
      let left: Invoice[] = [];
      const all: Invoice[] = [];
      for (let nth = 0; nth < 90; nth += 1) {
        const status = random.pick(['expired', 'expired', 'success', 'created', 'cancelled'] as const);
        all.push(await expired(random.pick(scopes), { ...inStatus(status, after(nth / 9)), day: nth / 9 }));
      }
      left = all;
      for (const day of [2, 5, 8, 20]) {
        const goes = ({ status, processedAt }: Invoice) =>
          status === 'expired' && processedAt !== null && processedAt < after(day);
        expect(await remove(after(day), 1 + random.int(9))).toBe(left.filter(goes).length);
        left = left.filter((invoice) => !goes(invoice));
        for (const scope of scopes) {
          const isMine = (invoice: Invoice) =>
            invoice.merchantId === scope.merchantId && invoice.sandbox === scope.sandbox;
          const mine = left.filter(isMine);
          expect(await idsOf(scope)).toEqual(mine.map(({ id }) => id));
          for (let request = 0; request < 15; request += 1) {
            const [from, to] = [random.pick([null, after(3)]), random.pick([null, after(7)])];
            const order = random.pick(['asc', 'desc'] as const);
            const page = { page: 1 + random.int(4), perPage: random.pick([1, 7, 100]) };
            const status = random.pick([null, null, 'expired', 'success'] as const);
            const matching = mine.filter(
              (invoice) =>
                (from === null || invoice.createdAt >= from) &&
                (to === null || invoice.createdAt <= to) &&
                (status === null || invoice.status === status),
            );
            const wanted = cut(order === 'asc' ? matching : matching.toReversed(), page);
            const found = await ports().queries.invoices(
              scope,
              { ...NONE, from, to, status },
              { by: 'created_at', order },
              page,
            );
            expect([found.total, found.rows.map(({ id }) => id)]).toEqual([
              wanted.total,
              wanted.rows.map(({ id }) => id),
            ]);
          }
          const range = daysFrom(0, 10);
          const figures = ports().consoleQueries;
          const created = await figures.createdPerDay(scope, range);
          for (const its of overviewDays(range, await figures.daySums(scope, range), created)) {
            const ofDay = all.filter((invoice) => isMine(invoice) && dayOf(invoice.createdAt) === its.day);
            const count = (...statuses: readonly string[]) =>
              ofDay.filter((invoice) => statuses.includes(invoice.status)).length;
            expect(its).toMatchObject({
              ...{ created: ofDay.length, paid: count('success') },
              expired: count('expired', 'cancelled'),
            });
          }
        }
        await storage.run((r) => r.dayFigures.fold(1_000));
        await storage.run((r) => r.listCounts.fold(1_000));
        expect(await faults()).toEqual([]);
      }
    });

    /** A run of the job that keeps 30 days, with its clock; `seen` is the time by the chains. */
    async function runJob(clock: Date, seen: Date | null, stopping?: AbortSignal): Promise<void> {
      if (seen !== null)
        await storage.run(async ({ chains }) => {
          const block = { height: 1, hash: anId(), coveredUntil: seen, finalizedHeight: 1 };
          await chains.moveCursor('ethereum', await chains.cursor('ethereum'), block);
        });
      const deps = { unitOfWork: { run: storage.run }, clock: { now: () => clock } };
      const retention = { webhookDays: 0, signedDays: 0, unpaidDays: 30 };
      const [its, these] = [deps, { watchers: [], retention }] as unknown as Parameters<typeof workerJobs>;
      const jobs = workerJobs(its, these);
      await jobs.find(({ name: job }) => job === 'forget-unpaid')?.run(stopping);
    }

    test('K7: a clock that is ahead of the chains removes nothing early, nor what a clock far behind ended', async () => {
      const scope = await aScope();
      const far = await expired(scope, { ...inStatus('expired', new Date(5)), createdAt: new Date(5) });
      const invoice = await expired(scope);
      await runJob(after(400), null);
      expect(await idsOf(scope)).toContain(invoice.id);
      await runJob(after(400), after(29));
      expect(await idsOf(scope)).toContain(invoice.id);
      await runJob(after(29), after(400));
      expect(await idsOf(scope)).toContain(invoice.id);
      await runJob(after(400), after(31));
      expect(await idsOf(scope)).toEqual([far.id]);
    });

    test('a run ends when the service stops, and the next one goes on', async () => {
      const scope = await aScope();
      await expired(scope);
      const stopping = new AbortController();
      stopping.abort();
      await runJob(after(400), after(400), stopping.signal);
      expect(await idsOf(scope)).toHaveLength(1);
      await runJob(after(400), after(400));
      expect(await idsOf(scope)).toEqual([]);
    });

    test('several workers at once remove each one once', async () => {
      const scope = await aScope();
      for (let nth = 0; nth < 20; nth += 1) await expired(scope);
      const removed = await Promise.all(Array.from({ length: 4 }, () => remove(after(2), 3)));
      const rest = await remove(after(2), 100);
      expect(removed.reduce((sum, count) => sum + count, 0) + rest).toBe(20);
      expect(await idsOf(scope)).toEqual([]);
      expect(await faults()).toEqual([]);
    });
  });
}

const OF_LISTS = /numbered without gaps|counts of lists|sums of days/;
const NOTHING = { pendingUnits: 0n, creditedUnits: 0n, heldUnits: 0n };
const NONE = { ids: null, status: null, asset: null, from: null, to: null };
const NEWEST = { by: 'created_at', order: 'desc' } as const;
const scopeOf = ({ merchantId, sandbox }: Invoice): Scope => ({ merchantId, sandbox });
const daysFrom = (first: number, last: number) => ({ first: dayOf(NOW) + first, last: dayOf(NOW) + last });
