/**
 * Hands signed bytes to every node of the chain. After a refusal the chain decides, not the
 * wording.
 */
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { BroadcastOutcome } from '../../../../ports/sending/chain-sender.ts';
import { fields } from '../../shared/nodes/answers.ts';
import { messageText } from '../answers.ts';
import { storedTransaction } from '../codec/transaction.ts';
import type { TronNode } from '../node.ts';
import { readInfo } from '../read/blocks.ts';
import type { TronSending } from './sending.ts';

export async function broadcast({ chain, pool }: TronSending, raw: string): Promise<BroadcastOutcome> {
  const { txid } = storedTransaction(raw);
  const answers = await pool.every((node) => handTo(node, raw, txid));
  const found = answers.find(({ kind }) => kind === 'accepted') ?? answers[0];
  if (found !== undefined) return found;
  // A node that did not answer may have taken the bytes. Sending them again is harmless.
  throw new ChainUnavailable(`${chain}: no node confirmed or refused ${txid}`);
}

async function handTo(node: TronNode, raw: string, txid: string): Promise<BroadcastOutcome> {
  const answer = fields(await node.ask('wallet/broadcasthex', { transaction: raw }), 'broadcast');
  // The node has it, or had it within the last hour.
  if (answer.result === true || answer.code === 'DUP_TRANSACTION_ERROR') return { kind: 'accepted' };
  // For example expired, but mined long ago.
  if ((await readInfo(node, txid)) !== null) return { kind: 'accepted' };
  return { kind: 'refused', reason: `${node.label}: ${String(answer.code)}: ${messageText(answer.message)}` };
}
