/** Hands signed bytes to every node of the chain. What a refusal means is asked of the chain and not read from its wording. */
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { BroadcastOutcome } from '../../../../ports/sending/chain-sender.ts';
import { fields } from '../../shared/nodes/answers.ts';
import { messageText } from '../answers.ts';
import { storedTransaction } from '../codec/transaction.ts';
import type { TronNode } from '../node.ts';
import { readInfo } from '../read/blocks.ts';
import type { Sending } from './sending.ts';

export async function broadcast({ chain, pool }: Sending, raw: string): Promise<BroadcastOutcome> {
  const { txid } = storedTransaction(raw);
  const answers = await pool.every((node) => handTo(node, raw, txid));
  const found = answers.find(({ kind }) => kind === 'accepted') ?? answers[0];
  if (found !== undefined) return found;
  // A node that fell silent may have taken the bytes all the same: handing them out again is harmless.
  throw new ChainUnavailable(`${chain}: no node answered whether it takes ${txid}`);
}

async function handTo(node: TronNode, raw: string, txid: string): Promise<BroadcastOutcome> {
  const answer = fields(await node.ask('wallet/broadcasthex', { transaction: raw }), 'broadcast');
  // The node has it, or had it within the last hour.
  if (answer.result === true || answer.code === 'DUP_TRANSACTION_ERROR') return { kind: 'accepted' };
  // Expired, say, and yet in a block long since.
  if ((await readInfo(node, txid)) !== null) return { kind: 'accepted' };
  return { kind: 'refused', reason: `${node.label}: ${String(answer.code)}: ${messageText(answer.message)}` };
}
