/**
 * Monero deposit addresses: index i is subaddress (0, i + 1) of the operator's wallet, derived
 * offline from its primary address and private view key. (0, 0) is the primary address itself and
 * is never given out. No spend key is here.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE } from '@noble/curves/utils.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { OfflineDeriver } from '../../../ports/chains/address-deriver.ts';
import { derivationIndexes } from '../shared/keys/derivation-range.ts';
import { SettingsUnusable } from '../shared/settings-unusable.ts';
import { type MoneroNetwork, readMoneroAddress, subaddressText } from './address.ts';

const FAMILY = 'monero';
const { Point } = ed25519;
const ORDER = Point.Fn.ORDER;

/** What a view-only wallet is made from. */
export interface MoneroViewKeys {
  readonly primaryAddress: string;
  /** 64 hex digits. Secret: whoever has it sees every payment. */
  readonly viewKey: string;
  readonly network: MoneroNetwork;
}

/**
 * Throws SettingsUnusable at once, repeating neither, when address and view key are not a pair of
 * this network: payments would go unseen.
 */
export function moneroDeriver(keys: MoneroViewKeys): OfflineDeriver {
  const { network } = keys;
  const address = readMoneroAddress(keys.primaryAddress, network);
  if (address?.kind !== 'primary')
    throw unusable(`the Monero primary address is not one of the network "${network}"`);
  const { secret, bytes } = parseViewKey(keys.viewKey);
  const spend = pointOf(address.publicSpendKey);
  const view = Point.BASE.multiply(secret);
  if (Buffer.compare(view.toBytes(), address.publicViewKey) !== 0)
    throw unusable('the Monero view key is not the one of the primary address');
  const spendTimesView = spend.multiply(secret);

  /**
   * D = B + mG and C = aD (the subaddress proposal of kenshi84, as wallet2's
   * get_subaddress_spend_public_key computes it). aD is aB + (am)G, so that both are multiples of
   * the generator, which come from a table.
   */
  function subaddress(minor: number): string {
    const m = subaddressSecret(bytes, minor);
    const publicSpendKey = spend.add(Point.BASE.multiply(m)).toBytes();
    const publicViewKey = spendTimesView.add(Point.BASE.multiply(Point.Fn.mul(secret, m))).toBytes();
    return subaddressText({ publicSpendKey, publicViewKey }, network);
  }

  return {
    family: FAMILY,
    derive: (range) => derivationIndexes(range).map((index) => subaddress(index + 1)),
    hotWallet: () => null,
    normalize: (text) => (readMoneroAddress(text, network) === null ? null : text),
  };
}

/** m = Hs("SubAddr" || 0 || view key || major || minor), account 0; numbers little-endian. */
function subaddressSecret(viewKey: Uint8Array, minor: number): bigint {
  const data = Buffer.alloc(48);
  data.write('SubAddr\0', 0, 'latin1');
  data.set(viewKey, 8);
  data.writeUInt32LE(0, 40);
  data.writeUInt32LE(minor, 44);
  return bytesToNumberLE(keccak_256(data)) % ORDER;
}

function parseViewKey(text: string): { secret: bigint; bytes: Uint8Array } {
  const bytes = /^[0-9a-f]{64}$/i.test(text) ? Uint8Array.from(Buffer.from(text, 'hex')) : null;
  const secret = bytes === null ? 0n : bytesToNumberLE(bytes);
  if (bytes === null || secret === 0n || secret >= ORDER)
    throw unusable('the Monero view key is not a private key of 64 hex digits');
  return { secret, bytes };
}

function pointOf(publicKey: Uint8Array): InstanceType<typeof Point> {
  try {
    return Point.fromBytes(publicKey);
  } catch {
    throw unusable('the Monero primary address holds no public key');
  }
}

const unusable = (why: string): SettingsUnusable => new SettingsUnusable(FAMILY, why);
