/**
 * `point + scalar x G` on secp256k1 for many scalars: child public keys of BIP-32. Multiples of the
 * generator come from a table, and each round of affine additions shares one field inversion, which
 * is three times as fast as single sums. Not constant-time: for public values only.
 */
import { normalizeZ } from '@noble/curves/abstract/curve.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';

export interface AffinePoint {
  readonly x: bigint;
  readonly y: bigint;
}

const Point = secp256k1.Point;
/** A copy, without the table that the library makes for its own. */
const G = Point.fromAffine(Point.BASE.toAffine());
const FIELD = Point.Fp;
const PRIME = FIELD.ORDER;
const SCALAR_BYTES = 32;
const DIGITS = 255;
/** A start derives a few addresses, and must not wait for the table. */
const WORTH_A_TABLE = 16;

/** A coordinate as 64 hex digits. */
export const coordinateHex = (coordinate: bigint): string => coordinate.toString(16).padStart(64, '0');

/**
 * `point + scalar x G` for each scalar (32 bytes, big-endian, below the group's order); null where
 * that is the point at infinity.
 */
export function sumsWithMultiplesOfG(
  point: AffinePoint,
  scalars: readonly Uint8Array[],
): readonly (AffinePoint | null)[] {
  if (made === null && scalars.length < WORTH_A_TABLE) return scalars.map((one) => sumByItself(point, one));
  const table = tableOfG();
  const x = scalars.map(() => point.x);
  const y = scalars.map(() => point.y);
  for (let position = 0; position < SCALAR_BYTES; position++) {
    const addends = scalars.map((scalar) => entryOf(table, scalar, position));
    if (!addAll({ x, y }, addends)) return scalars.map((scalar) => sumByItself(point, scalar));
  }
  return scalars.map((_, index) => ({ x: inField(x[index]!), y: inField(y[index]!) }));
}

/**
 * Adds to each sum its addend (null: nothing), in place; coordinates may leave the field's range
 * downwards. If two points to be added share their x, the formula does not fit: it returns false,
 * and the sums are invalid.
 */
function addAll(sums: { x: bigint[]; y: bigint[] }, addends: readonly (AffinePoint | null)[]): boolean {
  // Montgomery's trick: the inverse of the product of all differences gives each difference's own
  // inverse.
  const productBefore: bigint[] = [];
  let product = 1n;
  addends.forEach((addend, index) => {
    productBefore.push(product);
    if (addend !== null) product = (product * (addend.x - sums.x[index]!)) % PRIME;
  });
  if (product === 0n) return false;
  let inverse = FIELD.inv(inField(product));
  for (let index = addends.length - 1; index >= 0; index--) {
    const addend = addends[index]!;
    if (addend === null) continue;
    const x = sums.x[index]!;
    const y = sums.y[index]!;
    const slope = ((addend.y - y) * ((inverse * productBefore[index]!) % PRIME)) % PRIME;
    inverse = (inverse * (addend.x - x)) % PRIME;
    const sumX = (slope * slope - x - addend.x) % PRIME;
    sums.x[index] = sumX;
    sums.y[index] = (slope * (x - sumX) - y) % PRIME;
  }
  return true;
}

/** The plain way: for few, and where `addAll` gives up, which does not occur by chance. */
function sumByItself(point: AffinePoint, scalar: Uint8Array): AffinePoint | null {
  const multiple = G.multiplyUnsafe(BigInt(`0x${Buffer.from(scalar).toString('hex')}`));
  const sum = multiple.add(Point.fromAffine(point));
  return sum.is0() ? null : sum.toAffine();
}

/** What the scalar's byte at `position` (0: the lowest) adds. */
function entryOf(table: readonly AffinePoint[], scalar: Uint8Array, position: number): AffinePoint | null {
  const digit = scalar[SCALAR_BYTES - 1 - position]!;
  return digit === 0 ? null : table[position * DIGITS + digit - 1]!;
}

let made: readonly AffinePoint[] | null = null;

/**
 * 1 to 255 times 256^position x G, for every position: about 1 MB, made in about 40 ms at the first
 * use.
 */
function tableOfG(): readonly AffinePoint[] {
  made ??= Array.from({ length: SCALAR_BYTES }, (_, position) => 1n << BigInt(8 * position)).flatMap(
    (unit) => {
      const first = G.multiplyUnsafe(unit);
      const multiples = [first];
      while (multiples.length < DIGITS) multiples.push(multiples.at(-1)!.add(first));
      return normalizeZ(Point, multiples).map((multiple) => multiple.toAffine());
    },
  );
  return made;
}

function inField(value: bigint): bigint {
  const rest = value % PRIME;
  return rest < 0n ? rest + PRIME : rest;
}
