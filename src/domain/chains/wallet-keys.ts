/**
 * Which wallet a database belongs to, by fingerprints of the wallet's public keys (safety.md K1,
 * K2).
 */
import type { Family } from '../catalog/family.ts';

/** Of a family's account key; of the primary address, where the wallet is the operator's own. */
export interface KeyFingerprint {
  readonly family: Family;
  /** SHA-256 as 64 lower-case hex digits. */
  readonly fingerprint: string;
}

export interface DifferingKey {
  readonly family: Family;
  /** The fingerprint in the database. */
  readonly noted: string;
  readonly found: string;
}

export interface WalletComparison {
  /** Families with different keys. Any means: another wallet. */
  readonly differing: readonly DifferingKey[];
  /** Families that the database does not have yet. */
  readonly added: readonly KeyFingerprint[];
}

/**
 * Compares a wallet's keys with those of the database. Families that only the database has are
 * ignored.
 */
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

/** For people: 64 bits are enough to distinguish an operator's wallets. */
export const shortFingerprint = (fingerprint: string): string => fingerprint.slice(0, 16);
