/**
 * What the chain says about a transfer becomes its state, its ledger entries and its payout's end,
 * in one transaction, which it may share with others.
 */
import { heldFor } from '../../domain/payouts/held.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import { borneBy } from '../../domain/sending/batch-fee.ts';
import type { EventOf, OutgoingTransfer } from '../../domain/sending/outgoing.ts';
import { type Failure, failureOf } from '../../domain/sending/outgoing-failure.ts';
import type { LockLimits, Repositories } from '../../ports/repositories.ts';
import type { ChainSender } from '../../ports/sending/chain-sender.ts';
import type { UtxoSpending } from '../../ports/sending/utxo-spending.ts';
import { movePayout } from '../payouts/apply-payout-event.ts';
import { enqueuePayoutEvents } from '../payouts/payout-events.ts';
import { inSets } from '../shared/in-sets.ts';
import { SET_LOCKS } from '../shared/try-together.ts';
import { postForward } from './forward-entries.ts';
import { gatherBatches } from './gather-batches.ts';
import { chargeWastedFee, postNetworkFee, type Settling } from './network-fee-entries.ts';
import { lockTransfer, moveTransfer, type SendingNeeds } from './sending-chain.ts';

type MinedEvent = EventOf<'confirmed' | 'mined_without_effect'> & {
  /**
   * Whether its fees are the transfer's own share. Default: they are those of the whole
   * transaction, which one transfer of the batch bears (batch-fee.ts).
   */
  readonly isShare?: boolean;
};

export type SettlingEvent =
  | MinedEvent
  | EventOf<'reorganised' | 'voided'>
  /** `signed`: how many of its signed transactions the chain was asked about. */
  | (EventOf<'superseded' | 'expired'> & { readonly signed: number });

type Sender = Pick<ChainSender, 'nativeAsset' | 'utxos'>;

/** A transfer as it was read, and what the chain says of it. */
interface ToSettle {
  readonly expected: OutgoingTransfer;
  readonly event: SettlingEvent;
}

/** False when the event cannot happen to the transfer any more: another worker was first. */
export type SettleTransfer = (expected: OutgoingTransfer, event: SettlingEvent) => Promise<boolean>;

export function settleTransfer(
  deps: SendingNeeds,
  expected: OutgoingTransfer,
  event: SettlingEvent,
  sender: Sender,
  limits?: LockLimits,
): Promise<boolean> {
  return deps.unitOfWork.run(
    (repositories) => settle(deps, repositories, sender, { expected, event }),
    limits,
  );
}

const SET_MAX = 100;

/**
 * Payments that were made are settled in sets, everything else by itself. Payments that a set
 * leaves out follow one after the other: they wait for their batch, and each takes a connection.
 */
export function transferSettler(deps: SendingNeeds, sender: Sender): SettleTransfer {
  const together = inSets(SET_MAX, (some: readonly ToSettle[]) => settleAll(deps, sender, some));
  const oneByOne = inSets(1, (some: readonly ToSettle[]) =>
    Promise.all(some.map(({ expected, event }) => settleTransfer(deps, expected, event, sender, SET_LOCKS))),
  );
  return async (expected, event) => {
    if (event.type !== 'confirmed') return settleTransfer(deps, expected, event, sender);
    const settled = await together({ expected, event });
    return settled === 'alone' ? oneByOne({ expected, event }) : settled;
  };
}

function settleAll(
  deps: SendingNeeds,
  sender: Sender,
  some: readonly ToSettle[],
): Promise<readonly (boolean | 'alone')[]> {
  return deps.unitOfWork.run(async (repositories) => {
    const { gathered, flush } = await gatherBatches(
      repositories,
      some.map(({ expected }) => expected),
    );
    const settled: (boolean | 'alone')[] = [];
    for (const one of some)
      settled.push((await settlesAlone(gathered, one)) ? 'alone' : await settle(deps, gathered, sender, one));
    await flush();
    return settled;
  }, SET_LOCKS);
}

/**
 * Whether it may change balances or invoices: those are locked after all payouts and transfers, and
 * in an order of their own.
 */
async function settlesAlone(repositories: Repositories, { expected }: ToSettle): Promise<boolean> {
  const { transfer, payout } = await lockTransfer(repositories, expected);
  return transfer.voided || (payout !== null && payout.status !== 'processing');
}

async function settle(
  deps: SendingNeeds,
  repositories: Repositories,
  sender: Sender,
  { expected, event }: ToSettle,
): Promise<boolean> {
  const { transfer, payout, batch } = await lockTransfer(repositories, expected);
  // That block was read before the lock: the transfer may be in another by now.
  if (event.type === 'reorganised' && transfer.block?.hash !== expected.block?.hash) return false;
  if ('signed' in event && (await signedSince(repositories, transfer, event.signed))) return false;
  const after = await moveTransfer(repositories, transfer, borneEvent(event, transfer, batch));
  if (after === null) return false;
  const settling = { before: transfer, after };
  await postNetworkFee(deps, repositories, settling, sender.nativeAsset);
  await postForward(deps, repositories, settling);
  if (sender.utxos !== null) await settleUtxos(repositories, sender.utxos, transfer, event);
  if (payout) {
    const moved = (await settlePayout(deps, repositories, settling, payout, event)) ?? payout;
    const charge = { settling, payout: moved };
    const charged = await chargeWastedFee(deps, repositories, charge, sender.nativeAsset);
    await enqueuePayoutEvents(deps, repositories, [{ before: payout, after: charged }]);
  }
  return true;
}

/** With the fees that the transfer bears. */
function borneEvent(
  event: SettlingEvent,
  { id }: OutgoingTransfer,
  batch: readonly OutgoingTransfer[],
): SettlingEvent {
  if (event.type !== 'confirmed' && event.type !== 'mined_without_effect') return event;
  const { txid, feeUnits, hotFeeUnits = 0n, isShare = false } = event;
  return isShare ? event : { ...event, ...borneBy(id, batch, { txid, feeUnits, hotFeeUnits }) };
}

/**
 * Whether another worker stored bytes that the chain was not asked about: they may have the nonce.
 */
async function signedSince(
  { outgoing }: Repositories,
  { transferBatchId }: OutgoingTransfer,
  known: number,
): Promise<boolean> {
  return (await outgoing.signedOf([transferBatchId])).length > known;
}

/** Marks the transaction's own outputs (change) as mined, or as unmined after a reorganisation. */
async function settleUtxos(
  { utxos, outgoing }: Repositories,
  { spends }: UtxoSpending,
  { chain, txid, transferBatchId }: OutgoingTransfer,
  event: SettlingEvent,
): Promise<void> {
  if (event.type === 'confirmed' || event.type === 'mined_without_effect')
    await utxos.settle(chain, event.txid, event.block.height);
  if (event.type === 'mined_without_effect') {
    // The cancellation transaction spent the UTXOs that were still there. One that came back to the
    // chain meanwhile is free again (give-up-lost.ts).
    const mined = (await outgoing.signedOf([transferBatchId])).find((signed) => signed.txid === event.txid);
    if (mined) await utxos.release(transferBatchId, spends(mined.raw));
  }
  if (event.type === 'reorganised' && txid !== null) await utxos.settle(chain, txid, null);
  if (event.type !== 'superseded') return;
  // Somebody else spent at least one of its UTXOs: the chain knows which are left
  // (recheck-utxos.ts).
  if ((await outgoing.ofBatch(transferBatchId)).some(({ status }) => status === 'signed')) return;
  const claimed = await utxos.ofBatch(transferBatchId);
  await utxos.release(transferBatchId);
  await utxos.doubt(chain, claimed, true);
}

/** The payout as it is then; null when nothing happened to it. */
async function settlePayout(
  deps: SendingNeeds,
  repositories: Repositories,
  { before, after: transfer }: Settling,
  payout: Payout,
  event: SettlingEvent,
): Promise<Payout | null> {
  // A transfer that was given up before a payment was signed does not decide its payout, which may
  // have another by now.
  const signed = await repositories.outgoing.signedOf([transfer.transferBatchId]);
  const noPaymentSigned = signed.every(({ voids }) => voids);
  const mayBePaidElsewhere = event.type === 'superseded' && !transfer.voided;
  if (noPaymentSigned && !mayBePaidElsewhere) return null;
  switch (event.type) {
    case 'confirmed':
      return confirmPayout(deps, repositories, payout, event);
    case 'superseded':
    case 'expired':
    case 'mined_without_effect':
      return endPayout(deps, repositories, payout, { event, cause: before.failure ?? event.reason });
    case 'reorganised':
      return reopenPayout(deps, repositories, payout, transfer);
    case 'voided':
      return null;
  }
}

async function confirmPayout(
  deps: SendingNeeds,
  repositories: Repositories,
  payout: Payout,
  { txid }: EventOf<'confirmed'>,
): Promise<Payout | null> {
  const paid = await movePayout(deps, repositories, payout, {
    type: 'confirmed',
    txid,
    at: deps.clock.now(),
  });
  if (paid && payout.status !== 'processing' && payout.status !== 'pending')
    deps.logger.error('payout.paid_after_end', { payoutId: payout.id, status: payout.status, txid });
  return paid;
}

/**
 * Cancelled where an operator gave its transfer up, failed otherwise; held where it may have been
 * paid all the same.
 */
async function endPayout(
  deps: SendingNeeds,
  repositories: Repositories,
  payout: Payout,
  { event, cause }: { event: EventOf<'superseded' | 'expired' | 'mined_without_effect'>; cause: Failure },
): Promise<Payout | null> {
  const at = deps.clock.now();
  const { code, text: reason } = cause;
  // What used its nonce, or was signed later, is not known here and may have paid the payout.
  if (event.type === 'superseded' || code === 'restored')
    return movePayout(deps, repositories, payout, {
      ...{ type: 'set_back', held: heldFor('restored', reason), at },
    });
  const instead = event.type === 'mined_without_effect' ? { txid: event.txid } : {};
  const ended =
    code === 'operator' ? ({ type: 'cancelled' } as const) : ({ type: 'failed', reason } as const);
  return movePayout(deps, repositories, payout, { ...ended, ...instead, at });
}

/** The block that settled its transfer left the chain. */
async function reopenPayout(
  deps: SendingNeeds,
  repositories: Repositories,
  payout: Payout,
  transfer: OutgoingTransfer,
): Promise<Payout | null> {
  deps.logger.error('payout.reorganised', { payoutId: payout.id });
  const back = await movePayout(deps, repositories, payout, { type: 'reorganised', at: deps.clock.now() });
  // Its balance was given back: what was signed for it must not be mined after all.
  if (!back && !transfer.voided) {
    const reason = failureOf('payout_ended', payout.failure ?? undefined);
    await moveTransfer(repositories, transfer, { type: 'voided', reason });
  }
  return back;
}
