/**
 * Fingerprints of a wallet's public keys: they distinguish wallets, and no address can be derived
 * from them.
 */
import { createHash } from 'node:crypto';
import { type Family, WALLET_FAMILIES } from '../../domain/catalog/family.ts';
import type { KeyFingerprint } from '../../domain/chains/wallet-keys.ts';
import { keyText, type PublicKeys } from './keystore-file.ts';

/** One for each family that has a key, in the order of keystore.json. */
export function keyFingerprints(keys: PublicKeys): readonly KeyFingerprint[] {
  return WALLET_FAMILIES.flatMap((family) => {
    const key = keys[family];
    if (key === undefined) return [];
    return [fingerprintOf(family, key.path, keyText(key))];
  });
}

/** Of the operator's own wallet: its primary address holds its public keys, and the network. */
export function ownWalletFingerprint(family: Family, primaryAddress: string): KeyFingerprint {
  return fingerprintOf(family, 'primary', primaryAddress);
}

function fingerprintOf(family: Family, path: string, key: string): KeyFingerprint {
  const text = ['quittance-wallet-key-v1', family, path, key].join('\n');
  return { family, fingerprint: createHash('sha256').update(text).digest('hex') };
}
