/**
 * Addresses of V5R1 wallets (the wallet that apps call W5), from one public key. The contract's
 * code is the same for all, its data holds the key and a wallet id, and the address is the hash of
 * both. A wallet has no contract before its first transaction, but it can already receive money.
 */
import type { TonAddress } from '../address.ts';
import type { TonNetwork } from '../network.ts';
import { bitsOf, type CellId, cellId, numberOf } from './cell-hash.ts';

/** Of the published contract (ton-blockchain/wallet-contract-v5, wallet_v5.compiled.json). */
export const V5R1_CODE: CellId = {
  hash: Buffer.from('20834b7b72b112147e1b2fb457b84e74d1a30f04f737d4f62a668e9552d2b72f', 'hex'),
  depth: 6,
};

/**
 * The context of wallet apps begins with a 1 (then workchain 0, version 0, subwallet 0). Contexts
 * of 31 bits after a 0 are free for other uses.
 */
const FIRST_SUBWALLET = 2 ** 31;

/**
 * A deposit address by its derivation index, or the wallet that apps open by default for the key.
 */
export type TonWallet = { readonly role: 'hot' } | { readonly role: 'deposit'; readonly index: number };

/**
 * The signed 32 bits that the contract keeps: the context, xored with the network's id, so that no
 * signature is valid on two networks.
 */
export function walletId({ globalId }: TonNetwork, wallet: TonWallet): number {
  return globalId ^ (wallet.role === 'hot' ? FIRST_SUBWALLET : wallet.index);
}

/** `publicKey`: 32 bytes. */
export function walletAddress(
  network: TonNetwork,
  publicKey: Uint8Array,
  wallet: TonWallet,
): Pick<TonAddress, 'workchain' | 'hash'> {
  return { workchain: 0, hash: contractHash(V5R1_CODE, walletData(publicKey, walletId(network, wallet))) };
}

/** No split depth, not special, code, data, no libraries. */
const STATE_INIT = bitsOf([0b00110n, 5]);

/** The address of a contract is the hash of its StateInit. */
export function contractHash(code: CellId, data: CellId): Uint8Array {
  return cellId(STATE_INIT, [code, data]).hash;
}

/** Signatures allowed, seqno 0, wallet id, key, no extensions. */
function walletData(publicKey: Uint8Array, id: number): CellId {
  return cellId(bitsOf([1n, 1], [0n, 32], [BigInt(id), 32], [numberOf(publicKey), 256], [0n, 1]));
}
