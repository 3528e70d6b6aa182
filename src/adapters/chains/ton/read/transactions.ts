/** Transactions of an account, read from their own bytes and checked against their hash. */

import { loadTransaction } from '@ton/core';
import { inChunks } from '../../shared/chunks.ts';
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import { hash, text, units } from '../answers.ts';
import type { TonNode } from '../toncenter.ts';
import type { ListedTransaction } from './blocks.ts';
import type { ReadTransaction } from './deposits.ts';
import { cellOf } from './jettons.ts';

/** Some kilobytes each. */
const PAGE = 100;

/** The transaction that a block lists for an account. RpcError when the node does not keep it. */
export async function transactionListed(node: TonNode, listed: ListedTransaction): Promise<ReadTransaction> {
  const [read] = await page(node, [listed]);
  return read!;
}

/** The same for all transactions of one account in some blocks, in any order, with few calls. */
export async function allListed(
  node: TonNode,
  listed: readonly ListedTransaction[],
): Promise<readonly ReadTransaction[]> {
  const newestFirst = listed.toSorted((a, b) => (a.lt < b.lt ? 1 : -1));
  const found: ReadTransaction[] = [];
  for (const some of inChunks(newestFirst, PAGE)) found.push(...(await page(node, some)));
  return found;
}

/** Of one account, newest first, without a gap between them. */
async function page(node: TonNode, listed: readonly ListedTransaction[]): Promise<ReadTransaction[]> {
  const [{ account: address, lt, hash: first }] = listed as [ListedTransaction];
  const base64 = Buffer.from(first, 'hex').toString('base64');
  const query = { address, lt: lt.toString(), hash: base64, limit: listed.length };
  const answer = list(await node.call('getTransactions', query), 'transactions');
  return listed.map((asked, position) => {
    const read = readTransaction(answer[position]);
    const account = read.transaction.address.toString(16).padStart(64, '0');
    if (read.hash !== asked.hash || read.transaction.lt !== asked.lt || !address.endsWith(`:${account}`))
      throw unusable('another transaction than asked');
    return read;
  });
}

/**
 * A transaction in any of the API's shapes. All is read from its bytes; the other fields must
 * agree.
 */
export function readTransaction(answer: unknown): ReadTransaction {
  const told = fields(answer, 'transaction');
  const id = fields(told.transaction_id, 'transaction_id');
  const cell = cellOf(text(told.data, 'transaction data'));
  const found = cell.hash().toString('hex');
  if (hash(id.hash, 'transaction hash') !== found) throw unusable('a transaction of another hash');
  let transaction: ReadTransaction['transaction'];
  try {
    transaction = loadTransaction(cell.beginParse());
  } catch {
    throw unusable('transaction data');
  }
  if (units(id.lt, 'lt') !== transaction.lt) throw unusable('a transaction of another logical time');
  return { hash: found, transaction };
}
