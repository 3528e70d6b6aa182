/**
 * The keys of a Solana wallet: the hot wallet is m/44'/501'/0'/0', the deposit address of index i is m/44'/501'/<i+1>'/0' (SLIP-10,
 * the path that Solana wallets use for accounts). Only the signer can derive them; everybody else reads addresses from a pool.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import type { WalletKey } from '../../../ports/signer.ts';
import { ed25519Child, ed25519Root } from '../shared/slip10.ts';
import { addressText } from './address.ts';

const COIN_PATH = [44, 501] as const;
/** Highest index of a deposit address: its account is one more. */
export const INDEX_MAX = 2 ** 31 - 2;

export interface SolanaKeys {
  /** Throws a RangeError for an index that there cannot be. */
  privateKey(key: WalletKey): Uint8Array;
  address(key: WalletKey): string;
}

/** Of the words only the key of the coin (m/44'/501') is kept, in memory. */
export async function solanaKeys(mnemonic: string): Promise<SolanaKeys> {
  const coin = ed25519Child(await ed25519Root(mnemonic), COIN_PATH);
  const privateKey = (key: WalletKey): Uint8Array => ed25519Child(coin, [accountOf(key), 0]).key;
  return {
    privateKey,
    address: (key) => addressText(ed25519.getPublicKey(privateKey(key))),
  };
}

function accountOf(key: WalletKey): number {
  if (key.role === 'hot') return 0;
  if (key.role === 'change') throw new RangeError('Solana wallets have no change addresses');
  if (Number.isInteger(key.index) && key.index >= 0 && key.index <= INDEX_MAX) return key.index + 1;
  throw new RangeError('a derivation index of Solana is a whole number below 2^31 - 1');
}
