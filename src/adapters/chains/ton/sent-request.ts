/** Which of our requests a wallet took. */
import type { ReadTransaction } from './deposits.ts';
import type { StoredExternal } from './external.ts';
import { historyOf } from './history.ts';
import type { TonNode } from './toncenter.ts';

/** No request is valid for longer (seconds), with room for clocks that differ: before that it was in no block. */
const VALID_AT_MOST = 1_800;

export interface SentRequest {
  /** Place of the request among those that were asked about. */
  readonly position: number;
  /** The wallet's transaction that took it. */
  readonly sent: ReadTransaction;
  /** The wallet's transactions after it, newest first. */
  readonly since: readonly ReadTransaction[];
}

/**
 * Null when it took none of them, with all of its history since they were signed read. `wallet`: raw; `lastLt`: logical time of
 * a transaction of the wallet that the node must know.
 */
export async function sentRequest(
  node: TonNode,
  wallet: string,
  { candidates, lastLt }: { candidates: readonly StoredExternal[]; lastLt: bigint },
): Promise<SentRequest | null> {
  if (candidates.length === 0) return null;
  const earliest = Math.min(...candidates.map(({ request }) => Number(request.validUntil))) - VALID_AT_MOST;
  const history = await historyOf(node, wallet, {
    atLeastTo: lastLt,
    enough: ({ transaction }) => transaction.now < earliest,
  });
  for (const [index, sent] of history.entries()) {
    const message = sent.transaction.inMessage;
    if (message?.info.type !== 'external-in') continue;
    const bodyHash = message.body.hash().toString('hex');
    const position = candidates.findIndex((candidate) => candidate.bodyHash === bodyHash);
    if (position >= 0) return { position, sent, since: history.slice(0, index) };
  }
  return null;
}
