/** Daily use (UTC) of nodes' plans by all processes together. Inside UnitOfWork.run only. */
import type { NodeState } from '../../domain/chains/node-plan.ts';
import type { UsedOfDay } from './chain-nodes.ts';

export interface NodeUsageRepository {
  /** Adds each node's use since the last call; returns its total of the day, in the same order. */
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
  /** NodeStanding.stream; another process's value is kept if this one has no open stream. */
  readonly stream?: boolean | null;
  readonly used: UsedOfDay;
}

export interface NotedUse extends NodeUse {
  /** When the day's count began, by our clock; `countedUntil`: when it last grew. */
  readonly countedFrom: Date;
  readonly countedUntil: Date;
}
