/**
 * EVM deposit addresses from the account's extended public key (BIP-44, m/44'/60'/0'): index i is
 * the child 0/i. An address is valid on every EVM chain.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { walletKey } from '../../../domain/catalog/family.ts';
import type { OfflineDeriver } from '../../../ports/chains/address-deriver.ts';
import { CHANGE, EXTERNAL, openAccountXpub } from '../shared/keys/account-xpub.ts';
import { derivationIndexes } from '../shared/keys/derivation-range.ts';
import { type AffinePoint, coordinateHex } from '../shared/keys/secp256k1-sums.ts';
import { checksumAddress, normalizeEvmAddress } from './address.ts';

/**
 * A deriver from `accountXpub`, the public key of m/44'/60'/0'. Throws when it is another key
 * (shared/keys/account-xpub.ts).
 */
export function evmDeriver({ accountXpub }: { accountXpub: string }): OfflineDeriver {
  const account = openAccountXpub({ xpub: accountXpub, family: 'EVM', path: walletKey('evm').path });
  let hotWallet: string | null = null;
  return {
    family: 'evm',
    derive: (range) => account.children(EXTERNAL, derivationIndexes(range)).map(addressOfPoint),
    hotWallet() {
      hotWallet ??= account.children(CHANGE, [0]).map(addressOfPoint)[0]!;
      return hotWallet;
    },
    normalize: normalizeEvmAddress,
  };
}

/** The last 20 bytes of the keccak-256 of the uncompressed point, without its leading byte. */
function addressOfPoint(point: AffinePoint): string {
  const uncompressed = Buffer.from(coordinateHex(point.x) + coordinateHex(point.y), 'hex');
  return checksumAddress(Buffer.from(keccak_256(uncompressed).subarray(12)).toString('hex'));
}
