/** The contract of AddressRepository and PermanentAddressRepository. */
import { describe, expect, test } from 'bun:test';
import {
  anAddress,
  anId,
  anInvoice,
  anIssuedAddress,
  aPermanentAddress,
  secondsAfter,
} from '../../support/builders.ts';
import { aUtxo } from '../../support/chains/utxo-builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export function describeAddressRepository(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: addresses`, () => {
    const storage = openedFor(open);

    test('issued addresses are found by family and address', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId });
      const permanent = aPermanentAddress({ merchantId });
      const ofInvoice = anIssuedAddress({ merchantId, invoiceId: invoice.id });
      const ofPermanent = anIssuedAddress({
        merchantId,
        permanentAddressId: permanent.id,
        deriver: 'fake:evm',
      });
      await storage.run(async (r) => {
        await r.invoices.insert(invoice);
        await r.permanentAddresses.insertIfAbsent(permanent);
        await r.addresses.insert(ofInvoice);
        await r.addresses.insert(ofPermanent);
      });
      const find = (family: string, addresses: string[]) =>
        storage.run((r) => r.addresses.find(family, addresses));
      const both = [ofInvoice.address, ofPermanent.address];
      const found = await find('evm', [...both, anAddress(), both[0] ?? '']);
      expect(found.toSorted((a, b) => a.address.localeCompare(b.address))).toEqual([ofInvoice, ofPermanent]);
      expect(await find('bitcoin', both)).toEqual([]);
      expect(await find('evm', [])).toEqual([]);
    });

    test('ours are those that were issued in their family, and those that took our change', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId });
      const issued = anIssuedAddress({ merchantId, invoiceId: invoice.id });
      const change = aUtxo({ key: { role: 'change', index: 3 } });
      await storage.run(async (r) => {
        await r.invoices.insert(invoice);
        await r.addresses.insert(issued);
        await r.utxos.insert('bitcoin', [change]);
      });
      const isOurs = (family: string, address: string) =>
        storage.run((r) => r.addresses.isOurs(family, address));
      expect(await isOurs('evm', issued.address)).toBe(true);
      expect(await isOurs('bitcoin', issued.address)).toBe(false);
      expect(await isOurs('bitcoin', change.address)).toBe(true);
      expect(await isOurs('evm', anAddress())).toBe(false);
    });

    test('an address is issued once', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId });
      const issued = anIssuedAddress({ merchantId, invoiceId: invoice.id });
      await storage.run(async (r) => {
        await r.invoices.insert(invoice);
        await r.addresses.insert(issued);
      });
      await expect(storage.run((r) => r.addresses.insert(issued))).rejects.toThrow();
    });

    test('reserved indexes never overlap, however many reserve at once', async () => {
      const deriver = `evm ${anId()}`;
      const firsts = await Promise.all(
        Array.from({ length: 20 }, () =>
          storage.run((r) => r.addresses.reserveIndexes({ deriver, count: 16, atLeast: 0 })),
        ),
      );
      expect(firsts.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i * 16));
    });

    test('how many indexes were reserved is known to everybody, for a deriver that has none too', async () => {
      const deriver = `monero ${anId()}`;
      expect(await storage.run((r) => r.addresses.reservedIndexes(deriver))).toBe(0);
      await storage.run((r) => r.addresses.reserveIndexes({ deriver, count: 16, atLeast: 0 }));
      await storage.run((r) => r.addresses.reserveIndexes({ deriver, count: 4, atLeast: 0 }));
      expect(await storage.run((r) => r.addresses.reservedIndexes(deriver))).toBe(20);
    });

    test('an index is reserved at or after a given one, of each deriver by itself', async () => {
      const [one, other] = [`tron ${anId()}`, `tron ${anId()}`];
      const reserve = (deriver: string, count: number, atLeast: number) =>
        storage.run((r) => r.addresses.reserveIndexes({ deriver, count, atLeast }));
      expect(await reserve(one, 2, 40)).toBe(40);
      expect(await reserve(one, 3, 10)).toBe(42);
      expect(await reserve(one, 1, 45)).toBe(45);
      expect(await reserve(one, 1, 100)).toBe(100);
      expect(await reserve(other, 5, 0)).toBe(0);
      const all = await storage.run((r) => r.addresses.allReservedIndexes());
      expect([all.get(one), all.get(other)]).toEqual([101, 5]);
    });

    test('of each deriver it is known what index follows the highest of an issued address', async () => {
      const { id: merchantId } = await storage.merchant();
      const permanent = aPermanentAddress({ merchantId });
      const [one, other] = [`bitcoin ${anId()}`, `bitcoin ${anId()}`];
      const issue = (deriver: string, derivationIndex: number) =>
        storage.run((r) =>
          r.addresses.insert(
            anIssuedAddress({ merchantId, permanentAddressId: permanent.id, deriver, derivationIndex }),
          ),
        );
      await storage.run((r) => r.permanentAddresses.insertIfAbsent(permanent));
      for (const index of [3, 7, 5]) await issue(one, index);
      await issue(other, 0);
      const issued = await storage.run((r) => r.addresses.issuedIndexes());
      expect([issued.get(one), issued.get(other)]).toEqual([8, 1]);
    });
  });

  describe(`${name}: derived addresses`, () => {
    const storage = openedFor(open);
    const derived = (family: string) => storage.run((r) => r.addresses.derivedIndexes(family));

    test('are counted for each family, and added one after the other', async () => {
      const [one, other] = [`solana ${anId()}`, `solana ${anId()}`];
      expect(await derived(one)).toBe(0);
      await storage.run((r) => r.addresses.addDerived({ family: one, from: 0, addresses: ['a', 'b', 'c'] }));
      await storage.run((r) => r.addresses.addDerived({ family: one, from: 3, addresses: ['d'] }));
      expect([await derived(one), await derived(other)]).toEqual([4, 0]);
    });

    test('stay what they are when workers add the same ones at once', async () => {
      const family = `solana ${anId()}`;
      const addresses = Array.from({ length: 2_000 }, (_, index) => `address ${index}`);
      for (let from = 0; from < addresses.length; from += 100)
        await Promise.all(
          Array.from({ length: 5 }, () =>
            storage.run((r) =>
              r.addresses.addDerived({ family, from, addresses: addresses.slice(from, from + 100) }),
            ),
          ),
        );
      expect(await derived(family)).toBe(2_000);
      await expect(
        storage.run((r) => r.addresses.addDerived({ family, from: 2_000, addresses: ['address 7'] })),
      ).rejects.toThrow();
    });
  });

  describe(`${name}: permanent addresses`, () => {
    const storage = openedFor(open);

    test('of 50 concurrent insertions for one user and family exactly one succeeds', async () => {
      const { id: merchantId } = await storage.merchant();
      const candidates = Array.from({ length: 50 }, () => aPermanentAddress({ merchantId }));
      const inserted = await Promise.all(
        candidates.map((address) => storage.run((r) => r.permanentAddresses.insertIfAbsent(address))),
      );
      expect(inserted.filter(Boolean)).toHaveLength(1);
      const key = { merchantId, sandbox: false, userId: 'customer-1', family: 'evm' } as const;
      const active = await storage.run((r) => r.permanentAddresses.findActive(key));
      expect(active).toEqual(candidates[inserted.indexOf(true)] ?? null);
    });

    test('users, families and environments have addresses of their own', async () => {
      const { id: merchantId } = await storage.merchant();
      const variants = [{}, { userId: 'customer-2' }, { family: 'tron' }, { sandbox: true }] as const;
      const key = { merchantId, sandbox: false, userId: 'customer-1', family: 'evm' } as const;
      const find = (of: (typeof variants)[number]) =>
        storage.run((r) => r.permanentAddresses.findActive({ ...key, ...of }));
      for (const variant of variants) {
        const address = aPermanentAddress({ merchantId, ...variant });
        expect(await find(variant)).toBeNull();
        expect(await storage.run((r) => r.permanentAddresses.insertIfAbsent(address))).toBe(true);
        expect(await find(variant)).toEqual(address);
      }
    });

    test('a deactivated address makes room for a new one', async () => {
      const { id: merchantId } = await storage.merchant();
      const first = aPermanentAddress({
        merchantId,
        metadata: { vip: true },
        notifyUrl: 'https://shop.example/p',
      });
      const second = aPermanentAddress({ merchantId });
      const retired = { ...first, active: false, deactivatedAt: secondsAfter(1) };
      await storage.run(async (r) => {
        await r.permanentAddresses.insertIfAbsent(first);
        expect(await r.permanentAddresses.lock(first.id)).toEqual(first);
        await r.permanentAddresses.save(retired);
        expect(await r.permanentAddresses.insertIfAbsent(second)).toBe(true);
        expect(await r.permanentAddresses.find(first.id)).toEqual(retired);
        const key = { merchantId, sandbox: false, userId: 'customer-1', family: 'evm' } as const;
        expect(await r.permanentAddresses.findActive(key)).toEqual(second);
        expect(await r.permanentAddresses.find(anId())).toBeNull();
        expect(await r.permanentAddresses.findAll([anId(), second.id])).toEqual([second]);
        expect(await r.permanentAddresses.findAll([])).toEqual([]);
      });
    });
  });
}
