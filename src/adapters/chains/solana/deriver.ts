/**
 * Solana deposit addresses. ed25519 has no public derivation: the signer derives addresses ahead (keys.ts), the database keeps
 * them, and this deriver hands them out by their index. It never sees a key.
 */
import type { AddressDeriver } from '../../../ports/address-deriver.ts';
import type { AddressPool } from '../../../ports/address-pool.ts';
import { derivationIndexes } from '../shared/derivation-range.ts';
import { normalizeSolanaAddress } from './address.ts';
import { INDEX_MAX } from './keys.ts';

/** Throws at once when `hotWallet`, the public key of m/44'/501'/0'/0', is no address. */
export function solanaDeriver({ hotWallet, pool }: { hotWallet: string; pool: AddressPool }): AddressDeriver {
  if (normalizeSolanaAddress(hotWallet) === null)
    throw new Error('the Solana hot wallet is not an address: it is the public key of the wallet');
  return {
    family: 'solana',
    async derive(range) {
      const indexes = derivationIndexes(range);
      if ((indexes.at(-1) ?? 0) > INDEX_MAX)
        throw new RangeError(`Solana has no derivation index ${indexes.at(-1)}`);
      return indexes.length === 0 ? [] : pool.read(range);
    },
    hotWallet: () => hotWallet,
    normalize: normalizeSolanaAddress,
  };
}
