/**
 * The scripts of our own keys: native segwit where the chain has it (P2WPKH, BIP-84), else P2PKH
 * (BIP-44).
 */
import { createHash } from 'node:crypto';
import type { UtxoNetwork } from '../network.ts';
import { payToPublicKeyHash, payToWitness } from './address.ts';

/** `publicKey` is compressed (SEC 1). */
export function ownScript({ bech32 }: UtxoNetwork, publicKey: Uint8Array): Uint8Array {
  const hash = hash160(publicKey);
  return bech32 === null ? payToPublicKeyHash(hash) : payToWitness(0, hash);
}

/** BIP-143's scriptCode of our own UTXOs: the P2PKH script, on every chain. */
export function signedScript(publicKey: Uint8Array): Uint8Array {
  return payToPublicKeyHash(hash160(publicKey));
}

const hash160 = (bytes: Uint8Array): Uint8Array => digest('ripemd160', digest('sha256', bytes));
const digest = (algorithm: string, bytes: Uint8Array): Uint8Array =>
  createHash(algorithm).update(bytes).digest();
