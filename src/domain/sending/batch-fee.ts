/**
 * Which transfer of a batch bears what the network took for its transaction, where the chain does
 * not say what each payment cost. Pure.
 */
import type { OutgoingTransfer } from './outgoing.ts';

type Bearer = Pick<OutgoingTransfer, 'id' | 'txid' | 'feeUnits' | 'hotFeeUnits'>;

export interface TransactionFee {
  readonly txid: string;
  readonly feeUnits: bigint;
  readonly hotFeeUnits: bigint;
}

const NOTHING = { feeUnits: 0n, hotFeeUnits: 0n } as const;

/**
 * What the transfer `id` bears of it when it is settled. The first that is settled bears all of it,
 * and the others nothing: so the fee is in the books once as soon as one is settled. Neither their
 * order nor what becomes of the others changes that. `batch`: all its transfers, locked, as they
 * are stored. A fee of another transaction of the batch, whose block has left the chain, does not
 * count.
 */
export function borneBy(
  id: string,
  batch: readonly Bearer[],
  { txid, feeUnits, hotFeeUnits }: TransactionFee,
): Pick<TransactionFee, 'feeUnits' | 'hotFeeUnits'> {
  const isBorne = batch.some((other) => other.id !== id && other.txid === txid && bears(other));
  return isBorne ? NOTHING : { feeUnits, hotFeeUnits };
}

const bears = ({ feeUnits, hotFeeUnits }: Bearer): boolean =>
  (feeUnits !== null && feeUnits !== 0n) || hotFeeUnits !== 0n;
