/** UTXO chains: a fee bump of a batch, by a child transaction that pays for both (CPFP). */
import type { SignedTransaction, TransferBatch } from '../../../domain/sending/outgoing.ts';
import type { UtxoSpending } from '../../../ports/sending/utxo-spending.ts';
import type { SendingChain, SendingNeeds } from '../sending-chain.ts';
import { spendOwn } from './claim-utxos.ts';

/**
 * Has a child spend the change of the batch's newest transaction, with a fee that makes it worth a
 * miner's while to take both. Nothing happens where there is no change, where it would not
 * help, or where a child exists. A later batch may be that: it spent the change before a
 * reorganisation removed the block of this one. Its own child helps both.
 */
export async function bumpBatch(
  deps: SendingNeeds,
  on: SendingChain,
  utxos: UtxoSpending,
  batch: TransferBatch,
  signed: readonly SignedTransaction[],
): Promise<void> {
  const [{ transferBatchId, purpose, nonce }] = batch;
  const latest = signed.at(-1);
  if (latest === undefined || purpose === 'bump') return;
  const helped = await deps.unitOfWork.run(({ outgoing }) => outgoing.activeOf('bump', transferBatchId));
  if (helped !== null) return;
  const { raw, txid } = latest;
  const back = utxos.changeOf({ raw, nonce });
  const change = back === null ? null : { txid, ...back };
  const paidFeeUnits = latest.maxFeeUnits;
  const plan = change && utxos.bump({ raw, paidFeeUnits, feeRate: await utxos.feeRate(), change });
  if (change === null || plan === null) {
    deps.logger.warn('transfer.no_child_possible', { chain: on.chain, txid });
    return;
  }
  await spendOwn(deps, on, deps.ids.id(), {
    purpose: 'bump',
    referenceId: transferBatchId,
    ...plan,
    utxos: [change],
  });
}
