/**
 * The contract of InvoiceWriter: durable, dense in its merchant's list, and a failing invoice
 * affects no other.
 */
import { describe, expect, test } from 'bun:test';
import { InvoiceIdTaken, type InvoiceWriter } from '../../../src/ports/invoices/invoice-writer.ts';
import type { Queries } from '../../../src/ports/list-queries.ts';
import { anId, anInvoice, anIssuedAddress, NOW, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export interface OpenedIntake extends Opened {
  /** Two of them, like two instances of the service. */
  readonly intakes: readonly [InvoiceWriter, InvoiceWriter];
  readonly queries: Queries;
}

export function describeInvoiceWriter(name: string, open: () => Promise<OpenedIntake>): void {
  describe(`${name}: invoice intake`, () => {
    const storage = openedFor(open);
    const add = (
      invoice: Parameters<InvoiceWriter['add']>[0],
      address: Parameters<InvoiceWriter['add']>[1] = null,
    ) => storage.ports().intakes[0].add(invoice, address);

    test('the invoice is stored with its address before the answer comes', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId, metadata: { a: 1 }, acceptedCoins: ['x', 'y"z'] });
      const address = anIssuedAddress({ merchantId, invoiceId: invoice.id });
      expect(await add(invoice, address)).toEqual(invoice);
      await storage.run(async (r) => {
        expect(await r.invoices.find(invoice.id)).toEqual(invoice);
        expect(await r.addresses.find('evm', [address.address])).toEqual([address]);
      });
    });

    test('several merchants and two instances at once: every list is dense, and its times never run backwards', async () => {
      const merchants = await Promise.all(Array.from({ length: 5 }, () => storage.merchant()));
      const invoices = Array.from({ length: 600 }, (_, i) =>
        anInvoice({
          merchantId: merchants[(i * 7) % 5]?.id ?? '',
          sandbox: i % 3 === 0,
          // The clocks of instances differ, and requests overtake each other.
          createdAt: secondsAfter(((i * 37) % 50) / 1000, NOW),
        }),
      );
      const stored = await Promise.all(
        invoices.map((invoice, i) =>
          i % 4 === 0
            ? storage.run((r) => r.invoices.insert(invoice)).then(() => null)
            : storage.ports().intakes[i % 2 === 0 ? 0 : 1].add(invoice, null),
        ),
      );
      for (const invoice of stored) {
        if (invoice) expect(await storage.run((r) => r.invoices.find(invoice.id))).toEqual(invoice);
      }
      let seen = 0;
      for (const { id: merchantId } of merchants) {
        for (const sandbox of [true, false]) {
          const listed = [];
          const filter = { status: null, asset: null, ids: null, from: null, to: null };
          for (let page = 1; ; page++) {
            const { rows, total } = await storage
              .ports()
              .queries.invoices(
                { merchantId, sandbox },
                filter,
                { by: 'created_at', order: 'asc' },
                { page, perPage: 100 },
              );
            listed.push(...rows);
            if (rows.length === 0) {
              expect(listed).toHaveLength(total);
              break;
            }
          }
          const times = listed.map((invoice) => invoice.createdAt.getTime());
          expect(times).toEqual(times.toSorted((a, b) => a - b));
          expect(new Set(listed.map((invoice) => invoice.id)).size).toBe(listed.length);
          seen += listed.length;
        }
      }
      expect(seen).toBe(600);
    });

    test('the answer carries the time that is stored', async () => {
      const { id: merchantId } = await storage.merchant();
      await add(anInvoice({ merchantId, createdAt: secondsAfter(60) }));
      const early = anInvoice({ merchantId, createdAt: NOW });
      expect((await add(early)).createdAt).toEqual(secondsAfter(60));
    });

    test('a bad invoice fails alone, whatever it was grouped with', async () => {
      const { id: merchantId } = await storage.merchant();
      const first = anInvoice({ merchantId });
      const good = Array.from({ length: 10 }, () => anInvoice({ merchantId }));
      const bad = [
        first,
        anInvoice({ merchantId: anId() }),
        anInvoice({ merchantId, initialFiatMicros: -1n }),
        anInvoice({ merchantId, externalId: first.externalId }),
      ];
      await add(first);
      const results = await Promise.allSettled(
        [...good.slice(0, 5), ...bad, ...good.slice(5)].map((invoice) => add(invoice)),
      );
      expect(results[5]).toMatchObject({ reason: expect.any(InvoiceIdTaken) });
      const outcome = results.map((result) => result.status);
      const fulfilled = Array.from({ length: 5 }, () => 'fulfilled');
      expect(outcome).toEqual([...fulfilled, ...bad.map(() => 'rejected'), ...fulfilled] as typeof outcome);
      const scope = { merchantId, sandbox: false };
      const filter = { status: null, asset: null, ids: null, from: null, to: null };
      const page = await storage
        .ports()
        .queries.invoices(scope, filter, { by: 'created_at', order: 'asc' }, { page: 1, perPage: 100 });
      expect(page.total).toBe(11);
      expect(new Set(page.rows.map((row) => row.id))).toEqual(
        new Set([first, ...good].map((invoice) => invoice.id)),
      );
    });

    test('an address cannot be issued twice', async () => {
      const { id: merchantId } = await storage.merchant();
      const [one, two] = [anInvoice({ merchantId }), anInvoice({ merchantId })];
      const address = anIssuedAddress({ merchantId, invoiceId: one.id });
      const results = await Promise.allSettled([
        add(one, address),
        add(two, { ...address, invoiceId: two.id }),
      ]);
      expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected']);
      expect(await storage.run((r) => r.invoices.find(two.id))).toBeNull();
    });
  });
}
