/** Transactions of an account as a node tells them: read from their own bytes, and held against the hash that names them. */
import { loadTransaction } from '@ton/core';
import { fields, list, unusable } from '../shared/answers.ts';
import { hash, text, units } from './answers.ts';
import type { ListedTransaction } from './blocks.ts';
import type { ReadTransaction } from './deposits.ts';
import { cellOf } from './jettons.ts';
import type { TonNode } from './toncenter.ts';

/** The very transaction that a block lists, of the account that it lists it for. RpcError when the node does not keep it. */
export async function transactionListed(node: TonNode, listed: ListedTransaction): Promise<ReadTransaction> {
  const { account: address, lt } = listed;
  const base64 = Buffer.from(listed.hash, 'hex').toString('base64');
  const query = { address, lt: lt.toString(), hash: base64, limit: 1 };
  const [answer] = list(await node.call('getTransactions', query), 'transactions');
  const read = readTransaction(answer);
  const account = read.transaction.address.toString(16).padStart(64, '0');
  if (read.hash !== listed.hash || read.transaction.lt !== lt || !address.endsWith(`:${account}`))
    throw unusable('another transaction than asked');
  return read;
}

/** A transaction in any of the API's shapes: its bytes say everything, and what is told beside them must not differ. */
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
