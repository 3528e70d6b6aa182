/**
 * The histories of the scripts that are followed: each is subscribed once on a connection, and fetched when the server says that it is
 * another one. Between two changes nothing is asked, however many are followed.
 */
import type { Logger } from '../../../../ports/runtime/logger.ts';
import { type BudgetTime, systemTime } from '../../shared/nodes/call-log.ts';
import { NodeError } from '../../shared/nodes/node-errors.ts';
import { type ElectrumClient, type HistoryEntry, statusIn, statusOf } from './client.ts';

export interface ElectrumHistories {
  /** From now on these scripts are followed, each with a name for the log; others only as long as that costs nothing. */
  follow(names: ReadonlyMap<string, string>): Promise<void>;
  /** Each transaction that pays a followed script or spends from it, as the server tells at present. */
  entries(): Promise<readonly HistoryEntry[]>;
  /** Where a followed script has the transaction; undefined where none does. */
  find(txid: string): Promise<HistoryEntry | undefined>;
  /** The history of any script. */
  of(scriptHash: string): Promise<readonly HistoryEntry[]>;
  /** What the server said of the transaction was wrong: histories with it are fetched anew. */
  doubt(txid: string): void;
  /** The server said that a script has another state. */
  notified(params: readonly unknown[], connection: number): void;
}

interface Followed {
  readonly scriptHash: string;
  readonly name: string;
  /** The connection on which it was asked to be subscribed; 0: none. */
  connection: number;
  /** As the server said last; undefined before the answer. */
  status: string | null | undefined;
  /** The status for which `entries` were fetched. */
  fetchedFor: string | null | undefined;
  entries: readonly HistoryEntry[];
  /** The status for which the server did not tell the history, or an old one, and the monotonic milliseconds from which on it is asked again. */
  refusedFor: string | null | undefined;
  askAgainAt: number;
  /** How often in a row a history was fetched that is not that of the status. */
  mismatches: number;
}

/** Subscriptions that nobody needs any more, above which a new connection is opened: servers take some ten thousands. */
const UNNEEDED_MAX = 10_000;
/** A server between two blocks may tell an old history: it is asked again at once, but not for ever. */
const MISMATCHES_MAX = 3;
/** A server may be busy for a moment. A history that is longer than it tells costs a call each time. */
const ASK_AGAIN_MS = 60_000;

export function electrumHistories(options: {
  chain: string;
  client: ElectrumClient;
  logger: Logger;
  time?: BudgetTime | undefined;
}): ElectrumHistories {
  const { chain, client, logger, time = systemTime } = options;
  const { label, connection } = client;
  let followed = new Map<string, Followed>();
  let followedOn = 0;
  /** Followed entries by txid, made when they are asked for. */
  let byTxid: Map<string, HistoryEntry> | null = null;
  /** One change at a time: what is found out by one is what the next one begins with. */
  let turn: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  }

  async function subscribe(on: number): Promise<void> {
    const fresh = [...followed.values()].filter(({ connection: of }) => of !== on);
    if (fresh.length === 0) return;
    for (const each of fresh) Object.assign(each, { connection: on, status: undefined });
    try {
      const statuses = await client.subscribe(fresh.map(({ scriptHash }) => scriptHash));
      // What was said by itself meanwhile is newer.
      for (const [at, each] of fresh.entries()) if (each.status === undefined) each.status = statuses[at]!;
    } catch (error) {
      for (const each of fresh) each.connection = 0;
      throw error;
    }
  }

  function isToBeFetched({ status, fetchedFor, refusedFor, askAgainAt }: Followed): boolean {
    return status !== fetchedFor && (status !== refusedFor || time.now() >= askAgainAt);
  }

  /** Fetches what changed. A history that the server does not tell by itself leaves the others as they are. */
  async function refresh(): Promise<void> {
    await subscribe(await connection.alive());
    const changed = [...followed.values()].filter(isToBeFetched);
    if (changed.length === 0) return;
    const statuses = changed.map(({ status }) => status);
    const asked = changed.filter(({ status }) => status !== null);
    const outcomes = await client.histories(asked.map(({ scriptHash }) => scriptHash));
    const told = new Map(asked.map((each, at) => [each, outcomes[at]!] as const));
    byTxid = null;
    for (const [at, each] of changed.entries()) {
      const outcome = told.get(each) ?? { entries: [] };
      if ('error' in outcome) {
        if (each.refusedFor !== statuses[at])
          logger.error('node.history_unreadable', {
            chain,
            node: label,
            address: each.name,
            problem: outcome.error.message,
          });
        askLater(each, statuses[at]);
        continue;
      }
      const fits = statusOf(outcome.entries) === statuses[at];
      each.mismatches = fits ? 0 : each.mismatches + 1;
      each.entries = outcome.entries;
      if (fits) each.fetchedFor = statuses[at];
      else if (each.mismatches > MISMATCHES_MAX) askLater(each, statuses[at]);
    }
  }

  function askLater(each: Followed, status: Followed['status']): void {
    Object.assign(each, { refusedFor: status, askAgainAt: time.now() + ASK_AGAIN_MS });
  }

  function index(): Map<string, HistoryEntry> {
    const made = new Map<string, HistoryEntry>();
    for (const { entries } of followed.values())
      for (const entry of entries) if ((made.get(entry.txid)?.height ?? 0) <= 0) made.set(entry.txid, entry);
    return made;
  }

  const current = (): Promise<Map<string, HistoryEntry>> =>
    inTurn(async () => {
      await refresh();
      byTxid ??= index();
      return byTxid;
    });

  return {
    follow: (names) =>
      inTurn(async () => {
        const on = await connection.alive();
        const fresh = [...names].filter(([scriptHash]) => !followed.has(scriptHash));
        for (const [scriptHash, name] of fresh) followed.set(scriptHash, unfollowed(scriptHash, name));
        const tooMany = followed.size > names.size + UNNEEDED_MAX;
        if (tooMany) connection.close();
        // What is not named any more costs nothing while the connection lasts, and may still be paid.
        if (tooMany || on !== followedOn)
          followed = new Map([...followed].filter(([scriptHash]) => names.has(scriptHash)));
        followedOn = on;
        byTxid = null;
        await refresh();
      }),
    entries: async () => [...(await current()).values()],
    find: async (txid) => (followed.size === 0 ? undefined : (await current()).get(txid)),
    of: async (scriptHash) => {
      if (followed.has(scriptHash)) {
        await current();
        const own = followed.get(scriptHash);
        if (own !== undefined) return own.entries;
      }
      const [outcome] = await client.histories([scriptHash]);
      if (outcome === undefined) throw new NodeError(`${label}: answered nothing`);
      if ('error' in outcome) throw outcome.error;
      return outcome.entries;
    },
    doubt(txid) {
      for (const each of followed.values())
        if (each.entries.some((entry) => entry.txid === txid)) each.fetchedFor = undefined;
    },
    notified([scriptHash, status], on) {
      const each = followed.get(String(scriptHash));
      if (each?.connection === on) each.status = statusIn(status);
    },
  };
}

function unfollowed(scriptHash: string, name: string): Followed {
  return {
    ...{ scriptHash, name, connection: 0, entries: [], mismatches: 0 },
    ...{ status: undefined, fetchedFor: undefined, refusedFor: undefined, askAgainAt: 0 },
  };
}
