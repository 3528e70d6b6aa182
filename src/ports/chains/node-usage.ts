/** What was used of the plans of nodes, a day (UTC) at a time, by all processes together: inside UnitOfWork.run, as all repositories. */
import type { NodeState } from '../../domain/chains/node-plan.ts';
import type { UsedOfDay } from './chain-nodes.ts';

export interface NodeUsageRepository {
  /** Adds what each node was used since it was last added; answers what all processes used of it on that day, in the same order. */
  add(uses: readonly NodeUse[], at: Date): Promise<readonly UsedOfDay[]>;
  /** From that day on (days since 1970), by chain, node and day. */
  since(day: number): Promise<readonly NotedUse[]>;
  /** Forgets the days before that one. */
  forgetBefore(day: number): Promise<void>;
}

export interface NodeUse {
  readonly chain: string;
  /** `node 2 (eth.example.com)`. */
  readonly node: string;
  readonly state: NodeState;
  /** As its NodeStanding has it; what another process told is kept where this one does not listen. */
  readonly stream?: boolean | null;
  readonly used: UsedOfDay;
}

export interface NotedUse extends NodeUse {
  /** When the day's count began, and when it was last added to, by our clock. */
  readonly countedFrom: Date;
  readonly countedUntil: Date;
}
