/**
 * The fastest derivation that the registry's libraries give: libsecp256k1 itself, as the prebuilt
 * addon of the package secp256k1, with node:crypto for the hashes. Its package falls back to
 * JavaScript without a word, so the addon is asked for.
 */
import { createHash, createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { encodeCashAddress } from '@bitauth/libauth';
import { bech32 } from '@scure/base';
import { HDKey } from '@scure/bip32';
import type { UtxoFamily } from '../../src/domain/catalog/family.ts';

const require = createRequire(import.meta.url);

interface Addon {
  publicKeyTweakAdd(publicKey: Uint8Array, tweak: Uint8Array, compressed: boolean): Uint8Array;
}

/**
 * The address <account>/0/<index>, one at a time. Throws where the package has no addon for this
 * machine.
 */
export function nativeDerivation(family: UtxoFamily, accountXpub: string): (index: number) => string {
  const addon: Addon = require('secp256k1/bindings.js');
  const { publicKey, chainCode } = HDKey.fromExtendedKey(accountXpub).deriveChild(0);
  if (publicKey === null || chainCode === null) throw new Error('unreachable: a child of an xpub has both');
  const data = Buffer.alloc(37);
  data.set(publicKey, 0);
  return (index) => {
    data.writeUInt32BE(index, 33);
    const digest = createHmac('sha512', chainCode).update(data).digest();
    const child = addon.publicKeyTweakAdd(publicKey, new Uint8Array(digest.subarray(0, 32)), true);
    return ENCODE[family](hash160(child));
  };
}

const ENCODE: Readonly<Record<UtxoFamily, (hash: Uint8Array) => string>> = {
  bitcoin: (hash) => bech32.encode('bc', [0, ...bech32.toWords(hash)]),
  litecoin: (hash) => bech32.encode('ltc', [0, ...bech32.toWords(hash)]),
  bitcoincash: (payload) => encodeCashAddress({ prefix: 'bitcoincash', type: 'p2pkh', payload }).address,
};

function hash160(bytes: Uint8Array): Uint8Array {
  return createHash('ripemd160').update(createHash('sha256').update(bytes).digest()).digest();
}
