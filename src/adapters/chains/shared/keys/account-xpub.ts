/**
 * Child public keys of an account's extended public key (BIP-32, BIP-44), for every family on
 * secp256k1. Made for batches: a branch's point is decoded once, and its children are summed
 * together.
 */
import { createHmac } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { HDKey } from '@scure/bip32';
import { type AffinePoint, coordinateHex, sumsWithMultiplesOfG } from './secp256k1-sums.ts';

const Point = secp256k1.Point;

/** Depth of m/purpose'/coin'/account' in BIP-32's serialization. */
const ACCOUNT_DEPTH = 3;

/** Children of the account: receiving addresses, and change (BIP-44, "Change"). */
export const EXTERNAL = 0;
export const CHANGE = 1;
type Branch = typeof EXTERNAL | typeof CHANGE;

export interface AccountXpub {
  /**
   * The public keys of <account>/<branch>/<index>, in order. Throws a RangeError for an index that
   * BIP-32 skips.
   */
  children(branch: Branch, indexes: readonly number[]): readonly AffinePoint[];
}

/**
 * Opens the public key of the account `path`. Throws for any other key: another depth would
 * silently give addresses that the signer's key does not own, and a private key (xprv) must not be
 * here at all.
 */
export function openAccountXpub(account: { xpub: string; family: string; path: string }): AccountXpub {
  const key = parseXpub(account);
  const opened = new Map<Branch, ParentKey>();
  return {
    children(branch, indexes) {
      const parent = opened.get(branch) ?? parentKey(key, branch);
      opened.set(branch, parent);
      const tweaks = indexes.map((index) => childTweak(parent, index));
      const points = sumsWithMultiplesOfG(parent.point, tweaks);
      return indexes.map((index, position) => points[position] ?? unusable(index));
    },
  };
}

/** Error messages never repeat the text: it may be a private key pasted by mistake. */
function parseXpub({ xpub, family, path }: { xpub: string; family: string; path: string }): HDKey {
  let key: HDKey;
  try {
    key = HDKey.fromExtendedKey(xpub);
  } catch {
    throw new Error(`the ${family} account xpub is not an extended public key`);
  }
  if (key.privateKey !== null)
    throw new Error(`the ${family} account xpub is a private key: give the public one`);
  if (key.depth !== ACCOUNT_DEPTH)
    throw new Error(
      `the ${family} account xpub must be that of ${path} (depth 3), not of depth ${key.depth}`,
    );
  return key;
}

interface ParentKey {
  readonly point: AffinePoint;
  readonly publicKey: Uint8Array;
  readonly chainCode: Uint8Array;
}

/**
 * The same sums as for its children: HDKey.deriveChild multiplies in constant time, and the library
 * would make a table for that while the service starts.
 */
function parentKey({ publicKey, chainCode }: HDKey, branch: Branch): ParentKey {
  if (publicKey === null || chainCode === null) throw new Error(`the account xpub has no child ${branch}`);
  const account = { point: Point.fromBytes(publicKey).toAffine(), publicKey, chainCode };
  const digest = childDigest(account, branch);
  const [point] = sumsWithMultiplesOfG(account.point, [checkedTweak(digest, branch)]);
  if (!point) return unusable(branch);
  return { point, publicKey: compressedKey(point), chainCode: digest.subarray(32) };
}

/** SEC 1: the parity of y, then x. */
export function compressedKey({ x, y }: AffinePoint): Buffer {
  return Buffer.from(`${y % 2n === 0n ? '02' : '03'}${coordinateHex(x)}`, 'hex');
}

/**
 * IL of BIP-32's CKDpub: the child is parent + IL * G. All values are public, so variable-time
 * arithmetic is safe.
 */
function childTweak(parent: ParentKey, index: number): Uint8Array {
  return checkedTweak(childDigest(parent, index), index);
}

/** IL, and IR: the child's chain code. */
function childDigest({ publicKey, chainCode }: ParentKey, index: number): Buffer {
  const data = Buffer.alloc(37);
  data.set(publicKey, 0);
  data.writeUInt32BE(index, 33);
  return createHmac('sha512', chainCode).update(data).digest();
}

/**
 * The left half of BIP-32's digest. The standard declares an index unusable when it is not below
 * the group's order (chance below 1 in 2^127). No substitute is derived for it: that could collide
 * with a neighbour's address.
 */
export function checkedTweak(digest: Uint8Array, index: number): Uint8Array {
  const tweak = digest.subarray(0, 32);
  const value = BigInt(`0x${Buffer.from(tweak).toString('hex')}`);
  return value >= Point.Fn.ORDER || value === 0n ? unusable(index) : tweak;
}

function unusable(index: number): never {
  throw new RangeError(`BIP-32 skips derivation index ${index}: use the next one`);
}
