/** The contract of the assets that records name, which a catalog must have at start. */
import { describe, expect, test } from 'bun:test';
import type { ComposedDatabase } from '../../../src/compose/database.ts';
import { aDeposit, aHash, anInvoice, anIssuedAddress, aPrice } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export type OpenedAssets = Opened & Pick<ComposedDatabase, 'assetsInUse'>;

export function describeAssetsInUse(name: string, open: () => Promise<OpenedAssets>): void {
  describe(`${name}: assets that records name`, () => {
    const storage = openedFor(open);

    test('are those of invoices, once, and of deposits on their way, which belong to no invoice', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId, price: aPrice({ asset: 'x_ethereum' }) });
      const others = [
        anInvoice({ merchantId, price: invoice.price }),
        anInvoice({ merchantId, price: null }),
      ];
      const { address, ...issued } = anIssuedAddress({ merchantId, invoiceId: invoice.id });
      const block = { height: 7, hash: aHash() };
      const deposits = [
        aDeposit({ asset: 'a_ethereum', block }),
        aDeposit({ asset: 'b_ethereum', block: null }),
        aDeposit({ asset: 'c_ethereum', block, status: 'stray' }),
        aDeposit({ asset: 'd_ethereum', block: null, status: 'dropped' }),
      ].map((deposit) => ({ ...deposit, merchantId, address }));
      await storage.run(async (r) => {
        for (const each of [invoice, ...others]) await r.invoices.insert(each);
        await r.addresses.insert({ ...issued, address });
        for (const deposit of deposits) await r.deposits.insertAll([deposit]);
      });
      const inUse = await storage.ports().assetsInUse();
      expect(inUse.toSorted()).toEqual(['a_ethereum', 'b_ethereum', 'c_ethereum', 'x_ethereum']);
    });
  });
}
