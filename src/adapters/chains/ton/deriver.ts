/**
 * TON deposit addresses from one ed25519 public key: index i is the V5R1 wallet of the custom
 * context i. The hot wallet is the one that wallet apps open by default for the key (subwallet 0 of
 * workchain 0).
 */
import type { OfflineDeriver } from '../../../ports/chains/address-deriver.ts';
import { derivationIndexes } from '../shared/keys/derivation-range.ts';
import { friendlyAddress, normalizeTonAddress } from './address.ts';
import { type TonWallet, walletAddress } from './codec/wallet-v5.ts';
import type { TonNetwork } from './network.ts';

/**
 * `publicKey`: of m/44'/607'/0' (SLIP-10), 64 hex digits. Throws for another text, without
 * repeating it.
 */
export function tonDeriver(options: { network: TonNetwork; publicKey: string }): OfflineDeriver {
  const { network } = options;
  const key = tonPublicKey(options.publicKey);
  const addressOf = (wallet: TonWallet): string =>
    friendlyAddress(network, walletAddress(network, key, wallet));
  const hotWallet = addressOf({ role: 'hot' });
  return {
    family: 'ton',
    derive: (range) => derivationIndexes(range).map((index) => addressOf({ role: 'deposit', index })),
    hotWallet: () => hotWallet,
    normalize: (address) => normalizeTonAddress(network, address),
  };
}

/** The 32 bytes of the family's public key. */
export function tonPublicKey(hex: string): Uint8Array {
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new Error('the ton public key is not 32 bytes in hex');
  return Buffer.from(hex, 'hex');
}
