/**
 * The contract of lists that one value finds: a transaction, an address, an id of the merchant's
 * own; within one merchant and environment, whoever else has the same value.
 */
import { describe, expect, test } from 'bun:test';
import type { InvoiceFilter, PayoutFilter, Scope } from '../../../src/ports/list-queries.ts';
import {
  aDeposit,
  aHash,
  anAddress,
  anId,
  anInvoice,
  anIssuedAddress,
  aPayout,
  aPermanentAddress,
  aPrice,
  secondsAfter,
} from '../../support/builders.ts';
import { openedFor } from '../opened.ts';
import type { OpenedQueries } from './queries.ts';

const PAGE = { page: 1, perPage: 20 };
const ALL = { from: null, to: null, asset: null, ids: null };

export function describeFoundRows(name: string, open: () => Promise<OpenedQueries>): void {
  describe(`${name}: rows that one value finds`, () => {
    const storage = openedFor(open);

    async function scopeOf(): Promise<Scope> {
      return { merchantId: (await storage.merchant()).id, sandbox: false };
    }

    async function invoices(scope: Scope, filter: Partial<InvoiceFilter>): Promise<readonly string[]> {
      const sort = { by: 'created_at', order: 'asc' } as const;
      const whole = { ...ALL, status: null, ...filter };
      const { rows, total } = await storage.ports().queries.invoices(scope, whole, sort, PAGE);
      expect(total).toBe(rows.length);
      const batches = await Array.fromAsync(storage.ports().queries.every.invoices(scope, whole, 'asc'));
      expect(batches.flat()).toEqual([...rows]);
      return rows.map(({ id }) => id);
    }

    async function payouts(scope: Scope, filter: Partial<PayoutFilter>): Promise<readonly string[]> {
      const sort = { by: 'created_at', order: 'asc' } as const;
      const { rows } = await storage.ports().queries.payouts(scope, { ...ALL, ...filter }, sort, PAGE);
      return rows.map(({ id }) => id);
    }

    test('invoices: by a transaction of any of their payments, whatever became of it', async () => {
      const [scope, other] = [await scopeOf(), await scopeOf()];
      const txid = aHash();
      const own = [anInvoice(scope), anInvoice({ ...scope, createdAt: secondsAfter(1) }), anInvoice(scope)];
      const [first, second] = own;
      const foreign = anInvoice(other);
      if (first === undefined || second === undefined) throw new Error('three invoices were made');
      await storage.run(async (r) => {
        for (const invoice of [...own, foreign]) await r.invoices.insert(invoice);
        for (const [invoice, status] of [
          [first, 'confirming'],
          [second, 'dropped'],
          [foreign, 'confirming'],
        ] as const)
          await r.deposits.insertAll([
            aDeposit({
              ...{ merchantId: invoice.merchantId, invoiceId: invoice.id, txid, status, output: anId() },
              block: status === 'dropped' ? null : { height: 100, hash: aHash() },
            }),
          ]);
        await r.deposits.insertAll([aDeposit({ ...scope, txid, output: anId() })]);
      });
      expect(await invoices(scope, { txids: [txid, txid.toUpperCase()] })).toEqual([first.id, second.id]);
      expect(await invoices(scope, { txids: [txid], from: secondsAfter(1) })).toEqual([second.id]);
      expect(await invoices(other, { txids: [txid] })).toEqual([foreign.id]);
      expect(await invoices({ ...scope, sandbox: true }, { txids: [txid] })).toEqual([]);
      expect(await invoices(scope, { txids: [aHash()] })).toEqual([]);
      expect(await invoices(scope, { txids: [] })).toEqual([]);
    });

    test('invoices: by an address of their own, or the permanent one of their user that they have or had', async () => {
      const [scope, other] = [await scopeOf(), await scopeOf()];
      const permanent = aPermanentAddress({ ...scope, userId: 'user-1', address: anAddress() });
      const foreign = aPermanentAddress({ ...other, userId: 'user-1', address: anAddress() });
      const address = anAddress();
      const choice = (asset: string, permanentAddressId: string | null) => ({
        ...{ price: aPrice({ asset }), addressTo: permanent.address, permanentAddressId },
      });
      const user = { ...scope, userId: 'user-1', billingType: 'VARY' } as const;
      const [plain, now, before, never, stranger] = [
        anInvoice(scope),
        anInvoice({ ...user, permanentAddressId: permanent.id }),
        anInvoice({
          ...{ ...user, customerChooses: true },
          earlierChoices: [choice('btc_bitcoin', null), choice('eth_base', permanent.id)],
        }),
        anInvoice(user),
        anInvoice({ ...user, userId: 'user-2', permanentAddressId: permanent.id }),
      ];
      await storage.run(async (r) => {
        for (const one of [permanent, foreign]) {
          const { id: permanentAddressId, merchantId, sandbox, address: at } = one;
          await r.permanentAddresses.insertIfAbsent(one);
          await r.addresses.insert(anIssuedAddress({ merchantId, sandbox, address: at, permanentAddressId }));
        }
        for (const invoice of [plain, now, before, never, stranger]) await r.invoices.insert(invoice);
        await r.addresses.insert(anIssuedAddress({ ...scope, address, invoiceId: plain.id }));
      });
      expect(await invoices(scope, { addresses: ['elsewhere', address] })).toEqual([plain.id]);
      expect(await invoices(scope, { addresses: [permanent.address] })).toEqual([now.id, before.id]);
      expect(await invoices(scope, { addresses: [permanent.address], userId: 'user-2' })).toEqual([]);
      expect(await invoices(scope, { addresses: [foreign.address] })).toEqual([]);
      expect(await invoices(other, { addresses: [address, permanent.address] })).toEqual([]);
      const wanted = { family: null, userId: null, active: null, addresses: [permanent.address, address] };
      const { queries } = storage.ports();
      expect(await queries.permanentAddresses(scope, wanted, PAGE)).toEqual({ rows: [permanent], total: 1 });
      expect(await queries.permanentAddresses(other, wanted, PAGE)).toEqual({ rows: [], total: 0 });
    });

    test('payouts: by any of their transactions, and their address in any case', async () => {
      const [scope, other] = [await scopeOf(), await scopeOf()];
      const [older, newer] = [aHash(), aHash()];
      const address = '0xAbCdEf0000000000000000000000000000000001';
      const sent = aPayout({ ...scope, address, txid: newer, txHashes: [older, newer] });
      const fresh = aPayout({ ...scope, address: address.toLowerCase() });
      await storage.run(async (r) => {
        for (const payout of [sent, fresh, aPayout({ ...other, address })]) await r.payouts.insert(payout);
      });
      expect(await payouts(scope, { txids: [older] })).toEqual([sent.id]);
      expect(await payouts(scope, { txids: [aHash(), newer] })).toEqual([sent.id]);
      expect(await payouts(scope, { txids: [] })).toEqual([]);
      expect(await payouts(other, { txids: [older] })).toEqual([]);
      expect(await payouts(scope, { address: address.toUpperCase() })).toEqual([sent.id, fresh.id]);
      expect(await payouts(scope, { address, txids: [newer] })).toEqual([sent.id]);
    });

    test('an external id is found in upper case, too', async () => {
      const scope = await scopeOf();
      const invoice = anInvoice(scope);
      await storage.run((r) => r.invoices.insert(invoice));
      const externalId = invoice.externalId.toUpperCase();
      expect(await invoices(scope, { externalId })).toEqual([invoice.id]);
      expect((await storage.ports().queries.invoiceByExternalId(externalId))?.id).toBe(invoice.id);
    });
  });
}
