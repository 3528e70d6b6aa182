/**
 * Finds which of our requests a wallet accepted. Anybody can send thousands of messages to a
 * wallet, so its history is read back in parts, from the state in which the seqno was first seen
 * used. Each call continues where the last one ended.
 */
import { NodeLagging, RpcError } from '../../shared/nodes/node-errors.ts';
import type { StoredExternal } from '../codec/external.ts';
import type { ReadTransaction } from '../read/deposits.ts';
import { historyOf, type Position, positionOf } from '../read/history.ts';
import { transactionListed } from '../read/transactions.ts';
import type { TonNode } from '../toncenter.ts';

/**
 * No request is valid for longer (seconds), with room for clocks that differ: no earlier block can
 * have it.
 */
const VALID_AT_MOST = 1_800;
/** Some hundred bytes each; the oldest are dropped first. */
const REMEMBERED_MAX = 2_000;

export interface SentRequest {
  /** Index of the request among the candidates. */
  readonly position: number;
  /** The wallet's transaction that accepted it. */
  readonly sent: ReadTransaction;
}

/**
 * How far a node's history was read without one of the candidates, or where one was found. A cache
 * that only saves calls.
 */
export type SearchMemory = Map<string, { readonly position: number | null; readonly at: Position }>;

/**
 * Null when it accepted none of them, with all of its history since their signing read; NodeLagging
 * while a part is still to be read. Call it when a state of the wallet has their seqno used.
 * `wallet`: raw; `lastLt`: logical time of the wallet's last transaction in that state, which the
 * node must know.
 */
export async function sentRequest(
  node: TonNode,
  wallet: string,
  query: { candidates: readonly StoredExternal[]; lastLt: bigint; memory: SearchMemory },
): Promise<SentRequest | null> {
  const { candidates, lastLt, memory } = query;
  if (candidates.length === 0) return null;
  const name = [node.label, wallet, ...candidates.map(({ bodyHash }) => bodyHash)].join(' ');
  try {
    return await search(node, wallet, { candidates, lastLt, memory, name });
  } catch (error) {
    // The cached transaction may no longer be on the node's chain.
    if (error instanceof RpcError) memory.delete(name);
    throw error;
  }
}

async function search(
  node: TonNode,
  wallet: string,
  query: { candidates: readonly StoredExternal[]; lastLt: bigint; memory: SearchMemory; name: string },
): Promise<SentRequest | null> {
  const { candidates, lastLt, memory, name } = query;
  const known = memory.get(name);
  if (known !== undefined && known.position !== null)
    return {
      position: known.position,
      sent: await transactionListed(node, { account: wallet, ...known.at }),
    };
  const earliest = Math.min(...candidates.map(({ request }) => Number(request.validUntil))) - VALID_AT_MOST;
  const { stop, next } = await historyOf(node, wallet, {
    from: known?.at ?? null,
    atLeastTo: known === undefined ? lastLt : 0n,
    enough: (read) => read.transaction.now < earliest || placeOf(read, candidates) >= 0,
  });
  if (next !== null) {
    remember(memory, name, { position: null, at: next });
    throw new NodeLagging(`${node.label}: more of the history of ${wallet} is to be read than at once`);
  }
  const position = stop === null ? -1 : placeOf(stop, candidates);
  if (stop === null || position < 0) return null;
  remember(memory, name, { position, at: positionOf(stop) });
  return { position, sent: stop };
}

/** The index of the candidate that the transaction accepted; -1 for none. */
function placeOf({ transaction }: ReadTransaction, candidates: readonly StoredExternal[]): number {
  const message = transaction.inMessage;
  if (message?.info.type !== 'external-in') return -1;
  const bodyHash = message.body.hash().toString('hex');
  return candidates.findIndex((candidate) => candidate.bodyHash === bodyHash);
}

function remember(memory: SearchMemory, name: string, value: { position: number | null; at: Position }) {
  memory.delete(name);
  memory.set(name, value);
  const [oldest] = memory.keys();
  if (memory.size > REMEMBERED_MAX && oldest !== undefined) memory.delete(oldest);
}
