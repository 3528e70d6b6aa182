/** Accounts of tests by name: the same name has the same key for ever. */
import { createHash } from 'node:crypto';
import { ECDSA, Wallet } from 'xrpl';

const made = new Map<string, Wallet>();

export function walletNamed(name: string): Wallet {
  const known = made.get(name);
  if (known !== undefined) return known;
  const entropy = createHash('sha256').update(name).digest().subarray(0, 16);
  const wallet = Wallet.fromEntropy(entropy, { algorithm: ECDSA.secp256k1 });
  made.set(name, wallet);
  return wallet;
}
