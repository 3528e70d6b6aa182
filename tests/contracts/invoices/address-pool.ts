/** The contract of AddressPool: whole ranges in order, or the word that they are not there yet. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { AddressesNotDerived, type AddressPool } from '../../../src/ports/chains/address-pool.ts';
import { type Opened, openedFor } from '../opened.ts';

export interface OpenedPool extends Opened {
  addressPool(family: string): AddressPool;
}

export function describeAddressPool(name: string, open: () => Promise<OpenedPool>): void {
  describe(`${name}: the pool of derived addresses`, () => {
    const storage = openedFor(open);
    beforeAll(async () => {
      const addresses = Array.from({ length: 300 }, (_, index) => `address ${index}`);
      await storage.run(async (r) => {
        await r.addresses.addDerived({ family: 'solana', from: 0, addresses });
        await r.addresses.addDerived({ family: 'another', from: 300, addresses: ['one more'] });
      });
    });

    test('gives the addresses of a range, in order', async () => {
      const pool = storage.ports().addressPool('solana');
      expect(await pool.read({ from: 0, count: 2 })).toEqual(['address 0', 'address 1']);
      expect(await pool.read({ from: 99, count: 3 })).toEqual(['address 99', 'address 100', 'address 101']);
      expect(await pool.read({ from: 44, count: 256 })).toHaveLength(256);
    });

    test('says so when a range was not derived to its end', async () => {
      const pool = storage.ports().addressPool('solana');
      for (const range of [
        { from: 299, count: 2 },
        { from: 300, count: 1 },
      ])
        await expect(pool.read(range)).rejects.toBeInstanceOf(AddressesNotDerived);
    });
  });
}
