/** How well a chain is followed, as every process sees it. */
import type { ChainHealth } from '../../domain/chains/chain-health.ts';

export interface ChainStanding extends ChainHealth {
  readonly since: Date;
  /** Payments may be unseen for longer than the bound: nothing new is to be paid there. */
  readonly late: boolean;
}
