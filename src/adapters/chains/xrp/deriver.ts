/**
 * XRP deposit addresses: the X-addresses of one account, each with its own destination tag, since
 * every further account would lock a reserve. The account is the hot wallet itself.
 */
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { OfflineDeriver } from '../../../ports/chains/address-deriver.ts';
import { derivationIndexes } from '../shared/keys/derivation-range.ts';
import { classicAddress, normalizeXrpAddress, readXrpAddress, xAddress } from './codec/address.ts';
import { destinationTag } from './codec/tags.ts';
import type { XrpNetwork } from './network.ts';

/**
 * `publicKey` is that of m/44'/144'/0'/0/0: 33 bytes of secp256k1 as hex. Throws for another text,
 * without repeating it.
 */
export function xrpDeriver(options: { network: XrpNetwork; publicKey: string }): OfflineDeriver {
  const { network } = options;
  const account = accountOfKey(options.publicKey);
  return {
    family: 'xrp',
    derive: (range) =>
      derivationIndexes(range).map((index) => xAddress(network, { account, tag: destinationTag(index) })),
    hotWallet: () => account,
    normalize: (address) => normalizeXrpAddress(network, address),
    parts: (address) => readXrpAddress(network, address),
  };
}

/** Classic address of the account whose master key this is. */
export function accountOfKey(publicKey: string): string {
  if (!/^0[23][0-9a-fA-F]{64}$/.test(publicKey))
    throw new Error('the public key of the xrp account is not a compressed key of secp256k1');
  return classicAddress(ripemd160(sha256(Buffer.from(publicKey, 'hex'))));
}
