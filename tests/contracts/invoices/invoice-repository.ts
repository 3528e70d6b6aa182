/** The contract of InvoiceRepository. */
import { describe, expect, test } from 'bun:test';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import type { JsonObject } from '../../../src/domain/money/json.ts';
import {
  aHash,
  anAddress,
  anId,
  anInvoice,
  aPermanentAddress,
  aPrice,
  NOW,
  secondsAfter,
} from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export function describeInvoiceRepository(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: invoices`, () => {
    const storage = openedFor(open);
    const insert = (invoice: Invoice) => storage.run((r) => r.invoices.insert(invoice));
    const find = (id: string) => storage.run((r) => r.invoices.find(id));

    test('an invoice with every field set is found as it was inserted', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({
        merchantId,
        sandbox: true,
        billingType: 'VARY',
        tolerancePpm: 12_500n,
        toleranceGiven: true,
        price: aPrice({ dueUnits: 2n ** 256n - 1n, originalUnits: 12n }),
        priceModifierPpm: -50_000n,
        acceptedCoins: ['usdt_ethereum', 'btc_bitcoin'],
        excludedCoins: [],
        extra: 'order-1',
        title: `It's "quoted" {and} \\ braced`,
        description: 'ünïcödé 💶',
        onPaidUrl: 'https://shop.example/ok',
        onCancelUrl: 'https://shop.example/no',
        notifyUrl: 'https://shop.example/hook',
        webhookFormat: 'cryptomus',
        bindsPermanentAddress: true,
        userId: 'user-1',
        metadata: { zebra: 1, apple: [true, null, { deep: 'x' }] },
        payerInfo: { email: 'a@b.example' },
      });
      await insert(invoice);
      expect(await find(invoice.id)).toEqual(invoice);
    });

    test('an invoice without an asset has no price', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId, price: null });
      await insert(invoice);
      expect(await find(invoice.id)).toEqual(invoice);
    });

    test('metadata keeps the order of its keys and its exact decimals', async () => {
      const { id: merchantId } = await storage.merchant();
      const text = '{"b":0.1234567890123456789,"a":1e400,"c":[12345678901234567890,-0.0,1.0,5]}';
      const metadata = JSON.parse(text, (_key, value, context?: { source?: string }) =>
        typeof value === 'number'
          ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(context?.source ?? '')
          : value,
      ) as JsonObject;
      const invoice = anInvoice({ merchantId, metadata });
      await insert(invoice);
      const found = await find(invoice.id);
      expect(JSON.stringify(found?.metadata)).toBe(text);
      expect(found?.metadata).toHaveProperty('c.3', 5);
    });

    test('an invoice of an unknown merchant is refused', async () => {
      await expect(insert(anInvoice({ merchantId: anId() }))).rejects.toThrow();
    });

    test('created_at never lies before that of an earlier invoice of the merchant', async () => {
      const { id: merchantId } = await storage.merchant();
      await insert(anInvoice({ merchantId, createdAt: secondsAfter(10) }));
      const early = anInvoice({ merchantId, createdAt: secondsAfter(3) });
      const otherEnvironment = anInvoice({ merchantId, createdAt: secondsAfter(3), sandbox: true });
      await insert(early);
      await insert(otherEnvironment);
      expect((await find(early.id))?.createdAt).toEqual(secondsAfter(10));
      expect((await find(otherEnvironment.id))?.createdAt).toEqual(secondsAfter(3));
    });

    test('many invoices are numbered in their order, whatever their ids', async () => {
      const { id: merchantId } = await storage.merchant();
      const other = await storage.merchant();
      const invoices = [0, 1, 2, 3].map((n) =>
        anInvoice({ merchantId: n === 1 ? other.id : merchantId, createdAt: secondsAfter(-n) }),
      );
      await storage.run((r) => r.invoices.insertAll(invoices));
      await storage.run((r) => r.invoices.insertAll([]));
      expect((await find(invoices[0]!.id))?.createdAt).toEqual(NOW);
      // Times do not decrease along the numbers.
      for (const n of [2, 3]) expect((await find(invoices[n]!.id))?.createdAt).toEqual(NOW);
      expect((await find(invoices[1]!.id))?.createdAt).toEqual(secondsAfter(-1));
      await expect(
        storage.run((r) =>
          r.invoices.insertAll([anInvoice({ merchantId }), anInvoice({ merchantId: anId() })]),
        ),
      ).rejects.toThrow();
    });

    test('save writes all that may change', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId, price: null, billingType: 'VARY', userId: 'u' });
      await insert(invoice);
      const changed: Invoice = {
        ...invoice,
        status: 'success',
        version: 3,
        price: aPrice({ asset: 'eth_base' }),
        initialAsset: 'eth_base',
        addressTo: anAddress(),
        funds: { pendingUnits: 1n, creditedUnits: 10_100_000n, heldUnits: 0n },
        expiresAt: secondsAfter(9_000),
        processedAt: secondsAfter(60),
        txid: aHash(),
        addressFrom: anAddress(),
        permanentAddressId: anId(),
      };
      await storage.run((r) => r.invoices.save(changed));
      expect(await find(invoice.id)).toEqual(changed);
      const held: Invoice = {
        ...changed,
        status: 'high_risk',
        funds: { pendingUnits: 2n, creditedUnits: 3n, heldUnits: 4n },
      };
      await storage.run((r) => r.invoices.save(held));
      expect(await find(invoice.id)).toEqual(held);
    });

    test('saving an invoice that is not there fails', async () => {
      await expect(storage.run((r) => r.invoices.save(anInvoice()))).rejects.toThrow();
    });

    test('an invoice is locked by its external id; anything that is no UUID finds nothing', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId });
      await insert(invoice);
      const locked = (externalId: string) => storage.run((r) => r.invoices.lockByExternalId(externalId));
      expect(await locked(invoice.externalId)).toEqual(invoice);
      expect(await locked('00000000-0000-4000-8000-ffffffffffff')).toBeNull();
      expect(await locked("' or 1 = 1")).toBeNull();
    });

    test('a lock makes the next transaction wait and see what was written', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId });
      await insert(invoice);
      await Promise.all(
        Array.from({ length: 10 }, () =>
          storage.run(async (r) => {
            const locked = await r.invoices.lock(invoice.id);
            if (!locked) throw new Error('not found');
            await r.invoices.save({ ...locked, version: locked.version + 1 });
          }),
        ),
      );
      expect((await find(invoice.id))?.version).toBe(10);
    });

    test('many are saved at once as each would be by itself', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoices = Array.from({ length: 5 }, () => anInvoice({ merchantId }));
      for (const invoice of invoices) await insert(invoice);
      const changed = invoices.slice(1).map((invoice, place) => ({
        ...invoice,
        version: place,
        price: aPrice({ dueUnits: 2n ** 255n - BigInt(place), originalUnits: null }),
        funds: { pendingUnits: 0n, creditedUnits: BigInt(place + 1), heldUnits: 0n },
        status: 'partially_paid' as const,
        txid: place === 0 ? null : aHash(),
      }));
      await storage.run((r) => r.invoices.saveAll(changed));
      await storage.run((r) => r.invoices.saveAll([]));
      for (const invoice of [...invoices.slice(0, 1), ...changed])
        expect(await find(invoice.id)).toEqual(invoice);
      await expect(storage.run((r) => r.invoices.saveAll([anInvoice({ merchantId })]))).rejects.toThrow();
    });

    test('of the invoices waiting on a permanent address, the youngest of the asset is locked', async () => {
      const { id: merchantId } = await storage.merchant();
      const address = aPermanentAddress({ merchantId });
      await storage.run((r) => r.permanentAddresses.insertIfAbsent(address));
      const bound = { merchantId, billingType: 'VARY', userId: 'u', permanentAddressId: address.id } as const;
      const older = anInvoice(bound);
      const younger = anInvoice(bound);
      const otherAsset = anInvoice({ ...bound, price: aPrice({ asset: 'eth_base' }) });
      const paid = anInvoice({
        ...bound,
        status: 'success',
        processedAt: NOW,
        funds: { pendingUnits: 0n, creditedUnits: 10_100_000n, heldUnits: 0n },
      });
      const late = anInvoice({ ...bound, expiresAt: secondsAfter(60) });
      for (const invoice of [older, younger, otherAsset, paid, late]) await insert(invoice);
      const waiting = (asset: string, seenAt = NOW, madeBefore: Date | null = null) =>
        storage.run(async ({ invoices }) => {
          const payment = { permanentAddressId: address.id, asset, seenAt, madeBefore };
          const found = await invoices.lockWaitingOnPermanentAddress(payment);
          const other = { ...payment, asset: 'btc_bitcoin' };
          expect(await invoices.waitingOnPermanentAddresses([other, payment, payment])).toEqual(
            [null, found, found].map((each) => each?.id ?? null),
          );
          return found;
        });
      expect(await storage.run((r) => r.invoices.waitingOnPermanentAddresses([]))).toEqual([]);
      expect((await waiting('usdt_ethereum'))?.id).toBe(late.id);
      expect((await waiting('usdt_ethereum', secondsAfter(60)))?.id).toBe(younger.id);
      expect((await waiting('eth_base'))?.id).toBe(otherAsset.id);
      expect(await waiting('btc_bitcoin')).toBeNull();
      // They are newer than such a payment.
      expect((await waiting('usdt_ethereum', NOW, NOW))?.id).toBe(late.id);
      expect(await waiting('usdt_ethereum', NOW, secondsAfter(-1))).toBeNull();
    });
  });
}
