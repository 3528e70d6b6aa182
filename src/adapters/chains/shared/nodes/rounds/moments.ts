/**
 * A round is one look of the sender at its open batches (urgency.ts). What is alike for all of them
 * is asked of a node once, and lists answer what single look-ups would.
 *
 * A list only saves. It proves what it shows, and what it does not show is asked alone. No verdict
 * that lets money be sent again comes from here: those of each chain's outcome.ts make their own
 * look-ups, outside of any round. A list that fails changes nothing of the node's standing. Only,
 * another machine may answer from then on: the node has to show its chain again. Answers belong to
 * one node, one round and one moment of it, and to the time since the node last showed which chain
 * it is of.
 */
import type { Logger } from '../../../../../ports/runtime/logger.ts';
import { type BudgetTime, systemTime } from '../call-log.ts';
import { NodeError, NodeLagging, NodeLimited, RpcError } from '../node-errors.ts';
import type { LabelledNode } from '../node-pool.ts';
import { type Haste, hasteNow, inHaste } from '../urgency.ts';

export interface Rounds<Node extends LabelledNode> {
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
  /**
   * What the answers to `list` prove, read by `prove`; null where they are of no use for that, and
   * outside of rounds. A node whose answer nobody can read is not asked for it again for minutes.
   * Throws NodeLimited, which no look-up alone would be spared.
   */
  proven<T>(list: Pick<List, 'kind'>, prove: () => Promise<T | null>): Promise<T | null>;
  /**
   * Goes on without what failed by `error`. True if another machine may answer since, of another
   * chain. Throws NodeLimited, and what does not tell of the node.
   */
  passOver(error: unknown): boolean;
  /** A list of it failed so that another machine may answer since. */
  readonly hasFailed: boolean;
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

interface RoundsOptions<Node> {
  readonly chain: string;
  /** A node failed, and what asked it goes on: it has to show its chain again. */
  readonly doubt: (node: Node) => void;
  readonly logger: Logger;
  readonly time?: RoundTime | undefined;
}

export function nodeRounds<Node extends LabelledNode>(options: RoundsOptions<Node>): Rounds<Node> {
  const { chain, doubt, logger, time = systemTime } = options;
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
      const told = (kind: string) => logger.info('node.list_rests', { chain, node: node.label, list: kind });
      const moment = sharedMoment(round.batches, {
        ...{ rests: restsOf(node), time, told },
        doubt: () => doubt(node),
      });
      ofRound.set(haste, { moment, beganAt: time.now() });
      return moment;
    },
    forget: (node) => void kept.delete(node),
  };
}

/** Outside of rounds. */
const ALONE: Moment = {
  batches: 0,
  hasFailed: false,
  once: (_, ask) => ask(),
  listed: async () => null,
  gathered: async () => null,
  proven: async () => null,
  passOver(error) {
    throw error;
  },
};

interface Gathering {
  readonly items: unknown[];
  /** Asks for them now. */
  go(): void;
  readonly answers: Promise<readonly unknown[] | null>;
}

interface SharedMoment {
  /** Until when a list rests, by its kind. */
  readonly rests: Map<string, number>;
  readonly doubt: () => void;
  /** Logs that a list rests. */
  readonly told: (kind: string) => void;
  readonly time: RoundTime;
}

function sharedMoment(batches: number, { rests, doubt, told, time }: SharedMoment): Moment {
  const answers = new Map<string, Promise<unknown>>();
  let hasFailed = false;

  function passOver(error: unknown): boolean {
    if (error instanceof NodeLimited || !isOfNode(error)) throw error;
    const isFault = error instanceof NodeError;
    if (isFault) doubt();
    return isFault;
  }

  function rest(kind: string): void {
    rests.set(kind, time.now() + REST_MS);
    told(kind);
  }

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
      // No room for any call says nothing of lists.
      if (error instanceof NodeLimited) return null;
      hasFailed = passOver(error) || hasFailed;
      rest(kind);
      return null;
    }
  }

  const isOff = (kind: string): boolean => batches <= FEW_BATCHES || (rests.get(kind) ?? 0) > time.now();
  const gather = gathering(batches, list, time);

  return {
    batches,
    get hasFailed() {
      return hasFailed;
    },
    once,
    async listed({ kind, part = '' }, ask) {
      return isOff(kind) ? null : once(`list ${kind} ${part}`, () => list(kind, ask));
    },
    gathered: async (of, item, ask) => (isOff(of.kind) ? null : gather(of, item, ask)),
    passOver,
    async proven(of, prove) {
      try {
        return await prove();
      } catch (error) {
        if (!passOver(error)) return null;
        hasFailed = true;
        if (!isOff(of.kind)) rest(of.kind);
        return null;
      }
    },
  };
}

type AskList = <T>(kind: string, ask: () => Promise<T>) => Promise<T | null>;

/** Gathers items for lists, each of which is asked by `list`. */
function gathering(batches: number, list: AskList, time: RoundTime): Moment['gathered'] {
  const gatherings = new Map<string, Gathering>();

  function opened<Item, T>(
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

  return async <Item, T>(
    of: GatheredList,
    item: Item,
    ask: (items: readonly Item[]) => Promise<readonly T[]>,
  ) => {
    const { items, go, answers } = opened(of, ask);
    const place = items.push(item) - 1;
    if (items.length >= Math.min(of.most, batches)) go();
    return ((await answers)?.[place] as T | undefined) ?? null;
  };
}

const SPARED: Partial<Haste> = { spared: true };

const isOfNode = (error: unknown): boolean =>
  error instanceof NodeError || error instanceof NodeLagging || error instanceof RpcError;
