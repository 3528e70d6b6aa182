import type { NodeState } from '../../domain/chains/node-plan.ts';

/** The state of the nodes that a chain is read from and sent through. */
export interface ChainNodes {
  /** In the order in which they are called. */
  standings(): readonly NodeStanding[];
  /** Adds what other processes used of a node's plan today, since the last call. */
  recall(node: string, used: UsedOfDay): void;
}

/** Calls to a node on one day, UTC. */
export interface UsedOfDay {
  /** Days since 1970. */
  readonly day: number;
  readonly calls: number;
  /** Calls that the node refused because of its limits. */
  readonly refusals: number;
  /** Of its answers, decompressed. */
  readonly bytes: number;
}

export interface NodeStanding {
  /** `node 2 (eth.example.com)`, without secrets. */
  readonly node: string;
  readonly state: NodeState;
  /** By this process and, as far as recalled, by others. */
  readonly used: UsedOfDay;
  /** Allowed calls, as configured or learnt from refusals; null: no known limit. */
  readonly perSecond: number | null;
  readonly perDay: number | null;
  /**
   * Whether it pushes new heads to this process; null or absent: it has no stream, or none is open.
   */
  readonly stream?: boolean | null;
}
