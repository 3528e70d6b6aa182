/**
 * What an operator lets the signer sign. It is read from the signer's own file
 * (config/signer-policy.ts).
 */
import { OUTGOING_PURPOSES, type OutgoingPurpose } from './outgoing.ts';

export interface SigningPolicy {
  /** Nothing at all is signed. */
  readonly halt: boolean;
  readonly purposes: ReadonlySet<OutgoingPurpose>;
  /** Limits of what leaves the hot wallet, by asset key, in base units; null: none. */
  readonly limits: ReadonlyMap<string, AssetLimits>;
  /** By chain: most native base units that one transaction may cost. */
  readonly maxFeeUnits: ReadonlyMap<string, bigint>;
  /**
   * Payouts that may be signed under a second nonce: somebody made sure that the first can never be
   * mined.
   */
  readonly resign: ReadonlySet<string>;
}

export interface AssetLimits {
  readonly perTransactionUnits: bigint | null;
  /** Over any 24 hours. */
  readonly perDayUnits: bigint | null;
}

/** Without a file: only what is always checked. */
export const UNLIMITED_SIGNING: SigningPolicy = {
  halt: false,
  purposes: new Set(OUTGOING_PURPOSES),
  limits: new Map(),
  maxFeeUnits: new Map(),
  resign: new Set(),
};
