/**
 * Where a deposit's transaction is now. The API cannot find it by its hash alone, so it is searched
 * in the history of its account. It is gone only when the history has no such transaction at all
 * nodes.
 */
import {
  ChainUnavailable,
  type SeenTransfer,
  type TransactionStatus,
} from '../../../../ports/chains/chain-scanner.ts';
import { NodeLagging, RpcError } from '../../shared/nodes/node-errors.ts';
import type { NodePool } from '../../shared/nodes/node-pool.ts';
import { accountAt } from '../accounts.ts';
import { jettonWallet } from '../send/sending.ts';
import type { TonNode } from '../toncenter.ts';
import { masterTip } from './blocks.ts';
import type { ReadTransaction } from './deposits.ts';
import { historyOf } from './history.ts';
import type { JettonBook } from './jettons.ts';
import { blockOf } from './placing.ts';
import { transactionListed } from './transactions.ts';

interface SoughtTransaction {
  readonly txid: string;
  /** Raw. */
  readonly account: string;
  readonly lt: bigint;
  /** A node whose chain is shorter lags. */
  readonly highestTip: number;
}

const UNKNOWN: TransactionStatus = { state: 'unknown' };

/**
 * ChainScanner.lookup. ChainUnavailable when none has it and some node cannot tell, or when the
 * deposit's details are not given.
 */
export async function lookUp(
  on: {
    chain: string;
    pool: NodePool<TonNode>;
    nativeAsset: string;
    jettons: JettonBook;
    highestTip: number;
  },
  txid: string,
  seen: SeenTransfer | undefined,
): Promise<TransactionStatus> {
  const { chain, pool, highestTip } = on;
  if (!/^[0-9a-f]{64}$/.test(txid)) return UNKNOWN;
  const lt = /^lt:(\d+)$/.exec(seen?.output ?? '')?.[1];
  const account = seen === undefined ? null : await accountOf(on, seen);
  if (lt === undefined || account === null)
    throw new ChainUnavailable(`${chain}: where ${txid} is can only be told of a deposit that was seen`);
  const sought = { txid, account, lt: BigInt(lt), highestTip };
  const places = await pool.every((node) => placeOrNothing(node, sought));
  const mined = places.find((place) => place?.state === 'mined');
  if (mined) return mined;
  if (places.length === 0 || places.includes(null))
    throw new ChainUnavailable(`${chain}: no node tells whether ${txid} is still in a block`);
  return UNKNOWN;
}

/**
 * The account of the transaction: for jettons, the address's jetton wallet. Null for a jetton that
 * cannot be used at present.
 */
async function accountOf(
  { nativeAsset, jettons }: { nativeAsset: string; jettons: JettonBook },
  { asset, to }: SeenTransfer,
): Promise<string | null> {
  if (asset === nativeAsset) return to;
  const jetton = (await jettons.usable()).get(asset);
  return jetton === undefined ? null : jettonWallet(jetton, to);
}

/**
 * Null when the node cannot tell: it lags, does not keep such old transactions, or one call does
 * not read that far.
 */
async function placeOrNothing(node: TonNode, sought: SoughtTransaction): Promise<TransactionStatus | null> {
  try {
    return await statusOf(node, sought);
  } catch (error) {
    if (error instanceof RpcError || error instanceof NodeLagging) return null;
    throw error;
  }
}

async function statusOf(
  node: TonNode,
  { txid, account, lt, highestTip }: SoughtTransaction,
): Promise<TransactionStatus | null> {
  const tip = await masterTip(node);
  if (tip.height < highestTip) return null;
  const read = await named(node, { account, lt, hash: txid });
  if (read !== null) {
    const { height, hash } = await blockOf(node, { account, read, tip });
    return { state: 'mined', height, blockHash: hash };
  }
  const { lastLt } = await accountAt(node, account, tip.height);
  const enough = ({ transaction }: ReadTransaction): boolean => transaction.lt <= lt;
  const { stop, next } = await historyOf(node, account, { atLeastTo: lastLt, enough });
  return next !== null || stop?.hash === txid ? null : UNKNOWN;
}

/** The transaction by its full identity; null when the node refuses. */
async function named(
  node: TonNode,
  name: { account: string; lt: bigint; hash: string },
): Promise<ReadTransaction | null> {
  try {
    return await transactionListed(node, name);
  } catch (error) {
    if (error instanceof RpcError) return null;
    throw error;
  }
}
