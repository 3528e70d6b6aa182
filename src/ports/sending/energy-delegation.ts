/** Delegation of staked energy (Tron): what a sweep costs with it, and what is delegated. */
import type { DelegationOffer } from '../../domain/sweeps/sweep.ts';

/**
 * The hot wallet delegates energy of its stake to a deposit address for a sweep, and takes it back
 * afterwards, instead of sending gas to burn. Both are orders of the native coin from the hot
 * wallet (SendingOrder.delegates); their units are stake, and no money moves.
 */
export interface EnergyDelegation {
  /** The full cost of a token's sweep, in native base units, the address's gas included. */
  compare(sweep: { hot: string; address: string; asset: string }): Promise<DelegationOffer>;

  /**
   * The hot wallet's stake that is finally delegated to `address`: the highest answer of the nodes
   * whose final blocks reach `height`. Null if there is none.
   */
  delegated(delegation: { hot: string; address: string; height: number }): Promise<bigint | null>;
}

export type Delegation = 'energy' | 'energy_back';
