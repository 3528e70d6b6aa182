/**
 * Hands signed bytes to every node of a chain. After a refusal the chain decides (does the node
 * have the transaction, is the nonce used), not the wording, which differs between nodes.
 */
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { BroadcastOutcome } from '../../../../ports/sending/chain-sender.ts';
import { NodeError, RpcError } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { hexBytes, quantity } from '../decode.ts';
import type { EvmSending } from './sending.ts';
import { type SignedEvmTransaction, storedTransaction } from './transaction.ts';

export async function broadcast({ chain, pool }: EvmSending, raw: string): Promise<BroadcastOutcome> {
  const transaction = storedTransaction(raw);
  const answers = await pool.every((node) => handTo(node, raw, transaction));
  const kinds = ['accepted', 'nonce_used', 'refused'] as const;
  for (const kind of kinds) {
    const found = answers.find((answer) => answer.kind === kind);
    if (found !== undefined) return found;
  }
  // A node that did not answer may have taken the bytes. Sending them again is harmless.
  throw new ChainUnavailable(`${chain}: no node confirmed or refused ${transaction.txid}`);
}

async function handTo(
  node: RpcNode,
  raw: string,
  { txid, from, nonce }: SignedEvmTransaction,
): Promise<BroadcastOutcome> {
  try {
    const answer = hexBytes(await node.call('eth_sendRawTransaction', raw), 'transaction hash', 32);
    if (answer !== txid) throw new NodeError(`${node.label}: took another transaction than it was given`);
    return { kind: 'accepted' };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const [known, used] = await node.batch([
      { method: 'eth_getTransactionByHash', params: [txid] },
      { method: 'eth_getTransactionCount', params: [from, 'latest'] },
    ]);
    if (known != null) return { kind: 'accepted' };
    if (quantity(used, 'transaction count') > nonce) return { kind: 'nonce_used' };
    return { kind: 'refused', reason: error.message };
  }
}
