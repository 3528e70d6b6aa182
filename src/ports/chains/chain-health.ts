/** What is known of how well each chain is followed, for all processes: inside UnitOfWork.run, as all repositories (repositories.ts). */
import type { ChainFault, ChainHealth, Told } from '../../domain/chains/chain-health.ts';

export interface ChainHealthRepository {
  /** Of every chain that was read or noted, by name. */
  all(): Promise<ReadonlyMap<string, FollowedChain>>;
  /** Takes the place of what was noted, but for what was told of it. */
  note(chain: string, health: Omit<NotedHealth, 'told'>): Promise<void>;
  /** Notes what was told (null: the chain is late no more); false where another process was quicker, and `before` holds no more. */
  noteTold(chain: string, change: { before: Told | null; now: Told | null }): Promise<boolean>;
}

export interface FollowedChain {
  /** The last block that was read; null before reading began. */
  readonly read: PlaceInChain | null;
  readonly noted: NotedHealth | null;
}

interface PlaceInChain {
  readonly height: number;
  /** By the chain. */
  readonly time: Date;
}

export interface NotedHealth extends ChainHealth {
  /** Since when it is in this state, by our clock. */
  readonly since: Date;
  /** The tip as a node last told it. */
  readonly tip: PlaceInChain | null;
  /** When a node last answered. */
  readonly answeredAt: Date | null;
  /** Why the chain could not be read the last time; null when it could. */
  readonly fault: ChainFault | null;
  readonly told: Told | null;
}
