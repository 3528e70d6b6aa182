/**
 * What becomes of a batch that could not be signed. One payment must not hold a nonce up, since all
 * behind it wait (safety.md G3 to G5). While nothing is signed for the nonce, the payment to blame
 * leaves it to the next one. The nonce is kept only while every payment lacks the same, or for a
 * moment where bytes may have been lost (kept-nonces.ts). Bytes that were signed may still be
 * mined.
 */

import type { Payout } from '../../../domain/payouts/payout-record.ts';
import { isAlreadyRecorded } from '../../../domain/payouts/waiting-reasons.ts';
import type { OutgoingTransfer, TransferBatch } from '../../../domain/sending/outgoing.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { SendingRefused } from '../../../ports/sending/chain-sender.ts';
import { SigningRefused } from '../../../ports/sending/signer.ts';
import { lockBatch, moveTransfer, type SendingChain, type SendingNeeds } from '../sending-chain.ts';
import { giveUp, logGivenUp } from './give-up-signed.ts';
import { KEEPS_NONE, type KeptNonces } from './kept-nonces.ts';
import {
  applyVerdict,
  mayBePaid,
  refusalOf,
  type SignRefusal,
  type Verdict,
  waitingReasonOf,
} from './refused-payout.ts';
import { dissolveBatch, removePayment } from './split-batch.ts';

export interface Asked {
  readonly transferBatchId: string;
  /** What was to be signed, in its order. */
  readonly asked: readonly OutgoingTransfer[];
  /** Its fee is far above that of others: not all fees are high. */
  readonly feeIsOutlier: boolean;
  /** Of what nodes refused; what the signer refuses keeps no nonce. */
  readonly kept?: KeptNonces;
}

type LockedBatch = NonNullable<Awaited<ReturnType<typeof lockBatch>>>;

/** Returns the id of the transfer to blame; null when everything is refused alike. */
export function applyRefusal(
  deps: SendingNeeds,
  on: SendingChain,
  { transferBatchId, asked, feeIsOutlier, kept = KEEPS_NONE }: Asked,
  error: SignRefusal,
): Promise<string | null> {
  return deps.unitOfWork.run(async (repositories) => {
    const locked = await lockBatch(repositories, transferBatchId);
    if (locked === null) return null;
    const { batch, payouts } = locked;
    if (error instanceof SigningRefused && (await takesAnotherNonce(deps, repositories, on, locked, error)))
      return null;
    const blamed = transferToBlame(batch, error, asked);
    const keeps = kept.keeps(batch, error);
    const verdict = verdictInBatch(on, { blamed, feeIsOutlier, keeps }, error);
    deps.logger.warn('signing.refused', {
      ...{ transferBatchId, transferId: blamed?.id ?? null, verdict, reason: error.message },
    });
    if (blamed !== null && verdict !== 'wait' && blamed.status === 'allocated') {
      await leave(deps, repositories, { blamed, payouts, verdict }, error);
    } else if (!keeps && isGivenUpWhole(on, batch, error)) {
      await removePayment(repositories, transferBatchId, { which: () => true, reason: refusalOf(error) });
      await stepAside(deps, repositories, payouts, error);
    } else await keepWaiting(deps, repositories, on, { ...locked, blamed }, error);
    return verdict === 'wait' ? null : (blamed?.id ?? null);
  });
}

/** `keeps`: a payment that would step aside stays. */
function verdictInBatch(
  on: SendingChain,
  { blamed, feeIsOutlier, keeps }: { blamed: OutgoingTransfer | null; feeIsOutlier: boolean; keeps: boolean },
  error: SignRefusal,
): Verdict | 'wait' {
  if (blamed === null || blamed.voided) return 'wait';
  const verdict = verdictOn(on, blamed, error, { feeIsOutlier });
  return keeps && verdict === 'aside' ? 'wait' : verdict;
}

/**
 * The batch keeps its nonce. It is dissolved where other UTXOs could pay, or the stake lacks
 * energy. A signed transfer that cannot go on is given up.
 */
async function keepWaiting(
  deps: SendingNeeds,
  repositories: Repositories,
  on: SendingChain,
  { batch, payouts, blamed }: LockedBatch & { readonly blamed: OutgoingTransfer | null },
  error: SignRefusal,
): Promise<void> {
  const reason = refusalOf(error);
  const needsOthers = on.sender.utxos !== null && needsOtherUtxos(payouts, error);
  if (needsOthers || lacksEnergy(batch, error))
    await dissolveBatch(repositories, batch[0].transferBatchId, reason);
  // The signed transaction would have no effect now. The chain decides whether it is mined so, or
  // not at all.
  if (blamed !== null && (isDeadSweep(on, blamed, error) || isDeadForward(on, blamed, error)))
    await giveUp(repositories, [blamed], reason);
  else if (blamed !== null && !blamed.voided && isSpoilt(on, error))
    logGivenUp(deps, on.chain, await giveUp(repositories, [blamed], reason));
  else await recordRefusal(deps, repositories, payouts, error);
}

/**
 * The payment leaves its batch, and its payout fails, is held or steps aside. A sweep or its gas is
 * planned again where it may succeed later.
 */
async function leave(
  deps: SendingNeeds,
  repositories: Repositories,
  { blamed, payouts, verdict }: { blamed: OutgoingTransfer; payouts: readonly Payout[]; verdict: Verdict },
  error: SignRefusal,
): Promise<void> {
  const payout = payouts.find(({ id }) => id === blamed.referenceId) ?? null;
  const reason = refusalOf(error);
  if (payout === null && verdict === 'aside')
    return void (await dissolveBatch(repositories, blamed.transferBatchId, reason));
  await removePayment(repositories, blamed.transferBatchId, { which: ({ id }) => id === blamed.id, reason });
  if (payout !== null) await applyVerdict(deps, repositories, payout, verdict, error);
}

/**
 * The signer signed something else under the nonce: bytes that were lost before they were stored,
 * or its log is ahead of a restored database. Where the chain does not count nonces, the batch
 * takes one behind all that were signed. Where it does, a transaction that moves nothing uses this
 * nonce up, and the payouts take another. False where the batch keeps its nonce.
 */
async function takesAnotherNonce(
  deps: SendingNeeds,
  repositories: Repositories,
  { chain, sender }: SendingChain,
  { batch, payouts }: LockedBatch,
  error: SigningRefused,
): Promise<boolean> {
  const { unusedFrom } = error;
  if (unusedFrom === null) return false;
  const [lead] = batch;
  deps.logger.warn('signing.sequence_conflict', {
    transferBatchId: lead.transferBatchId,
    reason: error.message,
  });
  if (sender.capabilities.nonces === 'independent') {
    if (!(await dissolveBatch(repositories, lead.transferBatchId, refusalOf(error)))) return false;
    await repositories.outgoing.takeNonce({ chain, address: lead.wallet, atLeast: unusedFrom - 1n });
    return true;
  }
  if (!batch.every(isUnsigned)) return false;
  await removePayment(repositories, lead.transferBatchId, {
    which: ({ id }) => id !== lead.id,
    reason: refusalOf(error),
  });
  await moveTransfer(repositories, lead, { type: 'voided', reason: refusalOf(error) });
  await stepAside(deps, repositories, payouts, error);
  return true;
}

async function stepAside(
  deps: SendingNeeds,
  repositories: Repositories,
  payouts: readonly Payout[],
  error: SignRefusal,
): Promise<void> {
  for (const payout of payouts) await applyVerdict(deps, repositories, payout, 'aside', error);
}

/**
 * Whether the UTXOs are freed, and the payouts batched again: they were chosen at another price.
 * Not while fees are above the ceiling, where no others would do better. A transfer to our own
 * wallet always frees them: it can wait, and payouts may need them.
 */
function needsOtherUtxos(payouts: readonly Payout[], error: SignRefusal): boolean {
  return payouts.length === 0 || (error instanceof SendingRefused && !waitsForFees(error));
}

/**
 * The stake has less idle energy than when the delegation was ordered: the sweep goes on without it
 * (advance-sweeps.ts).
 */
function lacksEnergy([{ purpose }]: TransferBatch, error: SignRefusal): boolean {
  return purpose === 'lend' && error instanceof SendingRefused && error.because === 'money';
}

/**
 * Where a wallet sends one batch of many payments at a time, a batch that lacks money, or whose
 * asset cannot be used now, would keep all other assets waiting.
 */
function isGivenUpWhole(
  { sender: { capabilities } }: SendingChain,
  batch: TransferBatch,
  error: SignRefusal,
): boolean {
  if (capabilities.nonces !== 'counted' || capabilities.paymentsAtOnce === 1 || batch[0].purpose !== 'payout')
    return false;
  if (!(error instanceof SendingRefused) || waitsForFees(error)) return false;
  return batch.every(isUnsigned);
}

const waitsForFees = ({ because }: SendingRefused): boolean => because === 'fees' || because === 'enough';
const isUnsigned = ({ status, voided }: OutgoingTransfer): boolean => status === 'allocated' && !voided;

/**
 * The payment to blame; of several the error must name it. `asked`: the batch as it was asked for.
 */
function transferToBlame(
  batch: TransferBatch,
  error: SignRefusal,
  asked: readonly OutgoingTransfer[],
): OutgoingTransfer | null {
  const named = error instanceof SigningRefused ? error.transferId : (asked[error.payment ?? -1]?.id ?? null);
  if (named !== null) return batch.find(({ id }) => id === named) ?? null;
  return asked.length === 1 ? (batch.find(({ id }) => id === asked[0]?.id) ?? null) : null;
}

/** A sweep, or its gas, that lacks its money is planned again (safety.md G9). */
const isOfSweep = ({ purpose }: Pick<OutgoingTransfer, 'purpose'>): boolean =>
  purpose === 'sweep' || purpose === 'topup';

/** A sweep that lacks its money to be signed again, after all that was signed has expired. */
function isDeadSweep({ sender }: SendingChain, transfer: OutgoingTransfer, error: SignRefusal): boolean {
  if (!(error instanceof SendingRefused) || error.because !== 'money') return false;
  return sender.capabilities.expires && transfer.status === 'signed' && isOfSweep(transfer);
}

/**
 * A signed forward that is not signed again, so that its nonce must be used up otherwise: all that
 * was signed has expired, or the signer's policy names another cold address by now. On UTXO chains
 * it keeps nobody waiting.
 */
function isDeadForward(on: SendingChain, transfer: OutgoingTransfer, error: SignRefusal): boolean {
  const { utxos, capabilities } = on.sender;
  if (transfer.purpose !== 'forward' || transfer.status !== 'signed' || utxos !== null) return false;
  if (verdictOn(on, transfer, error, { feeIsOutlier: false }) !== 'fail') return false;
  return capabilities.expires || (error instanceof SigningRefused && error.lasting);
}

/**
 * Whether the recipient made a signed payment impossible, or too dear where others wait for its
 * nonce. On UTXO chains a batch is not given up for it.
 */
function isSpoilt({ sender: { utxos, capabilities } }: SendingChain, error: SignRefusal): boolean {
  if (utxos !== null || !(error instanceof SendingRefused)) return false;
  return error.because === 'undone' || (error.because === 'cost' && capabilities.nonces === 'counted');
}

/**
 * What becomes of the payment to blame; `wait`: every payment waits alike.
 *
 * - The signer refuses it for good, or the chain would refuse it: `fail`.
 * - The signer names no transfer, fees are above the ceiling, or the batch offers enough: `wait`.
 * - The signer finds its fee too high while all fees are high: `aside`.
 * - The signer refuses it otherwise, or its recipient makes it too dear: `hold` for a payout.
 * - A sweep or its gas lacks its money, or anything else: `aside`.
 * - A forward: `fail`, unless it waits with all others. Another is planned after a pause.
 *
 * A sweep or its gas waits instead of stepping aside where the chain does not count nonces, since
 * its nonce keeps nobody else waiting; not if it lacks its money, since it is planned again.
 */
export function verdictOn(
  on: SendingChain,
  transfer: Pick<OutgoingTransfer, 'purpose'>,
  error: SignRefusal,
  outlier: { readonly feeIsOutlier: boolean },
): Verdict | 'wait' {
  if (transfer.purpose === 'forward') return waitsWithAll(error) ? 'wait' : 'fail';
  return verdictOnOther(on, transfer, error, outlier);
}

function verdictOnOther(
  { sender }: SendingChain,
  { purpose }: Pick<OutgoingTransfer, 'purpose'>,
  error: SignRefusal,
  { feeIsOutlier }: { readonly feeIsOutlier: boolean },
): Verdict | 'wait' {
  const pays = purpose === 'payout';
  const aside = pays || sender.capabilities.nonces === 'counted' ? 'aside' : 'wait';
  if (error instanceof SigningRefused) {
    if (error.lasting) return 'fail';
    if (error.transferId === null) return 'wait';
    if (error.because === 'fee' && !feeIsOutlier) return aside;
    return pays ? 'hold' : aside;
  }
  if (error.because === 'undone') return 'fail';
  if (error.because === 'cost' && pays) return 'hold';
  if (error.because === 'money' && isOfSweep({ purpose })) return 'aside';
  return waitsForFees(error) ? 'wait' : aside;
}

/** Whether no payment of the chain, or of the signer, would be signed now. */
function waitsWithAll(error: SignRefusal): boolean {
  return error instanceof SigningRefused ? !error.lasting && error.transferId === null : waitsForFees(error);
}

/** Records the refusal as why payouts wait. In the caller's transaction, which has them locked. */
export async function recordRefusal(
  deps: SendingNeeds,
  repositories: Repositories,
  payouts: readonly Payout[],
  error: SignRefusal,
): Promise<void> {
  const waiting = waitingReasonOf(error);
  for (const payout of payouts)
    if (mayBePaid(payout) && !isAlreadyRecorded(payout.waiting, waiting))
      await repositories.payouts.save({ ...payout, waiting: { ...waiting, at: deps.clock.now() } });
}
