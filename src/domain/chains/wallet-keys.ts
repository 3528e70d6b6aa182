/** Which wallet a database belongs to, by fingerprints of the wallet's public keys (safety.md K1, K2). */
import type { Family } from '../catalog/family.ts';

/** Of the account key of a family; of Monero, whose keys are the operator's own, of the primary address. */
export interface KeyFingerprint {
  readonly family: Family;
  /** SHA-256 as 64 lower-case hex digits. */
  readonly fingerprint: string;
}

export interface DifferingKey {
  readonly family: Family;
  /** What the database has. */
  readonly noted: string;
  readonly found: string;
}

export interface WalletComparison {
  /** Families that both have, with different keys: another wallet, if there is any. */
  readonly differing: readonly DifferingKey[];
  /** Families that the database does not have yet. */
  readonly added: readonly KeyFingerprint[];
}

/** Holds the keys of a wallet against those that the database noted. What only the database has is not compared. */
export function compareWallets(
  noted: readonly KeyFingerprint[],
  found: readonly KeyFingerprint[],
): WalletComparison {
  const known = new Map(noted.map(({ family, fingerprint }) => [family, fingerprint]));
  return {
    differing: found.flatMap(({ family, fingerprint }) => {
      const before = known.get(family);
      return before === undefined || before === fingerprint
        ? []
        : [{ family, noted: before, found: fingerprint }];
    }),
    added: found.filter(({ family }) => !known.has(family)),
  };
}

/** What people compare: the first 64 bits are enough to tell an operator's wallets apart. */
export const shortFingerprint = (fingerprint: string): string => fingerprint.slice(0, 16);
