/** What every Queries must do beside its lists: find one thing, within one merchant and environment only. */
import { describe, expect, test } from 'bun:test';
import type { Queries } from '../../src/ports/queries.ts';
import {
  aKey,
  aMerchant,
  anId,
  anInvoice,
  aPayout,
  aPermanentAddress,
  secondsAfter,
} from '../support/builders.ts';
import { type Opened, openedFor } from './opened.ts';

export interface OpenedQueries extends Opened {
  readonly queries: Queries;
}

export function describeQueries(name: string, open: () => Promise<OpenedQueries>): void {
  describe(`${name}: queries`, () => {
    const storage = openedFor(open);
    const queries = (): Queries => storage.ports().queries;

    test('a key is known by its lookup hash, with its merchant and environment, until it is revoked', async () => {
      const merchant = await storage.merchant();
      const first = aKey({ merchantId: merchant.id, environment: 'sandbox' });
      const second = aKey({ merchantId: merchant.id, environment: 'sandbox', createdAt: secondsAfter(1) });
      await storage.run((r) => r.merchants.putKey(first));
      expect(await queries().identity(first.lookupHash)).toEqual({ merchant, environment: 'sandbox' });
      await storage.run((r) => r.merchants.putKey(second));
      expect(await queries().identity(first.lookupHash)).toBeNull();
      expect((await queries().identity(second.lookupHash))?.environment).toBe('sandbox');
      expect(await queries().identity('nothing')).toBeNull();
    });

    test('what belongs to another merchant or environment is not found', async () => {
      const { id: merchantId } = await storage.merchant();
      const { id: stranger } = await storage.merchant();
      const invoice = anInvoice({ merchantId, metadata: { a: 1 } });
      const payout = aPayout({ merchantId });
      const address = aPermanentAddress({ merchantId });
      await storage.run(async (r) => {
        await r.invoices.insert(invoice);
        await r.payouts.insert(payout);
        await r.permanentAddresses.insertIfAbsent(address);
      });
      const own = { merchantId, sandbox: false };
      expect(await queries().invoice(own, invoice.id)).toEqual(invoice);
      expect(await queries().payout(own, payout.id)).toEqual(payout);
      expect(await queries().permanentAddress(own, address.id)).toEqual(address);
      for (const scope of [
        { merchantId: stranger, sandbox: false },
        { merchantId, sandbox: true },
      ]) {
        expect(await queries().invoice(scope, invoice.id)).toBeNull();
        expect(await queries().payout(scope, payout.id)).toBeNull();
        expect(await queries().permanentAddress(scope, address.id)).toBeNull();
      }
      expect(await queries().invoice(own, anId())).toBeNull();
    });

    test('the checkout finds an invoice by its external id', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId, sandbox: true });
      await storage.run((r) => r.invoices.insert(invoice));
      expect(await queries().invoiceByExternalId(invoice.externalId)).toEqual(invoice);
      expect(await queries().invoiceByExternalId('00000000-0000-4000-8000-eeeeeeeeeeee')).toBeNull();
      expect(await queries().invoiceByExternalId('../../etc/passwd')).toBeNull();
    });

    test('a merchant without movements has a balance of zero', async () => {
      const zero = { incomeMicroUsd: 0n, payoutsMicroUsd: 0n, refundsMicroUsd: 0n };
      const { id: merchantId } = await storage.merchant();
      expect(await queries().balance({ merchantId, sandbox: true })).toEqual(zero);
      expect(await queries().balance({ merchantId: aMerchant().id, sandbox: false })).toEqual(zero);
    });
  });
}
