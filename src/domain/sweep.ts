/**
 * Sweeps: money of deposit addresses goes to the hot wallet. One planned job per address and asset: gas is topped up where
 * a token needs it, then the money is moved. These are the decisions; app/plan-sweeps.ts carries them out.
 */
import { mulDiv } from './decimal.ts';
import { PPM } from './fee.ts';

export const SWEEP_STATUSES = ['planned', 'topping_up', 'sweeping', 'done', 'failed'] as const;
export type SweepStatus = (typeof SWEEP_STATUSES)[number];
export const OPEN_SWEEP_STATUSES = ['planned', 'topping_up', 'sweeping'] as const satisfies SweepStatus[];
/** One of these has a transfer on its way; an address has at most one such sweep, since its gas is shared. */
export const ACTIVE_SWEEP_STATUSES = ['topping_up', 'sweeping'] as const satisfies SweepStatus[];

export interface Sweep {
  readonly id: string;
  readonly chain: string;
  /** Deposit address, normalized. */
  readonly address: string;
  readonly asset: string;
  readonly status: SweepStatus;
  /** An operator asked for it: it is done whatever it costs. */
  readonly forced: boolean;
  /** Base units that the sweep's transfer moves; null before there is one. */
  readonly units: bigint | null;
  /** Outgoing transfers: the gas, and the money. */
  readonly topupId: string | null;
  readonly transferId: string | null;
  /** Why it waits, or failed. */
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

/** What is set aside for a fee: room for two replacements, each a tenth dearer than the one before. */
export function feeRoom(maxFeeUnits: bigint): bigint {
  return mulDiv(maxFeeUnits, 5n, 4n, 'ceil');
}

export interface SweepFacts {
  /** Whether the asset is the chain's own coin, from which the fee is taken. */
  readonly native: boolean;
  /** Credited, final and not swept yet, by our records: no more than this is moved, whatever lies there. */
  readonly coveredUnits: bigint;
  /** On the chain: of the asset, and of the chain's own coin. */
  readonly balanceUnits: bigint;
  readonly gasUnits: bigint;
  /** Of the chain's own coin, by our records: arrived there and not credited. It is not ours to spend, on fees neither. */
  readonly undecidedCoins: bigint;
  /** SendingPrice.maxUnits of the sweep; zero where the hot wallet pays it. */
  readonly maxFeeUnits: bigint;
  /** Of the chain's own coin: an address keeps as much, or nothing at all (ChainSender.reserveUnits). */
  readonly reserveUnits: bigint;
}

export type SweepStep =
  | { readonly kind: 'top_up'; readonly units: bigint }
  | { readonly kind: 'sweep'; readonly units: bigint }
  /** The coin that is there does not pay its own fee at present. */
  | { readonly kind: 'too_dear' }
  | { readonly kind: 'nothing' };

/** What can be done now. What stays behind (unused fee room, gas) stays for the next sweep of the address. */
export function nextSweepStep(facts: SweepFacts): SweepStep {
  const { coveredUnits, balanceUnits, undecidedCoins, maxFeeUnits } = facts;
  const room = feeRoom(maxFeeUnits);
  const there = lower(balanceUnits, coveredUnits);
  if (there <= 0n) return { kind: 'nothing' };
  if (facts.native) {
    // The fee comes from what earlier sweeps left behind, else from what is covered.
    const spendable = higher(balanceUnits - undecidedCoins, there);
    const most = lower(spendable - room, coveredUnits);
    // A stranger's few base units may be there, too: what stays with them must be enough for the address to exist.
    const left = balanceUnits - most;
    const units = left > 0n ? lower(most, balanceUnits - facts.reserveUnits) : most;
    return units > 0n ? { kind: 'sweep', units } : { kind: 'too_dear' };
  }
  const gas = higher(facts.gasUnits - undecidedCoins, 0n);
  return gas < maxFeeUnits ? { kind: 'top_up', units: room - gas } : { kind: 'sweep', units: there };
}

/**
 * Whether a sweep pays. Usually it may cost the configured share of what it brings; when payouts wait for the asset,
 * it only has to bring more than it costs: a late payout is worse than a dear sweep.
 */
export function isWorthSweeping(sweep: {
  valueMicroUsd: bigint;
  costMicroUsd: bigint;
  sharePpm: bigint;
  needed: boolean;
}): boolean {
  const { valueMicroUsd, costMicroUsd, sharePpm, needed } = sweep;
  return needed ? valueMicroUsd > costMicroUsd : costMicroUsd * PPM <= valueMicroUsd * sharePpm;
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function higher(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
