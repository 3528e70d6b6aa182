/**
 * Finds where messages of a request arrived. Accounts at which many of them arrive (the wallet itself, to which excesses come
 * back, and its jetton wallet) are read as a whole; the others are asked for one by one, and remembered once they are known.
 */

import type { ReadTransaction } from './deposits.ts';
import { arrivalOf as askedArrival, historyOf, messageKey } from './history.ts';
import type { TonNode } from './toncenter.ts';
import type { ArrivalOf } from './trace.ts';

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
  },
): Promise<ArrivalOf> {
  const { wallet, since, sent, busy } = given;
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
    return askedArrival(node, message);
  };
}

function byMessage(transactions: readonly ReadTransaction[]): Map<string, ReadTransaction> {
  return new Map(
    transactions.flatMap((read): [string, ReadTransaction][] => {
      const key = read.transaction.inMessage ? messageKey(read.transaction.inMessage) : null;
      return key === null ? [] : [[key, read]];
    }),
  );
}
