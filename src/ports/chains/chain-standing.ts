/** How well a chain is followed, shared by all processes. */
import type { ChainHealth } from '../../domain/chains/chain-health.ts';

export interface ChainStanding extends ChainHealth {
  readonly since: Date;
  /** Payments may be unseen for longer than the bound: new payments there are refused. */
  readonly late: boolean;
}
