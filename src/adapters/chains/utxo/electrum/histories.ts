/**
 * The histories of the followed scripts. Each script is subscribed once on a connection, and its
 * history is fetched when the server announces another status. Between two changes nothing is
 * asked, however many scripts are followed.
 */
import type { Logger } from '../../../../ports/runtime/logger.ts';
import { type BudgetTime, systemTime } from '../../shared/nodes/call-log.ts';
import { NodeError } from '../../shared/nodes/node-errors.ts';
import { type ElectrumClient, type HistoryEntry, type HistoryOutcome, statusIn, statusOf } from './client.ts';

export interface ElectrumHistories {
  /**
   * Follows these scripts from now on, each with a name for the log; others only as long as that
   * costs nothing.
   */
  follow(names: ReadonlyMap<string, string>): Promise<void>;
  /**
   * Each transaction that pays a followed script or spends from it, as the server tells at present.
   */
  entries(): Promise<readonly HistoryEntry[]>;
  /** Where a followed script has the transaction; undefined where none does. */
  find(txid: string): Promise<HistoryEntry | undefined>;
  /** The history of any script. */
  of(scriptHash: string): Promise<readonly HistoryEntry[]>;
  /** Fetches histories with this transaction anew: what the server said of it was wrong. */
  doubt(txid: string): void;
  /** The server said that a script has another status. */
  notified(params: readonly unknown[], connection: number): void;
}

interface Followed {
  readonly scriptHash: string;
  readonly name: string;
  /** The connection on which its subscription was asked for; 0: none. */
  connection: number;
  /** As the server said last; undefined before the answer. */
  status: string | null | undefined;
  /** The status for which `entries` were fetched. */
  fetchedFor: string | null | undefined;
  entries: readonly HistoryEntry[];
  /** The status for which the server refused the history, or gave an old one too often. */
  refusedFor: string | null | undefined;
  /** Monotonic milliseconds; before, the history for `refusedFor` is not asked for again. */
  askAgainAt: number;
  /** How often in a row the history that was fetched did not fit the status. */
  mismatches: number;
}

/**
 * Above so many unneeded subscriptions a new connection is opened: servers take some ten thousands.
 */
const UNNEEDED_MAX = 10_000;
/**
 * Between two blocks a server may give an old history: it is asked again at once, but not forever.
 */
const MISMATCHES_MAX = 3;
/**
 * A server may be busy for a moment. A history that is too long for the server costs a call each
 * time.
 */
const ASK_AGAIN_MS = 60_000;

interface Context {
  readonly chain: string;
  readonly client: ElectrumClient;
  readonly logger: Logger;
  readonly time: BudgetTime;
  /** By script hash. */
  followed: Map<string, Followed>;
  /** The connection of the last `follow`. */
  followedOn: number;
  /** Entries of followed scripts, made when they are asked for; null after a change. */
  byTxid: ReadonlyMap<string, HistoryEntry> | null;
  /**
   * The last change that was begun. Each change waits for the one before, and builds on what it
   * found.
   */
  turn: Promise<unknown>;
}

export function electrumHistories(options: {
  chain: string;
  client: ElectrumClient;
  logger: Logger;
  time?: BudgetTime | undefined;
}): ElectrumHistories {
  const { chain, client, logger, time = systemTime } = options;
  const context: Context = {
    ...{ chain, client, logger, time, followed: new Map(), followedOn: 0, byTxid: null },
    turn: Promise.resolve(),
  };
  return {
    follow: (names) => inTurn(context, () => follow(context, names)),
    entries: async () => [...(await current(context)).values()],
    find: async (txid) => (context.followed.size === 0 ? undefined : (await current(context)).get(txid)),
    of: (scriptHash) => historyOf(context, scriptHash),
    doubt(txid) {
      for (const each of context.followed.values())
        if (each.entries.some((entry) => entry.txid === txid)) each.fetchedFor = undefined;
    },
    notified([scriptHash, status], on) {
      const each = context.followed.get(String(scriptHash));
      if (each?.connection === on) each.status = statusIn(status);
    },
  };
}

function inTurn<T>(context: Context, work: () => Promise<T>): Promise<T> {
  const result = context.turn.then(work);
  context.turn = result.catch(() => undefined);
  return result;
}

async function follow(context: Context, names: ReadonlyMap<string, string>): Promise<void> {
  const { connection } = context.client;
  const on = await connection.alive();
  const fresh = [...names].filter(([scriptHash]) => !context.followed.has(scriptHash));
  for (const [scriptHash, name] of fresh) context.followed.set(scriptHash, unfollowed(scriptHash, name));
  const tooMany = context.followed.size > names.size + UNNEEDED_MAX;
  if (tooMany) connection.close();
  // A script that is no longer named costs nothing while the connection lasts, and may still be
  // paid.
  if (tooMany || on !== context.followedOn)
    context.followed = new Map([...context.followed].filter(([scriptHash]) => names.has(scriptHash)));
  context.followedOn = on;
  context.byTxid = null;
  await refresh(context);
}

function unfollowed(scriptHash: string, name: string): Followed {
  return {
    ...{ scriptHash, name, connection: 0, entries: [], mismatches: 0 },
    ...{ status: undefined, fetchedFor: undefined, refusedFor: undefined, askAgainAt: 0 },
  };
}

/** Fetches what changed. A history that the server refuses leaves the others as they are. */
async function refresh(context: Context): Promise<void> {
  const { client, followed } = context;
  await subscribe(context, await client.connection.alive());
  const changed = [...followed.values()].filter((each) => isToBeFetched(context, each));
  if (changed.length === 0) return;
  const statuses = changed.map(({ status }) => status);
  const asked = changed.filter(({ status }) => status !== null);
  const outcomes = await client.histories(asked.map(({ scriptHash }) => scriptHash));
  const told = new Map(asked.map((each, at) => [each, outcomes[at]!] as const));
  context.byTxid = null;
  for (const [at, each] of changed.entries())
    takeHistory(context, each, statuses[at], told.get(each) ?? { entries: [] });
}

async function subscribe({ client, followed }: Context, on: number): Promise<void> {
  const fresh = [...followed.values()].filter(({ connection }) => connection !== on);
  if (fresh.length === 0) return;
  for (const each of fresh) Object.assign(each, { connection: on, status: undefined });
  try {
    const statuses = await client.subscribe(fresh.map(({ scriptHash }) => scriptHash));
    // A status that was announced meanwhile is newer.
    for (const [at, each] of fresh.entries()) if (each.status === undefined) each.status = statuses[at]!;
  } catch (error) {
    for (const each of fresh) each.connection = 0;
    throw error;
  }
}

function isToBeFetched({ time }: Context, each: Followed): boolean {
  const { status, fetchedFor, refusedFor, askAgainAt } = each;
  return status !== fetchedFor && (status !== refusedFor || time.now() >= askAgainAt);
}

/** `status`: the one for which the history was asked. */
function takeHistory(
  context: Context,
  each: Followed,
  status: Followed['status'],
  outcome: HistoryOutcome,
): void {
  if ('error' in outcome) {
    if (each.refusedFor !== status)
      context.logger.error('node.history_unreadable', {
        chain: context.chain,
        node: context.client.label,
        address: each.name,
        problem: outcome.error.message,
      });
    askLater(context, each, status);
    return;
  }
  const fits = statusOf(outcome.entries) === status;
  each.mismatches = fits ? 0 : each.mismatches + 1;
  each.entries = outcome.entries;
  if (fits) each.fetchedFor = status;
  else if (each.mismatches > MISMATCHES_MAX) askLater(context, each, status);
}

function askLater({ time }: Context, each: Followed, status: Followed['status']): void {
  Object.assign(each, { refusedFor: status, askAgainAt: time.now() + ASK_AGAIN_MS });
}

/** The entries of all followed scripts, by txid, after what changed was fetched. */
function current(context: Context): Promise<ReadonlyMap<string, HistoryEntry>> {
  return inTurn(context, async () => {
    await refresh(context);
    context.byTxid ??= byTxid(context.followed.values());
    return context.byTxid;
  });
}

/**
 * Where two scripts have the same transaction, an entry of a block counts more than one that waits.
 */
function byTxid(followed: Iterable<Followed>): ReadonlyMap<string, HistoryEntry> {
  const made = new Map<string, HistoryEntry>();
  for (const { entries } of followed)
    for (const entry of entries) if ((made.get(entry.txid)?.height ?? 0) <= 0) made.set(entry.txid, entry);
  return made;
}

async function historyOf(context: Context, scriptHash: string): Promise<readonly HistoryEntry[]> {
  const { client } = context;
  if (context.followed.has(scriptHash)) {
    await current(context);
    const own = context.followed.get(scriptHash);
    if (own !== undefined) return own.entries;
  }
  const [outcome] = await client.histories([scriptHash]);
  if (outcome === undefined) throw new NodeError(`${client.label}: answered nothing`);
  if ('error' in outcome) throw outcome.error;
  return outcome.entries;
}
