/** All that the transactions of a batch pay and spend, given up and settled transfers included. */
import {
  isOpenTransfer,
  type OutgoingTransfer,
  type SignedTransaction,
  type TransferBatch,
} from '../../domain/sending/outgoing.ts';
import type { Utxo } from '../../ports/sending/utxo-spending.ts';
import { batchOf, type SendingChain, type SendingNeeds } from './sending-chain.ts';

/**
 * `batch` holds the open transfers, which are not all when a worker died while it settled them. On
 * a UTXO chain a transaction may pay only some of them. Where two have the same recipient and
 * amount, it does not show which: `payments` begins with those that it more likely pays.
 */
export async function paidAndSpent(
  { unitOfWork }: Pick<SendingNeeds, 'unitOfWork'>,
  { chain, sender: { capabilities, utxos } }: Pick<SendingChain, 'chain' | 'sender'>,
  batch: TransferBatch,
  signed: readonly SignedTransaction[],
): Promise<{ payments: readonly OutgoingTransfer[]; inputs: readonly Utxo[] }> {
  if (capabilities.paymentsAtOnce === 1) return { payments: batch, inputs: [] };
  const [{ transferBatchId }] = batch;
  return unitOfWork.run(async (repositories) => {
    // Before the transfers: whoever settles one may release UTXOs with it, and is then noticed.
    const claimed = await repositories.utxos.ofBatch(transferBatchId);
    const all = (await batchOf(repositories, transferBatchId)) ?? batch;
    if (utxos === null) return { payments: all, inputs: [] };
    const payments = all.toSorted((a, b) => likelihoodRank(a) - likelihoodRank(b));
    if (!mayBeReleased(all, signed)) return { payments, inputs: claimed };
    const spent = signed.flatMap(({ raw }) => utxos.spends(raw));
    return { payments, inputs: await repositories.utxos.named(chain, spent) };
  });
}

/**
 * UTXOs of a batch that was given up, or that another worker has settled since `signed` was read,
 * may not be its own any more (settle-transfer.ts).
 */
function mayBeReleased(
  transfers: readonly OutgoingTransfer[],
  signed: readonly SignedTransaction[],
): boolean {
  return signed.some(({ voids }) => voids) || !transfers.every(isOpenTransfer);
}

/**
 * Settled transfers stay so: paid ones come first, and unpaid ones last. Of the open ones those
 * that were not given up come first.
 */
function likelihoodRank({ status, voided }: OutgoingTransfer): number {
  if (status === 'confirmed') return 0;
  if (status === 'failed') return 3;
  return voided ? 2 : 1;
}
