/** Transactions that wait for a block: each node knows those of its own pool. */
import { member } from '../../../../domain/money/lossless-json.ts';
import { fields, list } from '../../shared/nodes/answers.ts';
import { RpcError } from '../../shared/nodes/node-errors.ts';
import type { TronNode } from '../node.ts';

export const isTxid = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/**
 * Whether the transaction waits in this node's pool; false also where the node does not report
 * that.
 */
export async function isWaiting(node: TronNode, txid: string): Promise<boolean> {
  try {
    return member(await node.ask('wallet/gettransactionfrompending', { value: txid }), 'txID') === txid;
  } catch (error) {
    if (error instanceof RpcError) return false;
    throw error;
  }
}

/** The ids of all that waits in this node's pool (java-tron's `gettransactionlistfrompending`). */
export async function listWaiting(node: TronNode): Promise<ReadonlySet<unknown>> {
  const { txId } = fields(await node.ask('wallet/gettransactionlistfrompending'), 'waiting transactions');
  return new Set(list(txId ?? [], 'waiting transactions'));
}
