/**
 * Hands signed bytes to every node. Nodes try them first (preflight), so a transaction that would
 * fail costs no fee. After a refusal the chain decides (does the node have the transaction), not
 * the wording.
 */
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { BroadcastOutcome } from '../../../../ports/sending/chain-sender.ts';
import { list } from '../../shared/nodes/answers.ts';
import { NodeError, RpcError } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { withSlot } from '../answers.ts';
import { storedTransaction } from '../codec/transaction.ts';
import type { SolanaSending } from './sending.ts';

const OPTIONS = { encoding: 'base64', preflightCommitment: 'confirmed' } as const;

export async function broadcast({ chain, pool }: SolanaSending, raw: string): Promise<BroadcastOutcome> {
  const { txid } = storedTransaction(raw);
  const answers = await pool.every((node) => handTo(node, raw, txid));
  const found = answers.find(({ kind }) => kind === 'accepted') ?? answers[0];
  if (found !== undefined) return found;
  // A node that did not answer may have taken the bytes. Sending them again is harmless.
  throw new ChainUnavailable(`${chain}: no node confirmed or refused ${txid}`);
}

async function handTo(node: RpcNode, raw: string, txid: string): Promise<BroadcastOutcome> {
  try {
    const answer = await node.call('sendTransaction', raw, OPTIONS);
    if (answer !== txid) throw new NodeError(`${node.label}: took another transaction than it was given`);
    return { kind: 'accepted' };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const answer = await node.call('getSignatureStatuses', [txid], { searchTransactionHistory: true });
    const [status] = list(withSlot(answer, 'status').value, 'status');
    return status == null ? { kind: 'refused', reason: error.message } : { kind: 'accepted' };
  }
}
