/**
 * Sweeps: money of deposit addresses goes to the hot wallet. There is one planned job per address
 * and asset. A token that needs gas first gets a top-up, or delegated energy where that is cheaper;
 * then the money is moved, and the energy is taken back. These are the decisions;
 * app/sweeps/advance-sweeps.ts carries them out.
 */

import { mulDiv } from '../money/decimal.ts';
import { PPM } from '../money/fee.ts';
import { smaller } from '../money/larger.ts';
import type { SweepReason } from './sweep-reason.ts';

/**
 * One of these has a transfer on its way; an address has at most one such sweep, since its gas and
 * energy are shared.
 */
export const ACTIVE_SWEEP_STATUSES = ['topping_up', 'lending', 'sweeping', 'reclaiming'] as const;
export const OPEN_SWEEP_STATUSES = ['planned', ...ACTIVE_SWEEP_STATUSES] as const;
export const SWEEP_STATUSES = [...OPEN_SWEEP_STATUSES, 'done', 'failed'] as const;
export type SweepStatus = (typeof SWEEP_STATUSES)[number];

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
  /**
   * Outgoing transfers: the top-up, the delegation of energy, the money, and the newest that takes
   * the energy back.
   */
  readonly topupId: string | null;
  readonly delegationId: string | null;
  readonly transferId: string | null;
  readonly undelegationId: string | null;
  /** Why it waits, or failed. While it only takes its energy back: why it is to fail, if it is. */
  readonly reason: SweepReason | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

/**
 * What is set aside for a fee: room for two replacements, each a tenth dearer than the one before,
 * unless the estimate is `enough` by itself.
 */
export function feeBudget(maxFeeUnits: bigint, { enough }: { readonly enough: boolean }): bigint {
  return enough ? maxFeeUnits : mulDiv(maxFeeUnits, 5n, 4n, 'ceil');
}

/**
 * What a sweep becomes when nothing more can be moved: it succeeded, or failed for a reason.
 * Delegated energy is taken back first, whatever became of the money.
 */
export function endedSweep(sweep: Sweep, failure: SweepReason | null, at: Date): Sweep {
  const ended = { ...sweep, reason: failure };
  return sweep.delegationId === null ? closedSweep(ended, at) : { ...ended, status: 'reclaiming' };
}

/** The end of a sweep for which nothing is delegated. */
export function closedSweep(sweep: Sweep, at: Date): Sweep {
  return { ...sweep, status: sweep.reason === null ? 'done' : 'failed', endedAt: at };
}

/** What a sweep of a token costs, with gas or with energy of the hot wallet's stake. */
export interface DelegationOffer {
  /** With gas that the address burns. */
  readonly burnUnits: bigint;
  /**
   * With delegated energy: `stakeUnits` of the hot wallet's stake, of which `idleUnits` could be
   * delegated in all. Null when that is less, or when the address would have to burn some of the
   * coin all the same.
   */
  readonly lend: {
    readonly costUnits: bigint;
    readonly stakeUnits: bigint;
    readonly idleUnits: bigint;
  } | null;
  /**
   * Whether the address must be paid some of the coin first, in either way: the chain does not have
   * it yet.
   */
  readonly activates: boolean;
}

/**
 * Whether energy is delegated: it is cheaper than gas, and the stake has it besides
 * `committedUnits`, which are to be delegated to others.
 */
export function usesDelegation({ burnUnits, lend }: DelegationOffer, committedUnits: bigint): boolean {
  return lend !== null && lend.costUnits < burnUnits && lend.stakeUnits + committedUnits <= lend.idleUnits;
}

export interface SweepFacts {
  /** Whether the asset is the chain's own coin, from which the fee is taken. */
  readonly native: boolean;
  /**
   * Credited, final and not swept yet, by our records: no more than this is moved, whatever lies
   * there.
   */
  readonly coveredUnits: bigint;
  /** On the chain: of the asset, and of the chain's own coin. */
  readonly balanceUnits: bigint;
  readonly gasUnits: bigint;
  /**
   * Of the asset, and of the chain's own coin: it arrived there and is not credited, or not even
   * recorded. It must not be spent, not on fees either. More than is there where some is missing.
   */
  readonly undecidedUnits: bigint;
  readonly undecidedNativeUnits: bigint;
  /** SendingPrice.maxUnits of the sweep; zero where the hot wallet pays it. */
  readonly maxFeeUnits: bigint;
  /** Whether that is all that is set aside for it (feeBudget). */
  readonly enough: boolean;
  /**
   * Of the chain's own coin: an address keeps as much, or nothing at all
   * (ChainSender.reserveUnits).
   */
  readonly reserveUnits: bigint;
  /**
   * Energy instead of gas: it is delegated (`delegated`), or the stake that is to be delegated. An
   * address must have had some of the coin before (`activates`). Null: gas is burnt.
   */
  readonly energy: 'delegated' | { readonly stakeUnits: bigint; readonly activates: boolean } | null;
}

/** The least that can be paid, which makes the chain have an address. */
const LEAST_UNITS = 1n;

export type SweepStep =
  | { readonly kind: 'top_up'; readonly units: bigint }
  | { readonly kind: 'lend'; readonly units: bigint }
  | { readonly kind: 'sweep'; readonly units: bigint }
  /** The coin that is there does not pay its own fee at present. */
  | { readonly kind: 'too_dear' }
  /** What is there must stay, or so much of what must stay is missing that gas would be lost. */
  | { readonly kind: 'undecided' }
  | { readonly kind: 'nothing' };

/**
 * What can be done now. What stays behind (unused fee room, gas) stays for the next sweep of the
 * address.
 */
export function nextSweepStep(facts: SweepFacts): SweepStep {
  const { coveredUnits, balanceUnits, maxFeeUnits, energy } = facts;
  if (smaller(balanceUnits, coveredUnits) <= 0n) return { kind: 'nothing' };
  const room = feeBudget(maxFeeUnits, facts);
  const spendable = balanceUnits - facts.undecidedUnits;
  const there = smaller(spendable, coveredUnits);
  if (there <= 0n) return { kind: 'undecided' };
  if (facts.native) {
    // The fee comes from what earlier sweeps left behind, else from what is covered.
    const most = smaller(spendable - room, coveredUnits);
    // A stranger's few base units may be there, too: what stays with them must be enough for the
    // address to exist.
    const left = balanceUnits - most;
    const units = left > 0n ? smaller(most, balanceUnits - facts.reserveUnits) : most;
    return units > 0n ? { kind: 'sweep', units } : { kind: 'too_dear' };
  }
  if (energy === 'delegated') return { kind: 'sweep', units: there };
  if (energy !== null)
    return energy.activates
      ? { kind: 'top_up', units: LEAST_UNITS }
      : { kind: 'lend', units: energy.stakeUnits };
  const gas = facts.gasUnits - facts.undecidedNativeUnits;
  if (maxFeeUnits === 0n || gas >= maxFeeUnits) return { kind: 'sweep', units: there };
  // Below zero where some of what stays is gone: the gas makes up for what a fee has taken of it.
  return gas < -room ? { kind: 'undecided' } : { kind: 'top_up', units: room - gas };
}

/**
 * Whether a sweep pays. Usually it may cost the configured share of what it brings. While payouts
 * wait for the asset it only has to bring more than it costs: a late payout is worse than a dear
 * sweep.
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
