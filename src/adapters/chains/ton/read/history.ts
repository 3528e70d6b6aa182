/**
 * The transactions of an account, newest first, and the transaction that accepted a message. Each
 * is read from its bytes and linked to the one before.
 */
import type { Message } from '@ton/core';
import { list, unusable } from '../../shared/nodes/answers.ts';
import { NodeError, NodeLagging, RpcError } from '../../shared/nodes/node-errors.ts';
import type { TonNode } from '../toncenter.ts';
import type { ReadTransaction } from './deposits.ts';
import { readTransaction } from './transactions.ts';

const PAGE = 100;
/**
 * Takes some seconds at a public service. Anybody can send thousands of messages to an account: the
 * rest is read in later calls.
 */
const PAGES_AT_ONCE = 30;

/** Identifies a transaction of an account. */
export interface Position {
  readonly lt: bigint;
  /** Lower-case hex. */
  readonly hash: string;
}

/** A part of an account's history without a gap, newest first. */
export interface HistoryStretch {
  readonly read: readonly ReadTransaction[];
  /**
   * The transaction for which `enough` holds, which is not among `read`; null when there was none.
   */
  readonly stop: ReadTransaction | null;
  /**
   * Where to continue if the history is longer than one call reads; null at the account's
   * beginning.
   */
  readonly next: Position | null;
}

/**
 * Reads back to the first transaction for which `enough` holds, to the account's beginning, or as
 * far as one call reads. `from`: the first one to read (default: the newest). `atLeastTo`: the
 * logical time of a transaction that must be included, or the node lags (NodeLagging). RpcError
 * when the node does not keep such old transactions.
 */
export async function historyOf(
  node: TonNode,
  address: string,
  query: { from?: Position | null; atLeastTo?: bigint; enough: (read: ReadTransaction) => boolean },
): Promise<HistoryStretch> {
  const { from = null, atLeastTo = 0n, enough } = query;
  const found: ReadTransaction[] = [];
  let next = from;
  for (let page = 0; page < PAGES_AT_ONCE; page++) {
    const begin = next === null ? {} : { lt: next.lt.toString(), hash: base64(next.hash) };
    const answer = list(
      await node.call('getTransactions', { address, limit: PAGE, ...begin }),
      'transactions',
    );
    for (const item of answer) {
      const read = readTransaction(item);
      checkLink(node, read, { address, next });
      if (page === 0 && found.length === 0 && read.transaction.lt < atLeastTo) throw lags(node);
      if (enough(read)) return { read: found, stop: read, next: null };
      found.push(read);
      next = before(read);
      if (next === null) return { read: found, stop: null, next: null };
    }
    if (answer.length === 0 && next === null && atLeastTo === 0n)
      return { read: found, stop: null, next: null };
    if (answer.length === 0) throw lags(node);
  }
  return { read: found, stop: null, next };
}

export const positionOf = ({ hash, transaction: { lt } }: ReadTransaction): Position => ({ lt, hash });

/** The transaction before; null for an account's first. */
function before({ transaction: { prevTransactionLt: lt, prevTransactionHash } }: ReadTransaction) {
  return lt === 0n ? null : { lt, hash: prevTransactionHash.toString(16).padStart(64, '0') };
}

const lags = (node: TonNode): NodeLagging =>
  new NodeLagging(`${node.label}: lacks transactions of an account`);

function checkLink(
  node: TonNode,
  { hash, transaction }: ReadTransaction,
  { address, next }: { address: string; next: Position | null },
): void {
  const account = transaction.address.toString(16).padStart(64, '0');
  const linked = next === null || (next.lt === transaction.lt && next.hash === hash);
  if (!address.endsWith(account) || !linked)
    throw new NodeError(`${node.label}: answers transactions that do not follow each other`);
}

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

/** Identifies an internal message: its sender, and the sender's logical time. */
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
    // The API reports in this way that it found none.
    if (error instanceof RpcError) return null;
    throw error;
  }
  const read = readTransaction(answer);
  const arrived = read.transaction.inMessage;
  if (!arrived || messageKey(arrived) !== messageKey(message))
    throw unusable('the arrival of another message');
  return read;
}
