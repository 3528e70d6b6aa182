/** All that the transactions of a batch pay and spend, whatever of it was given up or is settled. */
import type { OutgoingTransfer, SignedTransaction, TransferBatch } from '../../domain/sending/outgoing.ts';
import type { Utxo } from '../../ports/sending/utxo-spending.ts';
import { batchOf, type SendingChain, type SendingNeeds } from './sending-chain.ts';

/**
 * `batch` is what is open of it, which is not all where a worker died while it settled them. On a UTXO chain a transaction may
 * leave some of the payments out, and of two alike it does not say which: `payments` has those first that it is the more likely to pay.
 */
export async function wholeOf(
  { unitOfWork }: Pick<SendingNeeds, 'unitOfWork'>,
  { chain, sender: { ways, utxos } }: Pick<SendingChain, 'chain' | 'sender'>,
  batch: TransferBatch,
  signed: readonly SignedTransaction[],
): Promise<{ payments: readonly OutgoingTransfer[]; inputs: readonly Utxo[] }> {
  if (ways.paymentsAtOnce === 1) return { payments: batch, inputs: [] };
  const [{ transferBatchId }] = batch;
  // Of one that was given up, some UTXOs may not be the batch's any more (settle-transfer.ts).
  const givenUp = utxos !== null && signed.some(({ voids }) => voids);
  return unitOfWork.run(async (repositories) => {
    const all = (await batchOf(repositories, transferBatchId)) ?? batch;
    return {
      payments: utxos === null ? all : all.toSorted((a, b) => claimOf(a) - claimOf(b)),
      inputs: givenUp
        ? await repositories.utxos.named(
            chain,
            signed.flatMap(({ raw }) => utxos.spends(raw)),
          )
        : await repositories.utxos.ofBatch(transferBatchId),
    };
  });
}

/** What was settled stays so: paid first, and unpaid last. Of the others those that were not given up come first. */
function claimOf({ status, voided }: OutgoingTransfer): number {
  if (status === 'confirmed') return 0;
  if (status === 'failed') return 3;
  return voided ? 2 : 1;
}
