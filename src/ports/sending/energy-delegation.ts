/** Energy of stake where a chain has it (Tron): what a sweep costs by it, and what is lent. */
import type { DelegationOffer } from '../../domain/sweeps/sweep.ts';

/**
 * Energy of the hot wallet's stake, lent to a deposit address for its sweep and taken back afterwards, instead of gas to burn.
 * Both are orders of the native coin from the hot wallet (SendingOrder.lends), whose units are stake and move nothing.
 */
export interface EnergyDelegation {
  /** What the sweep of a token costs in all, in native base units, the gas of the address included. */
  compare(sweep: { hot: string; address: string; asset: string }): Promise<DelegationOffer>;

  /**
   * The hot wallet's stake that is lent to `address`, finally: the most that any of the nodes says whose final blocks have come
   * to `height`. Null when none can tell.
   */
  lent(loan: { hot: string; address: string; height: number }): Promise<bigint | null>;
}

export type Delegation = 'energy' | 'energy_back';
