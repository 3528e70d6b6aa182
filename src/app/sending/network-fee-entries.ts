/**
 * Posts the network fee of a transfer once a block has it, and reverses that when the block left
 * the chain. The fee of a payout without effect is charged to its merchant: who causes a network
 * cost bears it (safety.md G2).
 */
import { changedAt } from '../../domain/chains/last-change.ts';
import { feeChargedPostings, networkFee, reversed } from '../../domain/ledger.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import { fiatForUnits, priceE18, unitsForFiat } from '../../domain/rates/rate.ts';
import type { OutgoingTransfer } from '../../domain/sending/outgoing.ts';
import { wastedFeeChange } from '../../domain/sending/wasted-fee.ts';
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import type { NewEntry } from '../../ports/ledger-repository.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { feeLine } from '../payouts/payout-entries.ts';
import type { SendingNeeds } from './sending-chain.ts';

/** A transfer before and after a block settled it, or was removed. */
export interface Settling {
  readonly before: OutgoingTransfer;
  readonly after: OutgoingTransfer;
}

const isTaken = ({ before, after }: Settling): boolean => before.feeUnits === null && after.feeUnits !== null;
const isGone = ({ before, after }: Settling): boolean => before.feeUnits !== null && after.feeUnits === null;

/** The operator's side: the fee leaves the treasury. */
export async function postNetworkFee(
  deps: SendingNeeds,
  repositories: Repositories,
  settling: Settling,
  nativeAsset: string,
): Promise<void> {
  const { id: referenceId, feeUnits } = settling.after;
  const entry = {
    ...{ id: deps.ids.id(), merchantId: null, sandbox: false, referenceId },
    ...{ depositId: null, feed: null, at: deps.clock.now() },
  };
  if (isGone(settling)) {
    const standing = (await repositories.ledger.entriesOf(referenceId)).findLast(isNetworkFee);
    if (standing) {
      const postings = reversed(standing.postings);
      await repositories.ledger.post({ ...entry, kind: 'network_fee_reversed', postings });
    }
  }
  if (isTaken(settling) && feeUnits !== null && feeUnits !== 0n) {
    const microUsd = feeMicroUsd(deps, nativeAsset, feeUnits);
    const postings = networkFee({ asset: nativeAsset, units: feeUnits, microUsd });
    await repositories.ledger.post({ ...entry, kind: 'network_fee', postings });
  }
}

const isNetworkFee = ({ kind }: NewEntry): boolean => kind === 'network_fee';

/**
 * The merchant's side, for the locked payout of a transfer. The merchant is charged the fee of a
 * payment without effect, and of a transaction that replaced a payment which its recipient made
 * impossible, whatever the balance is. The charge comes back when the block left the chain. Returns
 * the payout as it is then.
 */
export async function chargeWastedFee(
  deps: SendingNeeds,
  repositories: Repositories,
  { settling, payout }: { settling: Settling; payout: Payout },
  nativeAsset: string,
): Promise<Payout> {
  const { before, after } = settling;
  const { txid, feeUnits } = after.feeUnits === null ? before : after;
  if (before.feeUnits === after.feeUnits || feeUnits === null) return payout;
  const signed = await repositories.outgoing.signedOf([after.transferBatchId]);
  const paymentSigned = signed.some(({ voids }) => !voids);
  const minedPays = signed.some((transaction) => transaction.txid === txid && !transaction.voids);
  const updatedAt = changedAt(payout, deps.clock.now());
  switch (wastedFeeChange(before, after, { voids: !minedPays, paymentSigned })) {
    case null:
      return payout;
    case 'charge': {
      const microUsd = feeMicroUsd(deps, nativeAsset, feeUnits);
      const wastedFeeUnits =
        payout.asset === nativeAsset ? feeUnits : inUnitsOf(deps, payout.asset, microUsd);
      const charged = { ...payout, wastedFeeUnits, wastedFeeMicroUsd: microUsd, updatedAt };
      await repositories.payouts.save(charged);
      await post(deps, repositories, payout, { asset: nativeAsset, amountUnits: feeUnits, microUsd });
      return charged;
    }
    case 'return': {
      const microUsd = -payout.wastedFeeMicroUsd;
      // A payout of a database from before 0.1.0 may have nothing to return (decision 0035).
      if (microUsd === 0n) return payout;
      const returned = { ...payout, wastedFeeUnits: 0n, wastedFeeMicroUsd: 0n, updatedAt };
      await repositories.payouts.save(returned);
      await post(deps, repositories, payout, { asset: nativeAsset, amountUnits: -feeUnits, microUsd });
      return returned;
    }
  }
}

async function post(
  deps: SendingNeeds,
  { ledger }: Repositories,
  payout: Payout,
  fee: Parameters<typeof feeLine>[1],
): Promise<void> {
  const { id: referenceId, merchantId, sandbox, kind } = payout;
  await ledger.post({
    ...{ id: deps.ids.id(), merchantId, sandbox, referenceId, depositId: null },
    kind: `${kind}_fee_${fee.microUsd > 0n ? 'charged' : 'returned'}`,
    postings: feeChargedPostings(fee.microUsd),
    feed: feeLine(payout, fee),
    at: deps.clock.now(),
  });
}

/** At the last price known, however old: the money is gone whatever it is worth. */
function feeMicroUsd(deps: SendingNeeds, nativeAsset: string, units: bigint): bigint {
  const asset = deps.catalog.require(nativeAsset);
  const price = lastPrice(deps, nativeAsset);
  // What came back is rounded down.
  return units < 0n
    ? -fiatForUnits(-units, price, asset, 'floor')
    : fiatForUnits(units, price, asset, 'ceil');
}

function inUnitsOf(deps: SendingNeeds, asset: string, microUsd: bigint): bigint {
  return unitsForFiat(microUsd, lastPrice(deps, asset), deps.catalog.require(asset), 'ceil');
}

function lastPrice(deps: SendingNeeds, asset: string): bigint {
  const price = priceE18(deps.rateBook.latest().rates, deps.catalog.require(asset), 'USD');
  if (price === null || price <= 0n)
    throw new ChainUnavailable(`a network fee cannot be valued before there is a price of ${asset}`);
  return price;
}
