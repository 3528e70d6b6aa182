/** Hands signed bytes to every node of the ledger. After a refusal the ledger decides. */
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { BroadcastOutcome } from '../../../../ports/sending/chain-sender.ts';
import { RpcError } from '../../shared/nodes/node-errors.ts';
import { type SignedXrpTransaction, storedTransaction } from '../codec/transaction.ts';
import { type Fields, type LedgerNode, unless } from '../ledger-node.ts';
import { lastLedger } from '../read/ledgers.ts';
import { accountIn, type XrpSending } from './sending.ts';

export async function broadcast({ chain, pool }: XrpSending, raw: string): Promise<BroadcastOutcome> {
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
  node: LedgerNode,
  raw: string,
  { txid, account, sequence, lastLedger: until }: SignedXrpTransaction,
): Promise<BroadcastOutcome> {
  const { taken, reason } = await submitted(node, raw);
  if (taken) return { kind: 'accepted' };
  const ledger = await lastLedger(node);
  const known = await unless('txnNotFound', () => node.ask('tx', { transaction: txid }));
  // For a while nodes remember transactions that no ledger can take any more.
  if (known !== null && (known.validated === true || until > ledger.height)) return { kind: 'accepted' };
  const own = await accountIn(node, account, ledger.hash);
  if (own !== null && own.sequence > sequence) return { kind: 'nonce_used' };
  return { kind: 'refused', reason };
}

/**
 * `accepted` in the result means that the node applied, queued, held or relayed it. It does not say
 * whether a ledger will take it.
 */
async function submitted(node: LedgerNode, raw: string): Promise<{ taken: boolean; reason: string }> {
  let answer: Fields;
  try {
    answer = await node.ask('submit', { tx_blob: raw });
  } catch (error) {
    if (error instanceof RpcError) return { taken: false, reason: error.message };
    throw error;
  }
  return { taken: answer.accepted === true, reason: `${node.label}: ${String(answer.engine_result)}` };
}
