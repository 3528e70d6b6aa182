/** The contract of every AddressDeriver: run by the fake and by every real deriver. */
import { describe, expect, test } from 'bun:test';
import type { AddressDeriver } from '../../../src/ports/chains/address-deriver.ts';

export interface DeriverCase {
  readonly deriver: AddressDeriver;
  /** A second deriver from the same public material. */
  readonly twin: AddressDeriver;
  /**
   * Texts that are no address of the family, in addition to the suite's: wrong checksum, other
   * network, ...
   */
  readonly notAddresses: readonly string[];
  /** Default: the last non-hardened one, 2^31 - 1. */
  readonly lastIndex?: number;
}

export function describeAddressDeriver(name: string, open: () => DeriverCase): void {
  describe(`address deriver: ${name}`, () => {
    const { deriver, twin, notAddresses, lastIndex = 2 ** 31 - 1 } = open();
    const one = async (index: number): Promise<string> =>
      (await deriver.derive({ from: index, count: 1 }))[0]!;

    test('the same index gives the same address for ever', async () => {
      const first = await deriver.derive({ from: 0, count: 20 });
      expect(await deriver.derive({ from: 0, count: 20 })).toEqual(first);
      expect(await twin.derive({ from: 0, count: 20 })).toEqual(first);
    });

    test('a batch is the addresses of its indexes in order', async () => {
      const batch = await deriver.derive({ from: 37, count: 25 });
      expect(batch).toEqual(await Promise.all(Array.from({ length: 25 }, (_, offset) => one(37 + offset))));
      expect(await deriver.derive({ from: 5, count: 0 })).toEqual([]);
    });

    test('different indexes give different addresses', async () => {
      const keys = (await deriver.derive({ from: 0, count: 300 })).map((address) =>
        deriver.normalize(address),
      );
      expect(new Set(keys).size).toBe(300);
      expect(keys).not.toContain(null);
    });

    test('the last index works, and what is no range of indexes is a RangeError', async () => {
      expect(deriver.normalize(await one(lastIndex))).not.toBeNull();
      for (const range of [
        { from: -1, count: 1 },
        { from: lastIndex + 1, count: 1 },
        { from: lastIndex, count: 2 },
        { from: 0.5, count: 1 },
        { from: 0, count: -1 },
        { from: 0, count: 1.5 },
        { from: Number.NaN, count: 1 },
      ])
        expect(async () => deriver.derive(range)).toThrow(RangeError);
    });

    test('the normalized form is a fixed point', async () => {
      for (const address of await deriver.derive({ from: 0, count: 20 })) {
        const key = deriver.normalize(address)!;
        expect(deriver.normalize(key)).toBe(key);
      }
    });

    test('what is not an address of the family normalizes to null', async () => {
      const address = await one(3);
      const damaged = [address.slice(0, -8), `${address}1`, ` ${address}`, `${address}\n`, address.slice(8)];
      const letter = address.at(-5) === '3' ? '4' : '3';
      const garbage = ['', '0', '0x', 'constructor', '💰', 'a'.repeat(100_000), `http://${address}`];
      for (const text of [...damaged, ...garbage, ...notAddresses])
        expect(deriver.normalize(text)).toBeNull();
      const slipped = deriver.normalize(`${address.slice(0, -5)}${letter}${address.slice(-4)}`);
      expect(slipped).not.toBe(deriver.normalize(address));
    });
  });
}
