/** The transactions of an account, newest first, and the one that took a message: each read from its bytes and linked to the one before. */
import type { Message } from '@ton/core';
import { list, unusable } from '../shared/answers.ts';
import { NodeBehind, NodeFault, RpcError } from '../shared/faults.ts';
import type { ReadTransaction } from './deposits.ts';
import type { TonNode } from './toncenter.ts';
import { readTransaction } from './transactions.ts';

const PAGE = 100;
/** Of one account since a request was signed: minutes. More than that are other people's doing, and tell nothing in time. */
const PAGES_MAX = 60;

/**
 * Back to the first transaction for which `enough` holds (it is left out), or to the account's beginning. `atLeastTo`: the
 * logical time of a transaction that must be among them, or the node lags (NodeBehind).
 */
export async function historyOf(
  node: TonNode,
  address: string,
  { atLeastTo, enough }: { atLeastTo: bigint; enough: (read: ReadTransaction) => boolean },
): Promise<readonly ReadTransaction[]> {
  const found: ReadTransaction[] = [];
  let next: { lt: bigint; hash: string } | null = null;
  for (let page = 0; page < PAGES_MAX; page++) {
    const from = next === null ? {} : { lt: next.lt.toString(), hash: base64(next.hash) };
    const answer = list(
      await node.call('getTransactions', { address, limit: PAGE, ...from }),
      'transactions',
    );
    for (const item of answer) {
      const read = readTransaction(item);
      checkLink(node, read, { address, next });
      if (page === 0 && found.length === 0 && read.transaction.lt < atLeastTo) throw lags(node);
      if (enough(read)) return found;
      found.push(read);
      const { prevTransactionLt, prevTransactionHash } = read.transaction;
      if (prevTransactionLt === 0n) return found;
      next = { lt: prevTransactionLt, hash: prevTransactionHash.toString(16).padStart(64, '0') };
    }
    if (answer.length === 0 && page === 0 && atLeastTo === 0n) return found;
    if (answer.length === 0) throw lags(node);
  }
  throw new NodeFault(`${node.label}: an account has more transactions than are read`);
}

const lags = (node: TonNode): NodeBehind => new NodeBehind(`${node.label}: lacks transactions of an account`);

function checkLink(
  node: TonNode,
  { hash, transaction }: ReadTransaction,
  { address, next }: { address: string; next: { lt: bigint; hash: string } | null },
): void {
  const account = transaction.address.toString(16).padStart(64, '0');
  const linked = next === null || (next.lt === transaction.lt && next.hash === hash);
  if (!address.endsWith(account) || !linked)
    throw new NodeFault(`${node.label}: answers transactions that do not follow each other`);
}

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

/** What names an internal message: who sent it, and when by the sender's logical time. */
export function messageKey({ info }: Message): string | null {
  return info.type === 'internal' ? `${info.src.toRawString()} ${info.createdLt}` : null;
}

/** The transaction in which an internal message arrived; null while the node knows none. */
export async function arrivalOf(node: TonNode, message: Message): Promise<ReadTransaction | null> {
  const { info } = message;
  if (info.type !== 'internal') return null;
  let answer: unknown;
  try {
    const [source, destination] = [info.src.toRawString(), info.dest.toRawString()];
    answer = await node.call('tryLocateResultTx', {
      source,
      destination,
      created_lt: info.createdLt.toString(),
    });
  } catch (error) {
    // The API has no other way to say that it found none.
    if (error instanceof RpcError) return null;
    throw error;
  }
  const read = readTransaction(answer);
  const arrived = read.transaction.inMessage;
  if (!arrived || messageKey(arrived) !== messageKey(message))
    throw unusable('the arrival of another message');
  return read;
}
