/**
 * Three payouts on a UTXO chain that leave in one transaction: booked, settled one by one with what
 * each bears of the network fee, and reopened.
 */
import { networkFee, paidOut, payoutReserved, reversed } from '../../../src/domain/ledger.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import type { OutgoingTransfer, SignedTransaction } from '../../../src/domain/sending/outgoing.ts';
import type { Repositories } from '../../../src/ports/repositories.ts';
import { aHash, anEntry, aPayout, NOW } from '../builders.ts';
import { aBatch, aSigned } from '../payouts/outgoing-builders.ts';

const ASSET = 'btc_bitcoin';
const SIZE = 3;

export interface BookedBatch {
  readonly payouts: readonly Payout[];
  readonly transfers: readonly OutgoingTransfer[];
  /** It was replaced by `latest`, which offers a higher fee. */
  readonly replaced: Omit<SignedTransaction, 'broadcastAt'>;
  readonly latest: Omit<SignedTransaction, 'broadcastAt'>;
}

interface Share {
  readonly place: number;
  readonly feeUnits: bigint;
}

/** Signed, and in no block. */
export async function bookedBatch(
  { payouts, outgoing, ledger }: Repositories,
  merchantId: string,
): Promise<BookedBatch> {
  const worth = {
    ...{ asset: ASSET, amountUnits: 150_000n, sentUnits: 150_000n },
    ...{ amountMicroUsd: 200_000n, reservedMicroUsd: 300_000n },
  };
  const replaced = { txid: aHash(), maxFeeUnits: 1_000n, ordinal: 1 };
  const latest = { txid: aHash(), maxFeeUnits: 2_500n, ordinal: 2 };
  const { txid } = latest;
  const ordered = Array.from({ length: SIZE }, () =>
    aPayout({ ...{ merchantId, status: 'processing', txid, txHashes: [txid] }, ...worth }),
  );
  const batch = aBatch(SIZE, { chain: 'bitcoin', asset: ASSET, status: 'signed' });
  const transfers = ordered.map(({ id: referenceId, address: to, sentUnits }, place) => {
    return { ...batch[place]!, referenceId, to, units: sentUnits };
  });
  for (const payout of ordered) {
    await payouts.insert(payout);
    const postings = payoutReserved(payout.reservedMicroUsd);
    await ledger.post(anEntry({ merchantId, kind: 'payout_reserved', referenceId: payout.id, postings }));
  }
  for (const transfer of transfers) await outgoing.insert(transfer);
  const [{ transferBatchId }] = batch;
  const signed = [replaced, latest].map((given) => aSigned({ transferBatchId, ...given }));
  for (const transaction of signed) await outgoing.insertSigned(transaction);
  return { payouts: ordered, transfers, replaced: signed[0]!, latest: signed[1]! };
}

/** By a block that has `transaction`, by default the latest one. */
export async function settleShare(
  { payouts, outgoing, ledger }: Repositories,
  batch: BookedBatch,
  { place, feeUnits }: Share,
  { txid } = batch.latest,
): Promise<void> {
  const payout = batch.payouts[place]!;
  const { merchantId, id: referenceId } = payout;
  const block = { height: 120, hash: aHash() };
  await outgoing.save({ ...batch.transfers[place]!, status: 'confirmed', txid, block, feeUnits });
  await payouts.save({ ...payout, status: 'success', txid, txHashes: [txid], processedAt: NOW });
  const postings = paymentOf(payout);
  await ledger.post(anEntry({ merchantId, kind: 'payout_settled', referenceId, postings }));
  if (feeUnits !== 0n) await postFee({ ledger }, batch, { place, feeUnits }, 'network_fee');
}

/** The block that settled it has left the chain. */
export async function reopenShare(
  { payouts, outgoing, ledger }: Repositories,
  batch: BookedBatch,
  { place, feeUnits }: Share,
): Promise<void> {
  const payout = batch.payouts[place]!;
  const { merchantId, id: referenceId } = payout;
  await outgoing.save(batch.transfers[place]!);
  await payouts.save(payout);
  const postings = reversed(paymentOf(payout));
  await ledger.post(anEntry({ merchantId, kind: 'payout_unsettled', referenceId, postings }));
  if (feeUnits !== 0n) await postFee({ ledger }, batch, { place, feeUnits }, 'network_fee_reversed');
}

function paymentOf({ asset, sentUnits: units, reservedMicroUsd, feeMicroUsd }: Payout) {
  return paidOut({ reserve: 'payouts_in_flight', asset, units, reservedMicroUsd, feeMicroUsd });
}

function postFee(
  { ledger }: Pick<Repositories, 'ledger'>,
  { transfers }: BookedBatch,
  { place, feeUnits: units }: Share,
  kind: 'network_fee' | 'network_fee_reversed',
): Promise<void> {
  const fee = networkFee({ asset: ASSET, units, microUsd: units });
  const postings = kind === 'network_fee' ? fee : reversed(fee);
  return ledger.post(anEntry({ merchantId: null, kind, referenceId: transfers[place]!.id, postings }));
}
