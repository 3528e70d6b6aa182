/** How well each chain is followed, shared by all processes. Inside UnitOfWork.run only. */
import type { ChainFault, ChainHealth, RaisedAlarms } from '../../domain/chains/chain-health.ts';

export interface ChainHealthRepository {
  /** Every chain that was read or noted, by name. */
  all(): Promise<ReadonlyMap<string, FollowedChain>>;
  /** Replaces what was noted, except `told`. */
  note(chain: string, health: Omit<NotedHealth, 'told'>): Promise<void>;
  /**
   * Sets `told` (null: the chain is no longer late). Returns false if another process was faster:
   * `before` is not what is stored.
   */
  noteTold(
    chain: string,
    change: { before: RaisedAlarms | null; now: RaisedAlarms | null },
  ): Promise<boolean>;
}

export interface FollowedChain {
  /** The last block that was read; null before reading began. */
  readonly read: PlaceInChain | null;
  readonly noted: NotedHealth | null;
}

interface PlaceInChain {
  readonly height: number;
  /** By the chain's clock. */
  readonly time: Date;
}

export interface NotedHealth extends ChainHealth {
  /** Since when it is in this state, by our clock. */
  readonly since: Date;
  /** The tip that a node last reported. */
  readonly tip: PlaceInChain | null;
  /** When a node last answered. */
  readonly answeredAt: Date | null;
  /** Why the last read failed; null if it did not. */
  readonly fault: ChainFault | null;
  readonly told: RaisedAlarms | null;
}
