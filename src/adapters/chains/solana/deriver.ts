/**
 * Solana deposit addresses. ed25519 has no public derivation, so the signer derives addresses ahead
 * (keys.ts) and the database stores them. This deriver returns them by index, and never has a
 * private key.
 */
import type { AddressDeriver } from '../../../ports/chains/address-deriver.ts';
import type { AddressPool } from '../../../ports/chains/address-pool.ts';
import { derivationIndexes } from '../shared/keys/derivation-range.ts';
import { addressText, INDEX_MAX, normalizeSolanaAddress } from './address.ts';

/** `hotWallet`: the public key of m/44'/501'/0'/0'. */
export function solanaDeriver(options: { hotWallet: Uint8Array; pool: AddressPool }): AddressDeriver {
  const { pool } = options;
  const hotWallet = addressText(options.hotWallet);
  if (normalizeSolanaAddress(hotWallet) === null)
    throw new Error('the public key of the Solana hot wallet has 32 bytes');
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
