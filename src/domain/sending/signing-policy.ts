/**
 * What an operator lets the signer sign. It is read from the signer's own file
 * (config/signer-policy.ts).
 */
import { OUTGOING_PURPOSES, type OutgoingPurpose } from './outgoing-purpose.ts';

export interface SigningPolicy {
  /** Nothing at all is signed. */
  readonly halt: boolean;
  readonly purposes: ReadonlySet<OutgoingPurpose>;
  /** Limits of what leaves the hot wallet, by asset key. */
  readonly limits: ReadonlyMap<string, AssetLimits>;
  /** By chain: most native base units that one transaction may cost. */
  readonly maxFeeUnits: ReadonlyMap<string, bigint>;
  /**
   * Payouts that may be signed under a second nonce: somebody made sure that the first can never be
   * mined.
   */
  readonly resign: ReadonlySet<string>;
  /** Where forwards go, as it was written, by asset key or chain. */
  readonly coldAddresses: ReadonlyMap<string, string>;
  /**
   * By asset key: most base units of its forwards over any 24 hours. The limits above do not count
   * them: one may be larger than all payouts of a day, and it reaches the cold address only.
   */
  readonly forwardsPerDay: ReadonlyMap<string, bigint>;
}

/** In base units; null: none. */
export interface AssetLimits {
  readonly perTransactionUnits: bigint | null;
  /** Over any 24 hours. */
  readonly perDayUnits: bigint | null;
}

/** Where forwards of the asset go: its own cold address before its chain's. Null: nowhere. */
export function coldAddressOf(
  { coldAddresses }: Pick<SigningPolicy, 'coldAddresses'>,
  { asset, chain }: { readonly asset: string; readonly chain: string },
): string | null {
  return coldAddresses.get(asset) ?? coldAddresses.get(chain) ?? null;
}

/** Without a file: only what is always checked. */
export const UNLIMITED_SIGNING: SigningPolicy = {
  halt: false,
  purposes: new Set(OUTGOING_PURPOSES),
  limits: new Map(),
  maxFeeUnits: new Map(),
  resign: new Set(),
  coldAddresses: new Map(),
  forwardsPerDay: new Map(),
};
