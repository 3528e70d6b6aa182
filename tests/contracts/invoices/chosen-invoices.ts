/**
 * The contract of storage for customers' choices: it stores them, finds by them, and keeps one
 * address per family.
 */
import { describe, expect, test } from 'bun:test';
import type { Invoice, InvoiceChoice } from '../../../src/domain/invoices/invoice-record.ts';
import {
  aDeposit,
  anAddress,
  anId,
  anInvoice,
  anIssuedAddress,
  aPermanentAddress,
  aPrice,
  NOW,
} from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

function aChoice(asset: string, given: Partial<InvoiceChoice> = {}): InvoiceChoice {
  return { price: aPrice({ asset }), addressTo: anAddress(), permanentAddressId: null, ...given };
}

export function describeChosenInvoices(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: choices of customers`, () => {
    const storage = openedFor(open);
    const find = (id: string) => storage.run((r) => r.invoices.find(id));
    async function insert(given: Partial<Invoice>, earlier: readonly InvoiceChoice[] = []): Promise<Invoice> {
      const invoice = anInvoice({ customerChooses: true, earlierChoices: earlier, ...given });
      await storage.run((r) => r.invoices.insert(invoice));
      return invoice;
    }

    test('earlier choices are found as they were inserted and saved, to the last base unit', async () => {
      const { id: merchantId } = await storage.merchant();
      const large = aPrice({ asset: 'eth_base', dueUnits: 2n ** 256n - 1n, originalUnits: 3n });
      const bound = aChoice('usdt_tron', { permanentAddressId: anId() });
      const invoice = await insert({ merchantId }, [aChoice('eth_base', { price: large }), bound]);
      expect(await find(invoice.id)).toEqual(invoice);
      const changed = { ...invoice, earlierChoices: [bound, aChoice('btc_bitcoin')] };
      await storage.run((r) => r.invoices.save(changed));
      expect(await find(invoice.id)).toEqual(changed);
      await storage.run((r) => r.invoices.save({ ...changed, earlierChoices: [] }));
      expect(await find(invoice.id)).toEqual({ ...changed, earlierChoices: [] });
    });

    test('the present asset is no earlier choice, and nobody chose what the merchant decided', async () => {
      const { id: merchantId } = await storage.merchant();
      await expect(insert({ merchantId }, [aChoice('usdt_ethereum')])).rejects.toThrow();
      await expect(insert({ merchantId, customerChooses: false }, [aChoice('eth_base')])).rejects.toThrow();
      await expect(insert({ merchantId, price: null }, [aChoice('eth_base')])).rejects.toThrow();
    });

    test('an invoice has one address of its own per family', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = await insert({ merchantId });
      const issue = (family: string) =>
        storage.run((r) =>
          r.addresses.insert(anIssuedAddress({ merchantId, family, invoiceId: invoice.id })),
        );
      await issue('evm');
      await issue('tron');
      await expect(issue('evm')).rejects.toThrow();
      for (let turn = 0; turn < 2; turn += 1) {
        await storage.run((r) => r.addresses.retire({ invoiceId: invoice.id, family: 'evm' }));
        await issue('evm');
      }
      await expect(issue('evm')).rejects.toThrow();
      await expect(issue('tron')).rejects.toThrow();
    });

    test('waiting on a permanent address are those that chose the asset there, at last or before, in this order', async () => {
      const { id: merchantId } = await storage.merchant();
      const [evm, tron] = [
        aPermanentAddress({ merchantId }),
        aPermanentAddress({ merchantId, family: 'tron' }),
      ];
      for (const address of [evm, tron])
        await storage.run((r) => r.permanentAddresses.insertIfAbsent(address));
      const bound = {
        merchantId,
        billingType: 'VARY',
        userId: evm.userId,
        bindsPermanentAddress: true,
      } as const;
      const waiting = (permanentAddressId: string, asset: string) =>
        storage.run(async ({ invoices }) => {
          const payment = { permanentAddressId, asset, seenAt: NOW, madeBefore: null };
          const found = await invoices.lockWaitingOnPermanentAddress(payment);
          expect(await invoices.waitingOnPermanentAddresses([payment])).toEqual([found?.id ?? null]);
          return found?.id;
        });
      const onTron = { ...bound, price: aPrice({ asset: 'usdt_tron' }), permanentAddressId: tron.id };
      const before = [aChoice('usdt_ethereum', { permanentAddressId: evm.id })];
      const older = await insert(onTron, before);
      const younger = await insert(onTron, before);
      const funds = { pendingUnits: 0n, creditedUnits: 10_100_000n, heldUnits: 0n };
      await insert({ ...onTron, status: 'success', processedAt: NOW, funds }, before);
      await insert({ ...onTron, userId: 'another' }, before);
      const dusted = await insert(onTron, before);
      const dust = aDeposit({ merchantId, invoiceId: dusted.id });
      await storage.run((r) => r.deposits.insertAll([dust]));
      expect(await waiting(evm.id, 'usdt_ethereum')).toBe(younger.id);
      await storage.run((r) => r.deposits.save({ ...dust, status: 'reversed', block: null }));
      expect(await waiting(evm.id, 'usdt_ethereum')).toBe(dusted.id);
      expect(await waiting(evm.id, 'usdt_tron')).toBeUndefined();
      expect(await waiting(tron.id, 'usdt_ethereum')).toBeUndefined();
      const present = await insert({ ...bound, permanentAddressId: evm.id });
      await insert(onTron, before);
      expect(await waiting(evm.id, 'usdt_ethereum')).toBe(present.id);
      expect(older.id).not.toBe(younger.id);
    });

    test('a payment counts as seen until it disappeared; an arrival also without the invoice', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = await insert({ merchantId });
      const other = await insert({ merchantId });
      const issued = anIssuedAddress({ merchantId, invoiceId: invoice.id });
      await storage.run((r) => r.addresses.insert(issued));
      const seen = (chains = ['ethereum', 'base']) =>
        storage.run(async (r) => [
          await r.deposits.hasPayment(invoice.id),
          await r.deposits.hasArrivals(invoice.id, chains),
        ]);
      const elsewhere = aDeposit({ merchantId, invoiceId: other.id });
      await storage.run((r) => r.deposits.insertAll([elsewhere]));
      expect(await seen()).toEqual([false, false]);
      const stray = aDeposit({ merchantId, chain: 'base', address: issued.address, status: 'stray' });
      await storage.run((r) => r.deposits.insertAll([stray]));
      expect(await seen()).toEqual([false, true]);
      expect(await seen(['ethereum'])).toEqual([false, false]);
      await storage.run((r) => r.deposits.save({ ...stray, status: 'dropped', block: null }));
      expect(await seen()).toEqual([false, false]);
      const own = aDeposit({ merchantId, address: issued.address, invoiceId: invoice.id });
      await storage.run((r) => r.deposits.insertAll([own]));
      expect(await seen()).toEqual([true, true]);
      for (const status of ['reversed', 'dropped'] as const) {
        await storage.run((r) => r.deposits.save({ ...own, status, block: null }));
        expect(await seen()).toEqual([false, false]);
      }
    });
  });
}
