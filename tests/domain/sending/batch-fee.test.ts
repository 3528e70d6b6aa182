import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { borneBy, type TransactionFee } from '../../../src/domain/sending/batch-fee.ts';

interface Stored {
  readonly id: string;
  txid: string | null;
  feeUnits: bigint | null;
  hotFeeUnits: bigint;
}

const stored = (count: number): Stored[] =>
  Array.from({ length: count }, (_, place) => ({
    ...{ id: `t${place}`, txid: null, feeUnits: null, hotFeeUnits: 0n },
  }));
const settleIn = (batch: Stored[], place: number, mined: TransactionFee): void => {
  const one = batch[place]!;
  if (one.txid === null) Object.assign(one, { txid: mined.txid, ...borneBy(one.id, batch, mined) });
};
const reorganise = (one: Stored): void => {
  Object.assign(one, { txid: null, feeUnits: null, hotFeeUnits: 0n });
};
const sumOf = (batch: readonly Stored[], of: 'feeUnits' | 'hotFeeUnits'): bigint =>
  batch.reduce((sum, one) => sum + (one[of] ?? 0n), 0n);

const units = fc.bigInt({ min: -1_000n, max: 1_000n });
const count = fc.integer({ min: 1, max: 12 });
/** Places in the order in which they are tried; some of them again, and not all of them. */
const places = fc.array(fc.nat({ max: 11 }), { minLength: 1, maxLength: 40 });

describe('what the transfers of a batch bear of its network fee', () => {
  test('is all of it once any of them is settled, in whatever order they are', () => {
    fc.assert(
      fc.property(count, places, units, units, (size, order, feeUnits, hotFeeUnits) => {
        const batch = stored(size);
        for (const place of order) {
          settleIn(batch, place % size, { txid: 'mined', feeUnits, hotFeeUnits });
          expect(sumOf(batch, 'feeUnits')).toBe(feeUnits);
          expect(sumOf(batch, 'hotFeeUnits')).toBe(hotFeeUnits);
        }
      }),
    );
  });

  test('is what the newer transaction took, where one of another fee was in a block that is gone', () => {
    fc.assert(
      fc.property(count, places, places, (size, before, acts) => {
        const batch = stored(size);
        for (const place of before)
          settleIn(batch, place % size, { txid: 'first', feeUnits: 10n, hotFeeUnits: 0n });
        const bumped = { txid: 'bumped', feeUnits: 25n, hotFeeUnits: 0n };
        // One worker takes back what is gone while another settles: each transfer in its turn.
        const all = [...acts, ...Array.from({ length: size }, (_, place) => place)];
        for (const place of all) {
          const one = batch[place % size]!;
          if (one.txid === 'first') reorganise(one);
          settleIn(batch, place % size, bumped);
        }
        expect(sumOf(batch, 'feeUnits')).toBe(25n);
      }),
    );
  });

  test('is nothing for those that are left, where one of them had all of it before', () => {
    fc.assert(
      fc.property(count, fc.nat({ max: 11 }), places, (size, holder, order) => {
        const batch = stored(size);
        Object.assign(batch[holder % size]!, { txid: 'mined', feeUnits: 7n });
        for (const place of order)
          settleIn(batch, place % size, { txid: 'mined', feeUnits: 7n, hotFeeUnits: 0n });
        expect(sumOf(batch, 'feeUnits')).toBe(7n);
      }),
    );
  });
});
