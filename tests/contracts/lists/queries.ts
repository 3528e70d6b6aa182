/**
 * The contract of Queries without its lists: it finds single objects, within one merchant and
 * environment only.
 */
import { describe, expect, test } from 'bun:test';
import type { Queries } from '../../../src/ports/list-queries.ts';
import {
  aKey,
  aMerchant,
  anId,
  anInvoice,
  aPayout,
  aPermanentAddress,
  NOW,
  secondsAfter,
} from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

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
      await storage.run((r) => r.merchants.putKey(first, null));
      expect(await queries().identity(first.lookupHash, NOW)).toEqual({
        merchant,
        environment: 'sandbox',
        firstUse: false,
      });
      await storage.run((r) => r.merchants.putKey(second, null));
      expect(await queries().identity(first.lookupHash, NOW)).toBeNull();
      expect((await queries().identity(second.lookupHash, NOW))?.environment).toBe('sandbox');
      expect(await queries().identity('nothing', NOW)).toBeNull();
    });

    test('in an overlap both keys are known, the older one until its end, and the newer one as unused until that is noted', async () => {
      const { id: merchantId } = await storage.merchant();
      const [older, newer] = [aKey({ merchantId }), aKey({ merchantId, createdAt: secondsAfter(1) })];
      await storage.run((r) => r.merchants.putKey(older, null));
      expect((await queries().identity(older.lookupHash, NOW))?.firstUse).toBe(false);
      await storage.run((r) => r.merchants.putKey(newer, secondsAfter(60)));
      const known = async (seconds: number) => {
        const found = [older, newer].map((key) => queries().identity(key.lookupHash, secondsAfter(seconds)));
        return (await Promise.all(found)).map((identity) => identity?.firstUse ?? null);
      };
      expect(await known(59.999)).toEqual([false, true]);
      expect(await known(60)).toEqual([null, true]);
      await storage.run((r) => r.merchants.noteFirstUse(newer.lookupHash, NOW));
      expect(await known(59.999)).toEqual([false, false]);
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
