/**
 * Hands a transaction to a node and finds out what became of it. The node's answer is not believed
 * either way: bcash names a txid for what it rejects, and an error may be about a transaction that
 * is known already.
 */
import type { Outpoint } from '../../../../domain/chains/outpoint.ts';
import type { BroadcastOutcome } from '../../../../ports/sending/chain-sender.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import type { SpendingBackend } from '../backend.ts';
import { decodeTransaction } from '../codec/transaction.ts';
import type { UtxoNetwork } from '../network.ts';

/** A node may still be checking what it has answered for. */
const LOOKS = 5;
const BETWEEN_LOOKS_MS = 50;

export async function rpcBroadcast(question: {
  network: UtxoNetwork;
  node: RpcNode;
  raw: string;
  place: SpendingBackend['place'];
  waits: (txid: string) => Promise<boolean>;
  /** Whether the output is in a block, and spent by none. */
  inBlock: (outpoint: Outpoint) => Promise<boolean>;
}): Promise<BroadcastOutcome> {
  const { network, node, raw, place, waits, inBlock } = question;
  const transaction = decodeTransaction(network, Buffer.from(raw, 'hex'));
  const txid = transaction.txid();
  const [outcome] = await node.outcomes([{ method: 'sendrawtransaction', params: [raw] }]);
  const refusal = 'error' in outcome! ? outcome.error.message : null;
  for (let looks = 0; looks < (refusal === null ? LOOKS : 1); looks++) {
    if (looks > 0) await Bun.sleep(BETWEEN_LOOKS_MS);
    if ((await place(txid, transaction.outputs.length)).state !== 'unknown') return { kind: 'accepted' };
  }
  for (const input of transaction.inputs())
    if (!(await inBlock(input)) && !(await waits(input.txid))) return { kind: 'nonce_used' };
  return { kind: 'refused', reason: refusal ?? 'the node did not keep it' };
}
