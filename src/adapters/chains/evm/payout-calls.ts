/** Which calls payouts may share (shared/nodes/joined-calls.ts). */
import type { RpcCall } from '../shared/nodes/rpc-node.ts';
import { NOBODY } from './contract.ts';

const OF_ROUND: ReadonlySet<string> = new Set([
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByNumber',
  'eth_getTransactionCount',
  'eth_maxPriorityFeePerGas',
]);
const OF_TRANSACTION: ReadonlySet<string> = new Set([
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
]);

/** What names no payment: a round asks it once. */
export function isOfRound({ method, params: [first] }: RpcCall): boolean {
  const { from, to, data }: { from?: unknown; to?: unknown; data?: unknown } = Object(first);
  // A call of a contract without a sender tries no payment.
  if (method === 'eth_call') return from === undefined;
  if (method === 'eth_estimateGas')
    return from !== undefined && (from === to || String(data).includes(NOBODY.slice(2)));
  return OF_ROUND.has(method);
}

/** None that tries a payment: one recipient may keep a node busy (safety.md G4). */
export const mayBeJoined = (call: RpcCall): boolean => isOfRound(call) || OF_TRANSACTION.has(call.method);
