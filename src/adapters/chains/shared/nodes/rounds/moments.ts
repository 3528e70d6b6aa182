/**
 * A round is one look of the sender at its open batches (urgency.ts). What is alike for all of them
 * is asked of a node once, and lists answer what single look-ups would.
 *
 * A list only saves. It proves what it shows, and what it does not show is asked alone. No verdict
 * that lets money be sent again comes from here: those of each chain's outcome.ts make their own
 * look-ups, outside of any round. A list that fails changes nothing of the node's standing. Answers
 * belong to one node, one round and one moment of it, and to the time since the node last showed
 * which chain it is of.
 */
import { type BudgetTime, systemTime } from '../call-log.ts';
import { NodeError, NodeLagging, NodeLimited, RpcError } from '../node-errors.ts';
import { type Haste, hasteNow, inHaste } from '../urgency.ts';

export interface Rounds<Node extends object> {
  /**
   * The present moment at this node. A piece of work takes one, and asks all its questions in it:
   * what it asks later is then never older than what it asked before.
   */
  moment(node: Node): Moment;
  /** Forgets what the node told, and what it is being asked: another machine may answer now. */
  forget(node: Node): void;
}

export interface Moment {
  /** How many batches its round looks at; zero outside of rounds, where nothing is shared. */
  readonly batches: number;
  /** `ask`, which runs once for all that ask `what` in this moment. One that failed runs again. */
  once<T>(what: string, ask: () => Promise<T>): Promise<T>;
  /**
   * The same for a list. Null where the node does not answer it, or did not some minutes ago, where
   * the round looks at few batches, and outside of rounds: then single look-ups have to tell.
   */
  listed<T>(list: List, ask: () => Promise<T>): Promise<T | null>;
  /**
   * The answer for `item` of a list that is asked for all items of some milliseconds together;
   * `ask` returns one for each, in order. Null as of `listed`.
   */
  gathered<Item, T>(
    list: GatheredList,
    item: Item,
    ask: (items: readonly Item[]) => Promise<readonly T[]>,
  ): Promise<T | null>;
}

export interface List {
  /** What fails together: a method. */
  readonly kind: string;
  /** Which part of it; default: there is one. */
  readonly part?: string | number;
}

export interface GatheredList extends List {
  /** Most items of one call. */
  readonly most: number;
}

type RoundTime = Pick<BudgetTime, 'now' | 'after'>;

/** A moment takes no more questions of new work after this long. */
const MOMENT_MS = 3_000;
/** A list that failed is not asked for so long. */
const REST_MS = 300_000;
/** How long a list waits for more items: payments come one by one as others are done. */
const GATHER_MS = 25;
/** Single look-ups take no more requests than a list and its head. */
const FEW_BATCHES = 3;

interface KeptMoment {
  readonly moment: Moment;
  readonly beganAt: number;
}

export function nodeRounds<Node extends object>(time: RoundTime = systemTime): Rounds<Node> {
  /** By round, and in it by the haste of its calls: one that waits for room may fail by that. */
  const kept = new WeakMap<Node, WeakMap<object, Map<string, KeptMoment>>>();
  /** Until when a list rests, by its kind. */
  const resting = new WeakMap<Node, Map<string, number>>();

  function restsOf(node: Node): Map<string, number> {
    const rests = resting.get(node) ?? new Map<string, number>();
    resting.set(node, rests);
    return rests;
  }

  return {
    moment(node) {
      const { round, urgency, hasChoice } = hasteNow();
      if (round === null) return ALONE;
      const ofNode = kept.get(node) ?? new WeakMap<object, Map<string, KeptMoment>>();
      kept.set(node, ofNode);
      const ofRound = ofNode.get(round) ?? new Map<string, KeptMoment>();
      ofNode.set(round, ofRound);
      const haste = `${urgency} ${hasChoice}`;
      const present = ofRound.get(haste);
      if (present !== undefined && time.now() - present.beganAt < MOMENT_MS) return present.moment;
      const moment = sharedMoment(round.batches, { rests: restsOf(node), time });
      ofRound.set(haste, { moment, beganAt: time.now() });
      return moment;
    },
    forget: (node) => void kept.delete(node),
  };
}

/** Outside of rounds. */
const ALONE: Moment = {
  batches: 0,
  once: (_, ask) => ask(),
  listed: async () => null,
  gathered: async () => null,
};

interface Gathering {
  readonly items: unknown[];
  /** Asks for them now. */
  go(): void;
  readonly answers: Promise<readonly unknown[] | null>;
}

function sharedMoment(
  batches: number,
  { rests, time }: { rests: Map<string, number>; time: RoundTime },
): Moment {
  const answers = new Map<string, Promise<unknown>>();

  function once<T>(what: string, ask: () => Promise<T>): Promise<T> {
    const known = answers.get(what) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const answer = ask();
    answers.set(what, answer);
    answer.catch(() => answers.delete(what));
    return answer;
  }

  async function list<T>(kind: string, ask: () => Promise<T>): Promise<T | null> {
    try {
      return await inHaste(SPARED, ask);
    } catch (error) {
      if (!isOfNode(error)) throw error;
      // No room for any call says nothing of lists.
      if (!(error instanceof NodeLimited)) rests.set(kind, time.now() + REST_MS);
      return null;
    }
  }

  const isOff = (kind: string): boolean => batches <= FEW_BATCHES || (rests.get(kind) ?? 0) > time.now();
  const gatherings = new Map<string, Gathering>();

  function gathering<Item, T>(
    { kind, part = '', most }: GatheredList,
    ask: (items: readonly Item[]) => Promise<readonly T[]>,
  ): Gathering {
    const key = `${kind} ${part}`;
    const open = gatherings.get(key);
    if (open !== undefined && open.items.length < Math.min(most, batches)) return open;
    const items: Item[] = [];
    const { promise, resolve: go } = Promise.withResolvers<void>();
    time.after(GATHER_MS, go);
    const answers = promise.then(() => {
      if (gatherings.get(key) === made) gatherings.delete(key);
      return list(kind, () => ask(items));
    });
    const made: Gathering = { items, go, answers };
    gatherings.set(key, made);
    return made;
  }

  return {
    batches,
    once,
    async listed({ kind, part = '' }, ask) {
      return isOff(kind) ? null : once(`list ${kind} ${part}`, () => list(kind, ask));
    },
    async gathered<Item, T>(
      of: GatheredList,
      item: Item,
      ask: (items: readonly Item[]) => Promise<readonly T[]>,
    ) {
      if (isOff(of.kind)) return null;
      const { items, go, answers } = gathering(of, ask);
      const place = items.push(item) - 1;
      if (items.length >= Math.min(of.most, batches)) go();
      return ((await answers)?.[place] as T | undefined) ?? null;
    },
  };
}

const SPARED: Partial<Haste> = { spared: true };

/** What a list proves, read by `prove`; null where the node's answer is of no use for that. */
export async function ifProven<T>(prove: () => Promise<T | null>): Promise<T | null> {
  try {
    return await prove();
  } catch (error) {
    if (isOfNode(error)) return null;
    throw error;
  }
}

/** It tells of the node, not of the program. */
export const isOfNode = (error: unknown): boolean =>
  error instanceof NodeError || error instanceof NodeLagging || error instanceof RpcError;
