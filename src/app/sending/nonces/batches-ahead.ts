/** Where the open batches of a chain stand in their wallets, in the order of their nonces. */
import type { TransferBatch } from '../../../domain/sending/outgoing.ts';

/** How many batches of its wallet are before each, by batch. */
export function countAhead(batches: readonly TransferBatch[]): ReadonlyMap<string, number> {
  const ofWallet = new Map<string, number>();
  const ahead = new Map<string, number>();
  for (const [{ wallet, transferBatchId }] of batches) {
    const before = ofWallet.get(wallet) ?? 0;
    ahead.set(transferBatchId, before);
    ofWallet.set(wallet, before + 1);
  }
  return ahead;
}
