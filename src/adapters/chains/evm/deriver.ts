/**
 * EVM deposit addresses from the account's extended public key (BIP-44, m/44'/60'/0'): index i is the child 0/i. One
 * address serves every EVM chain. Written for batches: the parent point is decoded once, and its children are summed together.
 */
import { createHmac } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { HDKey } from '@scure/bip32';
import type { AddressDeriver } from '../../../ports/address-deriver.ts';
import { derivationIndexes } from '../shared/derivation-range.ts';
import { checksumAddress, normalizeEvmAddress } from '../shared/eip55.ts';
import { type AffinePoint, sumsWithMultiplesOfG } from '../shared/secp256k1-sums.ts';

const Point = secp256k1.Point;

/** Depth of m/44'/60'/0' in BIP-32's serialization. */
const ACCOUNT_DEPTH = 3;
const EXTERNAL = 0;
const CHANGE = 1;

/**
 * A deriver from `accountXpub`, the public key of m/44'/60'/0'. Throws at once when it is not that: another depth would
 * silently give addresses that the signer's key does not own, and a private key (xprv) must not be here at all.
 */
export function evmDeriver({ accountXpub }: { accountXpub: string }): AddressDeriver {
  const account = parseXpub(accountXpub);
  const external = branch(account, EXTERNAL);
  const [hotWallet = ''] = derivedAddresses(branch(account, CHANGE), [0]);
  return {
    family: 'evm',
    derive: (range) => derivedAddresses(external, derivationIndexes(range)),
    hotWallet: () => hotWallet,
    normalize: normalizeEvmAddress,
  };
}

function derivedAddresses(parent: ParentKey, indexes: readonly number[]): readonly string[] {
  const tweaks = indexes.map((index) => childTweak(parent, index));
  const points = sumsWithMultiplesOfG(parent.point, tweaks);
  return indexes.map((index, position) => addressOfPoint(points[position] ?? null, index));
}

interface ParentKey {
  readonly point: AffinePoint;
  readonly publicKey: Uint8Array;
  readonly chainCode: Uint8Array;
}

/** Child `change` of the account: receiving addresses, or our own (BIP-44, "Change"). */
function branch(account: HDKey, change: typeof EXTERNAL | typeof CHANGE): ParentKey {
  const { publicKey, chainCode } = account.deriveChild(change);
  if (publicKey === null || chainCode === null) throw new Error(`the account xpub has no child ${change}`);
  return { point: Point.fromBytes(publicKey).toAffine(), publicKey, chainCode };
}

/** Error messages never repeat the text: it may be a private key pasted by mistake. */
function parseXpub(accountXpub: string): HDKey {
  let key: HDKey;
  try {
    key = HDKey.fromExtendedKey(accountXpub);
  } catch {
    throw new Error('the EVM account xpub is not an extended public key');
  }
  if (key.privateKey !== null) throw new Error('the EVM account xpub is a private key: give the public one');
  if (key.depth !== ACCOUNT_DEPTH)
    throw new Error(`the EVM account xpub must be that of m/44'/60'/0' (depth 3), not of depth ${key.depth}`);
  return key;
}

/** IL of BIP-32's CKDpub: the child is parent + IL * G. Only public values enter, so variable-time arithmetic is fine. */
function childTweak(parent: ParentKey, index: number): Uint8Array {
  const data = Buffer.alloc(37);
  data.set(parent.publicKey, 0);
  data.writeUInt32BE(index, 33);
  return checkedTweak(createHmac('sha512', parent.chainCode).update(data).digest(), index);
}

/**
 * The left half of BIP-32's digest. The standard declares an index unusable when it is not below the group's order (chance
 * below 1 in 2^127): nothing is derived for it then, since a substitute could collide with a neighbour's address.
 */
export function checkedTweak(digest: Uint8Array, index: number): Uint8Array {
  const tweak = digest.subarray(0, 32);
  const value = BigInt(`0x${Buffer.from(tweak).toString('hex')}`);
  if (value >= Point.Fn.ORDER || value === 0n) throw unusableIndex(index);
  return tweak;
}

const unusableIndex = (index: number): RangeError =>
  new RangeError(`BIP-32 skips derivation index ${index}: use the next one`);

/** The last 20 bytes of the keccak-256 of the uncompressed point, without its leading byte. */
function addressOfPoint(point: AffinePoint | null, index: number): string {
  if (point === null) throw unusableIndex(index);
  const uncompressed = Buffer.from(coordinateHex(point.x) + coordinateHex(point.y), 'hex');
  return checksumAddress(Buffer.from(keccak_256(uncompressed).subarray(12)).toString('hex'));
}

const coordinateHex = (coordinate: bigint): string => coordinate.toString(16).padStart(64, '0');
