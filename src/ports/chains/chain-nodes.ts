import type { NodeState } from '../../domain/chains/node-plan.ts';

/** The nodes that a chain is read from and sent through, for whoever looks after them. */
export interface ChainNodes {
  /** In the order in which they are asked. */
  standings(): readonly NodeStanding[];
  /** What other processes used of a node's plan today, since this was last told. */
  recall(node: string, used: UsedOfDay): void;
}

/** What was asked of a node on one day, UTC. */
export interface UsedOfDay {
  /** Days since 1970. */
  readonly day: number;
  readonly calls: number;
  /** Calls that the node refused for being too many. */
  readonly refusals: number;
  /** Of its answers, as they came out of the connection: not compressed. */
  readonly bytes: number;
}

export interface NodeStanding {
  /** `node 2 (eth.example.com)`: no secret is in it. */
  readonly node: string;
  readonly state: NodeState;
  /** By this process, and by those that it was told of. */
  readonly used: UsedOfDay;
  /** Calls that it allows, as configured or as its refusals taught; null: no limit is known. */
  readonly perSecond: number | null;
  readonly perDay: number | null;
  /** Whether it tells new heads to this process; null or not there: it has no stream, or nobody listens to it here. */
  readonly stream?: boolean | null;
}
