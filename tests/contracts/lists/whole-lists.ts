/** The contract of whole lists, read batch by batch, against the pages of the same lists. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import {
  type InvoiceFilter,
  ListRefused,
  type Queries,
  type Scope,
} from '../../../src/ports/list-queries.ts';
import { aMerchant, anInvoice, aPayout, inStatus, NOW, secondsAfter } from '../../support/builders.ts';
import { openedFor } from '../opened.ts';
import type { OpenedQueries } from './queries.ts';

const ALL: InvoiceFilter = { from: null, to: null, status: null, asset: null, ids: null };
const COUNT = 1_300;

export function describeWholeLists(name: string, open: () => Promise<OpenedQueries>): void {
  describe(`${name}: whole lists`, () => {
    const storage = openedFor(open);
    const queries = (): Queries => storage.ports().queries;
    let scope: Scope;

    beforeAll(async () => {
      scope = { merchantId: (await storage.merchant()).id, sandbox: false };
      const invoices = Array.from({ length: COUNT }, (_, place) => {
        const seq = place + 1;
        const isExpired = seq % 400 === 3 || seq > 1_200;
        return anInvoice({
          ...scope,
          ...(isExpired ? { ...inStatus('expired'), processedAt: NOW, updatedAt: secondsAfter(1) } : null),
          createdAt: secondsAfter(seq),
        });
      });
      await storage.run(async (r) => {
        for (const invoice of invoices) await r.invoices.insert(invoice);
      });
    }, 60_000);

    async function whole(filter: InvoiceFilter, order: 'asc' | 'desc'): Promise<Invoice[]> {
      const found: Invoice[] = [];
      for await (const batch of queries().every.invoices(scope, filter, order)) {
        expect(batch.length).toBeLessThanOrEqual(250);
        found.push(...batch);
      }
      return found;
    }

    for (const order of ['asc', 'desc'] as const)
      test(`are what their pages are, in batches, ${order}`, async () => {
        const expired = { ...ALL, status: 'expired' } as const;
        const ids = (await whole(ALL, 'asc')).slice(0, 3).map(({ id }) => id);
        const filters: InvoiceFilter[] = [
          ...[
            ALL,
            expired,
            { ...ALL, status: 'failed' } as const,
            { ...ALL, ids },
            { ...ALL, updatedFrom: secondsAfter(1) },
          ],
          ...[
            { ...expired, from: secondsAfter(600), to: secondsAfter(1_250) },
            { ...ALL, from: secondsAfter(5_000) },
            { ...ALL, extra: 'no-such' },
          ],
        ];
        for (const filter of filters) {
          const paged: string[] = [];
          for (let page = 1; paged.length === (page - 1) * 100; page += 1) {
            const of = { page, perPage: 100 };
            const { rows } = await queries().invoices(scope, filter, { by: 'created_at', order }, of);
            paged.push(...rows.map(({ id }) => id));
          }
          const found = (await whole(filter, order)).map(({ id }) => id);
          expect([filter, found.length, found]).toEqual([filter, paged.length, paged]);
        }
      });

    test('leave out what is created while they are read, and nothing else; payouts and the ledger, too', async () => {
      const batches = queries().every.invoices(scope, ALL, 'asc')[Symbol.asyncIterator]();
      const first = await batches.next();
      await storage.run((r) => r.invoices.insert(anInvoice({ ...scope, createdAt: secondsAfter(9_000) })));
      let count = first.done === true ? 0 : first.value.length;
      for (let next = await batches.next(); next.done !== true; next = await batches.next())
        count += next.value.length;
      expect([count, (await whole(ALL, 'desc')).length]).toEqual([COUNT, COUNT + 1]);

      const payouts = [aPayout({ ...scope, ref: 'one' }), aPayout({ ...scope, createdAt: secondsAfter(1) })];
      await storage.run(async (r) => {
        for (const payout of payouts) await r.payouts.insert(payout);
      });
      const none = { from: null, to: null, asset: null, ids: null };
      const { every } = queries();
      expect(await Array.fromAsync(every.payouts(scope, none, 'desc'))).toEqual([payouts.toReversed()]);
      expect(await Array.fromAsync(every.payouts(scope, { ...none, ref: 'one' }, 'desc'))).toEqual([
        payouts.slice(0, 1),
      ]);
      expect(await Array.fromAsync(every.ledger(scope, { from: null, to: null, type: null }))).toEqual([]);
    });

    test('W2: a merchant has one at a time, which takes turns with its other lists; one that was left is over', async () => {
      const batches = queries().every.invoices(scope, ALL, 'desc')[Symbol.asyncIterator]();
      await batches.next();
      const second = queries().every.payouts(scope, ALL, 'desc')[Symbol.asyncIterator]();
      await expect(second.next()).rejects.toThrow(new ListRefused('busy'));
      const stranger = { ...scope, sandbox: true, merchantId: aMerchant().id };
      expect(await Array.fromAsync(queries().every.invoices(stranger, ALL, 'desc'))).toEqual([]);
      const page = () =>
        queries().invoices(scope, ALL, { by: 'amount', order: 'desc' }, { page: 1, perPage: 5 });
      const pages = await Promise.all([page(), page(), page(), batches.next(), page()]);
      expect(pages).toHaveLength(5);
      await batches.return?.();
      expect((await whole(ALL, 'desc')).length).toBe(COUNT + 1);
    });
  });
}
