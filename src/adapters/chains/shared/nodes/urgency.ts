/**
 * The urgency of a call to a node whose plan has no room for all, whether the call waits for room,
 * in which round it is made, and whether it may be spared. It travels with the asynchronous
 * context, since all layers in between would only pass it on.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** In order: the first is served first. `audit` is reconciliation, and all background work. */
export const URGENCIES = ['payout', 'head', 'blocks', 'audit'] as const;
export type Urgency = (typeof URGENCIES)[number];

/** One look of the sender at its open batches. */
export interface Round {
  /** How many batches it looks at. */
  readonly batches: number;
}

export interface Haste {
  readonly urgency: Urgency;
  /** Another node could be asked instead, so waiting long does not pay. */
  readonly hasChoice: boolean;
  /** Within a round a node is asked once what is alike for all (joined-calls.ts). Null: in none. */
  readonly round: Round | null;
  /**
   * Other calls answer the same where this one fails. It is made once, and what the node refuses of
   * it teaches nothing of the node's limits: some limit lists, and nothing else.
   */
  readonly spared: boolean;
}

/** For work without a stated haste. */
const USUAL: Haste = { urgency: 'head', hasChoice: false, round: null, spared: false };

const current = new AsyncLocalStorage<Haste>();

/** Runs `work` with this haste for every call to a node; absent fields keep their present value. */
export function inHaste<T>(haste: Partial<Haste>, work: () => Promise<T>): Promise<T> {
  return current.run({ ...hasteNow(), ...haste }, work);
}

/** Of the running work. */
export function hasteNow(): Haste {
  return current.getStore() ?? USUAL;
}
