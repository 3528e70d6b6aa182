/**
 * Finds where messages of a request arrived. Accounts at which many of them arrive (the wallet itself, to which excesses come
 * back, and its jetton wallet) are read as a whole; the others are asked for one by one, and remembered once they are known.
 */

import type { Message } from '@ton/core';
import type { ReadTransaction } from './deposits.ts';
import { arrivalOf as askedArrival, historyOf, messageKey } from './history.ts';
import type { TonNode } from './toncenter.ts';
import type { ArrivalOf } from './trace.ts';

/** Arrivals that are final, by what names the request and the message; the oldest go first. */
export type ArrivalMemory = Map<string, ReadTransaction>;

/** Messages are there after some blocks: so long after they left, they are looked for in another way, too. */
const LATE_SECONDS = 60;
/** Some kilobytes each. */
const REMEMBERED_MAX = 2_000;

export async function arrivals(
  node: TonNode,
  given: {
    /** Raw. */
    wallet: string;
    /** The wallet's transactions after `sent`. */
    since: readonly ReadTransaction[];
    sent: ReadTransaction;
    /** Raw address of the jetton wallet that all messages go to; null where there is none. */
    busy: string | null;
    memory: ArrivalMemory;
    /** Unix seconds up to which the chain is final. */
    finalTime: number;
  },
): Promise<ArrivalOf> {
  const { wallet, since, sent, busy, memory, finalTime } = given;
  const earliest = sent.transaction.lt;
  const known = byMessage(since);
  if (busy !== null) {
    const enough = ({ transaction }: ReadTransaction): boolean => transaction.lt <= earliest;
    for (const [key, read] of byMessage(await historyOf(node, busy, { atLeastTo: 0n, enough })))
      known.set(key, read);
  }
  return async (message) => {
    const key = messageKey(message);
    if (key === null || message.info.type !== 'internal') return null;
    const found = known.get(key);
    if (found !== undefined) return found;
    const to = message.info.dest.toRawString();
    // All that has arrived there was read: it is still on its way.
    if (to === wallet || to === busy) return null;
    const name = `${sent.hash} ${key}`;
    const remembered = memory.get(name);
    if (remembered !== undefined) return remembered;
    const late = finalTime - sent.transaction.now > LATE_SECONDS;
    const arrived =
      (await askedArrival(node, message)) ?? (late ? await inHistory(node, key, message) : null);
    if (arrived !== null && arrived.transaction.now <= finalTime) remember(memory, name, arrived);
    return arrived;
  };
}

/** Where the API does not find a message that took its time between shards, the recipient's own history has it. */
async function inHistory(node: TonNode, key: string, { info }: Message): Promise<ReadTransaction | null> {
  if (info.type !== 'internal') return null;
  const enough = ({ transaction }: ReadTransaction): boolean => transaction.lt <= info.createdLt;
  const history = await historyOf(node, info.dest.toRawString(), { atLeastTo: 0n, enough });
  return byMessage(history).get(key) ?? null;
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
