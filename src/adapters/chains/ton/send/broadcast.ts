/**
 * Hands signed requests to every node. After a refusal the chain decides (has the wallet used the
 * seqno, and for which request), not the wording.
 */
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { BroadcastOutcome } from '../../../../ports/sending/chain-sender.ts';
import { RpcError } from '../../shared/nodes/node-errors.ts';
import { accountAt, seqnoOf } from '../accounts.ts';
import { type StoredExternal, storedExternal } from '../codec/external.ts';
import { masterTip } from '../read/blocks.ts';
import type { TonNode } from '../toncenter.ts';
import type { TonSending } from './sending.ts';
import { type SearchMemory, sentRequest } from './sent-request.ts';

export async function broadcast(
  { chain, pool, searches }: TonSending,
  raw: string,
): Promise<BroadcastOutcome> {
  const stored = storedExternal(raw);
  const boc = Buffer.from(raw, 'hex').toString('base64');
  const answers = await pool.every((node) => handTo(node, { boc, stored, searches }));
  for (const kind of ['accepted', 'nonce_used', 'refused'] as const) {
    const found = answers.find((answer) => answer.kind === kind);
    if (found !== undefined) return found;
  }
  // A node that did not answer may have taken the bytes. Sending them again is harmless.
  throw new ChainUnavailable(`${chain}: no node confirmed or refused ${stored.txid}`);
}

async function handTo(
  node: TonNode,
  { boc, stored, searches }: { boc: string; stored: StoredExternal; searches: SearchMemory },
): Promise<BroadcastOutcome> {
  try {
    await node.call('sendBoc', { boc });
    return { kind: 'accepted' };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const tip = await masterTip(node);
    const state = await accountAt(node, stored.wallet, tip.height);
    if (seqnoOf(state) <= stored.request.seqno) return { kind: 'refused', reason: error.message };
    const search = { candidates: [stored], lastLt: state.lastLt, memory: searches };
    const ours = await sentRequest(node, stored.wallet, search);
    return { kind: ours === null ? 'nonce_used' : 'accepted' };
  }
}
