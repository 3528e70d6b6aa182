/**
 * The keys of a Solana wallet: the hot wallet is m/44'/501'/0'/0', the deposit address of index i
 * is m/44'/501'/<i+1>'/0' (SLIP-10, the path that Solana wallets use for accounts). Only the signer
 * can derive them; all other parts read addresses from a pool.
 */
import type { WalletKey } from '../../../ports/sending/signer.ts';
import { ed25519PublicKey, slip10Ed25519 } from '../../shared/slip10.ts';
import { addressText, INDEX_MAX } from './address.ts';

export interface SolanaKeys {
  /** Throws a RangeError for an index out of range. */
  privateKey(key: WalletKey): Uint8Array;
  address(key: WalletKey): string;
}

/** `seed`: BIP-39's, of the wallet's mnemonic. */
export function solanaKeys(seed: Uint8Array): SolanaKeys {
  const privateKey = (key: WalletKey): Uint8Array => slip10Ed25519(seed, `m/44'/501'/${accountOf(key)}'/0'`);
  return {
    privateKey,
    address: (key) => addressText(ed25519PublicKey(privateKey(key))),
  };
}

function accountOf(key: WalletKey): number {
  if (key.role === 'hot') return 0;
  if (key.role === 'change') throw new RangeError('Solana wallets have no change addresses');
  if (Number.isInteger(key.index) && key.index >= 0 && key.index <= INDEX_MAX) return key.index + 1;
  throw new RangeError('a derivation index of Solana is a whole number below 2^31 - 1');
}
