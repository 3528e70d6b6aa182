/**
 * Sums on secp256k1, held against the curve library's own, and at the inputs where the fast formula
 * does not apply.
 */
import { describe, expect, test } from 'bun:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { sumsWithMultiplesOfG } from '../../../../../src/adapters/chains/shared/keys/secp256k1-sums.ts';

const { Point } = secp256k1;
const ORDER = Point.Fn.ORDER;
const G = Point.BASE;

const bytesOf = (scalar: bigint): Uint8Array => Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');
const multipleOfG = (scalar: bigint) =>
  scalar % ORDER === 0n ? Point.ZERO : G.multiplyUnsafe(scalar % ORDER);

/** `start` x G + each scalar x G, by the library. */
function expected(start: bigint, scalars: readonly bigint[]) {
  return scalars.map((scalar) => {
    const sum = multipleOfG(start + scalar);
    return sum.is0() ? null : sum.toAffine();
  });
}

const sums = (start: bigint, scalars: readonly bigint[]) =>
  sumsWithMultiplesOfG(multipleOfG(start).toAffine(), scalars.map(bytesOf));

describe('sums with multiples of the generator', () => {
  test('are those of the curve library, for any point and any scalars', () => {
    const scalar = fc.bigInt({ min: 1n, max: ORDER - 1n });
    fc.assert(
      fc.property(scalar, fc.array(scalar, { maxLength: 8 }), (start, scalars) => {
        expect(sums(start, scalars)).toEqual(expected(start, scalars));
      }),
      { numRuns: 60 },
    );
  });

  test('hold for scalars with zero bytes and at both ends of the range', () => {
    const scalars = [1n, 255n, 256n, 1n << 248n, (1n << 128n) + 1n, ORDER - 1n, ORDER - 2n];
    expect(sums(987_654_321n, scalars)).toEqual(expected(987_654_321n, scalars));
  });

  test('of a point with itself, and of a point with its opposite, beside ordinary ones', () => {
    const start = 5n;
    const scalars = [7n, start, 1n << 200n, ORDER - start, 300n];
    const found = sums(start, scalars);
    expect(found).toEqual(expected(start, scalars));
    expect(found[3]).toBeNull();
  });

  test('of nothing are nothing', () => {
    expect(sums(5n, [])).toEqual([]);
  });
});
