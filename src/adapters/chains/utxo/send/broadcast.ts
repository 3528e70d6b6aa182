/**
 * Hands signed bytes to every node of a UTXO chain. Each reports what became of them (backend.ts).
 */
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { BroadcastOutcome } from '../../../../ports/sending/chain-sender.ts';
import { storedTransaction } from '../codec/stored.ts';
import type { UtxoSending } from './sending.ts';

export async function broadcast(
  { chain, network, pool }: UtxoSending,
  raw: string,
): Promise<BroadcastOutcome> {
  const { txid } = storedTransaction(network, raw);
  const answers = await pool.every((node) => node.broadcast(raw));
  const kinds = ['accepted', 'nonce_used', 'refused'] as const;
  for (const kind of kinds) {
    const found = answers.find((answer) => answer.kind === kind);
    if (found !== undefined) return found;
  }
  // A node that did not answer may have taken the bytes. Sending them again is harmless.
  throw new ChainUnavailable(`${chain}: no node confirmed or refused ${txid}`);
}
