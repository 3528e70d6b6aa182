/**
 * Finds where messages of a request arrived. For accounts at which many of them arrive (the wallet
 * itself, to which excesses come back, and its jetton wallet) the history is read. The other
 * messages are looked up one by one, and cached once found. A message to an account with too many
 * transactions stays open.
 */

import type { BlockRef } from '../../../../ports/chains/chain-scanner.ts';
import { RpcError } from '../../shared/nodes/node-errors.ts';
import { type AccountState, accountAt } from '../accounts.ts';
import type { TonNode } from '../toncenter.ts';
import type { ReadTransaction } from './deposits.ts';
import { arrivalOf as askedArrival, historyOf, messageKey } from './history.ts';
import { firstSince } from './placing.ts';
import type { ArrivalOf } from './trace.ts';

/**
 * Final arrivals, by node, request and message: no node vouches for what another one showed. The
 * oldest are dropped first.
 */
export type ArrivalMemory = Map<string, ReadTransaction>;

/**
 * Messages arrive after some blocks. So long after they left, they are also looked up in another
 * way.
 */
const LATE_SECONDS = 60;
/**
 * So long after the request the recipient's history is searched first: most of a busy one's history
 * is newer.
 */
const WINDOWS = [20, 120, 1_200] as const;
/** Some kilobytes each. */
const REMEMBERED_MAX = 4_000;

interface ArrivalQuery {
  /** Raw. */
  readonly wallet: string;
  readonly sent: ReadTransaction;
  /** Raw address of the jetton wallet to which all messages go; null where there is none. */
  readonly busy: string | null;
  readonly memory: ArrivalMemory;
  readonly tip: BlockRef;
  /** Unix seconds up to which the chain is final. */
  readonly finalTime: number;
}

export function arrivals(node: TonNode, given: ArrivalQuery): ArrivalOf {
  const { wallet, sent, busy, memory, finalTime } = given;
  const since = new Map<string, ReturnType<typeof arrivedSince>>();
  const blockAfter = blocksAfter(node, given);

  /** Those at an account whose history is read; null for others. */
  function wholeOf(to: string): ReturnType<typeof arrivedSince> | null {
    if (to !== wallet && to !== busy) return null;
    const known = since.get(to) ?? arrivedSince(node, to, sent.transaction.lt);
    since.set(to, known);
    return known;
  }

  return async (message) => {
    const key = messageKey(message);
    if (key === null || message.info.type !== 'internal') return null;
    const to = message.info.dest.toRawString();
    const whole = await wholeOf(to);
    const found = whole?.byKey.get(key);
    if (found !== undefined) return found;
    // All that has arrived there was read: the message is still on its way.
    if (whole?.complete === true) return null;
    const name = `${node.label} ${sent.hash} ${key}`;
    const remembered = memory.get(name);
    if (remembered !== undefined) return remembered;
    const late = finalTime - sent.transaction.now > LATE_SECONDS;
    const lookedFor = { key, to, createdLt: message.info.createdLt, blockAfter };
    const arrived = (await askedArrival(node, message)) ?? (late ? await inHistory(node, lookedFor) : null);
    if (arrived !== null && arrived.transaction.now <= finalTime) remember(memory, name, arrived);
    return arrived;
  };
}

/**
 * What had arrived as of a block: at our own accounts (null: at any), whose last transaction by
 * then is read. What follows elsewhere is not needed: it comes back to one of them, or does not
 * concern us.
 */
export function arrivedBy(
  node: TonNode,
  arrivalOf: ArrivalOf,
  { height, ours }: { height: number; ours: ReadonlySet<string | null> | null },
): ArrivalOf {
  const lastOf = new Map<string, Promise<bigint>>();
  return async (message) => {
    const arrived = await arrivalOf(message);
    if (arrived === null || message.info.type !== 'internal') return null;
    const to = message.info.dest.toRawString();
    if (ours !== null && !ours.has(to)) return arrived;
    const last = lastOf.get(to) ?? accountAt(node, to, height).then(({ lastLt }) => lastLt);
    lastOf.set(to, last);
    return arrived.transaction.lt <= (await last) ? arrived : null;
  };
}

async function arrivedSince(
  node: TonNode,
  account: string,
  lt: bigint,
): Promise<{ byKey: ReadonlyMap<string, ReadTransaction>; complete: boolean }> {
  const enough = ({ transaction }: ReadTransaction): boolean => transaction.lt <= lt;
  const { read, next } = await historyOf(node, account, { enough });
  return { byKey: byMessage(read), complete: next === null };
}

/**
 * Heights of the blocks so many seconds after the request; null for a time yet to come. Each is
 * read once.
 */
function blocksAfter(
  node: TonNode,
  { sent, tip }: ArrivalQuery,
): (seconds: (typeof WINDOWS)[number]) => Promise<number | null> {
  const known = new Map<number, Promise<number | null>>();
  return (seconds) => {
    const time = sent.transaction.now + seconds;
    const found =
      known.get(seconds) ?? (time > tip.time ? Promise.resolve(null) : firstSince(node, tip, time));
    known.set(seconds, found);
    return found;
  };
}

/**
 * If a message took its time between shards, the API does not find it, but the recipient's own
 * history has it.
 */
async function inHistory(
  node: TonNode,
  message: { key: string; to: string; createdLt: bigint; blockAfter: ReturnType<typeof blocksAfter> },
): Promise<ReadTransaction | null> {
  const { key, to, createdLt, blockAfter } = message;
  let lookedThrough = createdLt;
  const enough = ({ transaction }: ReadTransaction): boolean => transaction.lt <= lookedThrough;
  for (const seconds of WINDOWS) {
    const height = await blockAfter(seconds);
    const last = height === null ? null : (await keptState(node, to, height))?.last;
    if (!last || last.lt <= lookedThrough) continue;
    const { read, next } = await historyOf(node, to, { from: last, enough });
    const found = byMessage(read).get(key);
    if (found !== undefined || next !== null) return found ?? null;
    lookedThrough = last.lt;
  }
  const { read } = await historyOf(node, to, { enough });
  return byMessage(read).get(key) ?? null;
}

/** Null where the node keeps no states of that time. */
async function keptState(node: TonNode, account: string, height: number): Promise<AccountState | null> {
  try {
    return await accountAt(node, account, height);
  } catch (error) {
    if (error instanceof RpcError) return null;
    throw error;
  }
}

function remember(memory: ArrivalMemory, name: string, arrived: ReadTransaction): void {
  memory.set(name, arrived);
  const [oldest] = memory.keys();
  if (memory.size > REMEMBERED_MAX && oldest !== undefined) memory.delete(oldest);
}

function byMessage(transactions: readonly ReadTransaction[]): Map<string, ReadTransaction> {
  return new Map(
    transactions.flatMap((read): [string, ReadTransaction][] => {
      const key = read.transaction.inMessage ? messageKey(read.transaction.inMessage) : null;
      return key === null ? [] : [[key, read]];
    }),
  );
}
