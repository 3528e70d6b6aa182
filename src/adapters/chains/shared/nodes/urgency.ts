/**
 * How soon a question to a node has to be answered where its plan has no room for all, and whether it waits for that room. Both
 * travel with the calls that a piece of work makes, since all layers between would only hand them on.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** In order: what comes first goes first. `audit` is reconciliation, and all that nobody waits for. */
export const URGENCIES = ['payout', 'head', 'blocks', 'audit'] as const;
export type Urgency = (typeof URGENCIES)[number];

export interface Haste {
  readonly urgency: Urgency;
  /** Another node could be asked instead: not worth waiting long. */
  readonly hasChoice: boolean;
}

/** What says nothing about itself. */
const USUAL: Haste = { urgency: 'head', hasChoice: false };

const current = new AsyncLocalStorage<Haste>();

/** Every call to a node that `work` makes is of this haste; what is left out stays as it is around it. */
export function inHaste<T>(haste: Partial<Haste>, work: () => Promise<T>): Promise<T> {
  return current.run({ ...hasteNow(), ...haste }, work);
}

/** Of the work that runs. */
export function hasteNow(): Haste {
  return current.getStore() ?? USUAL;
}
