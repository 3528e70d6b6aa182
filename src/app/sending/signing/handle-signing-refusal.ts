/**
 * What becomes of a batch that could not be signed. A nonce must not be held up by one payment, since all behind it wait
 * (safety.md G3 to G5): while nothing is signed for it, the payment to blame leaves it, and the next one takes it. Only what
 * everything lacks alike is waited for with the nonce in hand. Bytes that were signed may still be mined.
 */

import { isAlreadyRecorded } from '../../../domain/payouts/hold-reasons.ts';
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import type { OutgoingTransfer, TransferBatch } from '../../../domain/sending/outgoing.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { SendingRefused } from '../../../ports/sending/chain-sender.ts';
import { SigningRefused } from '../../../ports/sending/signer.ts';
import { lockBatch, moveTransfer, type SendingChain, type SendingNeeds } from '../sending-chain.ts';
import { giveUp, tellGivenUp } from './abandon-signed.ts';
import { mayBePaid, type Refusal, refusalOf, tellRefused, toldOf, type Verdict } from './refused-payout.ts';
import { dissolveBatch, removePayment } from './split-batch.ts';

interface Asked {
  readonly transferBatchId: string;
  /** What was to be signed, in its order. */
  readonly asked: readonly OutgoingTransfer[];
  /** Whether its fee is far above that of others, and not only all fees are high. */
  readonly dear: boolean;
}

type LockedBatch = NonNullable<Awaited<ReturnType<typeof lockBatch>>>;

/** Answers the transfer of the payment to blame; null when everything is refused alike. */
export function refusedBatch(
  deps: SendingNeeds,
  on: SendingChain,
  { transferBatchId, asked, dear }: Asked,
  error: Refusal,
): Promise<string | null> {
  return deps.unitOfWork.run(async (repositories) => {
    const locked = await lockBatch(repositories, transferBatchId);
    if (locked === null) return null;
    const { batch, payouts } = locked;
    if (error instanceof SigningRefused && (await takesAnotherNonce(deps, repositories, on, locked, error)))
      return null;
    const guilty = guiltyOf(batch, error, asked);
    const verdict = guilty === null || guilty.voided ? 'wait' : verdictOn(on, guilty, error, dear);
    deps.logger.warn('signing.refused', {
      ...{ transferBatchId, transferId: guilty?.id ?? null, verdict, reason: error.message },
    });
    if (guilty !== null && verdict !== 'wait' && guilty.status === 'allocated') {
      await leave(deps, repositories, { guilty, payouts, verdict }, error);
    } else if (isGivenUpWhole(on, batch, error)) {
      await removePayment(repositories, transferBatchId, { which: () => true, reason: refusalOf(error) });
      await tellAside(deps, repositories, payouts, error);
    } else await keepWaiting(deps, repositories, on, { ...locked, guilty }, error);
    return verdict === 'wait' ? null : (guilty?.id ?? null);
  });
}

/** Nobody leaves its place: UTXOs that others could do better with are freed, and what was signed is given up where it cannot go. */
async function keepWaiting(
  deps: SendingNeeds,
  repositories: Repositories,
  on: SendingChain,
  { batch, payouts, guilty }: LockedBatch & { readonly guilty: OutgoingTransfer | null },
  error: Refusal,
): Promise<void> {
  const reason = refusalOf(error);
  const needsOthers = on.sender.utxos !== null && needsOtherUtxos(payouts, error);
  if (needsOthers || lacksEnergy(batch, error))
    await dissolveBatch(repositories, batch[0].transferBatchId, reason);
  // What waits for a block would not go through now: whether it is mined so, or not at all, is the chain's to say.
  if (guilty !== null && isDeadSweep(on, guilty, error)) await giveUp(repositories, [guilty], reason);
  else if (guilty !== null && !guilty.voided && isSpoilt(on, error))
    tellGivenUp(deps, on.chain, await giveUp(repositories, [guilty], reason));
  else await tellWaiting(deps, repositories, payouts, error);
}

/** It leaves its batch, and its payout is told. A sweep, or the gas of one, is planned anew where it may go later. */
async function leave(
  deps: SendingNeeds,
  repositories: Repositories,
  { guilty, payouts, verdict }: { guilty: OutgoingTransfer; payouts: readonly Payout[]; verdict: Verdict },
  error: Refusal,
): Promise<void> {
  const payout = payouts.find(({ id }) => id === guilty.referenceId) ?? null;
  const reason = refusalOf(error);
  if (payout === null && verdict === 'aside')
    return void (await dissolveBatch(repositories, guilty.transferBatchId, reason));
  await removePayment(repositories, guilty.transferBatchId, { which: ({ id }) => id === guilty.id, reason });
  if (payout !== null) await tellRefused(deps, repositories, payout, verdict, error);
}

/**
 * The signer signed something else under the nonce: what was lost before it was stored, or its log is ahead of a database that
 * was restored. Where the chain does not count nonces, the batch leaves under one behind all that were signed. Where it does,
 * this one has to be used up, by what moves nothing, and the payouts take another. False where the nonce stays in hand.
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
  if (sender.ways.nonces === 'free') {
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
  await tellAside(deps, repositories, payouts, error);
  return true;
}

async function tellAside(
  deps: SendingNeeds,
  repositories: Repositories,
  payouts: readonly Payout[],
  error: Refusal,
): Promise<void> {
  for (const payout of payouts) await tellRefused(deps, repositories, payout, 'aside', error);
}

/**
 * Coins that were chosen at another price are free again, and the payouts are bundled anew. While fees are above the ceiling
 * no others would do better. What goes to ourselves can wait for another time, and its UTXOs may be needed.
 */
function needsOtherUtxos(payouts: readonly Payout[], error: Refusal): boolean {
  return payouts.length === 0 || (error instanceof SendingRefused && !waitsForFees(error));
}

/** The stake has less idle energy than when the loan was ordered: its sweep does without (advance-sweeps.ts). */
function lacksEnergy([{ purpose }]: TransferBatch, error: Refusal): boolean {
  return purpose === 'lend' && error instanceof SendingRefused && error.because === 'money';
}

/**
 * Where a wallet sends one batch of many after the other, one that lacks the money or whose asset cannot be used at present would
 * keep all other assets waiting.
 */
function isGivenUpWhole({ sender: { ways } }: SendingChain, batch: TransferBatch, error: Refusal): boolean {
  if (ways.nonces !== 'counted' || ways.paymentsAtOnce === 1 || batch[0].purpose !== 'payout') return false;
  if (!(error instanceof SendingRefused) || waitsForFees(error)) return false;
  return batch.every(isUnsigned);
}

const waitsForFees = ({ because }: SendingRefused): boolean => because === 'fees' || because === 'enough';
const isUnsigned = ({ status, voided }: OutgoingTransfer): boolean => status === 'allocated' && !voided;

/** The payment to blame; of several it must be named. `asked`: the batch as it was to be signed. */
function guiltyOf(
  batch: TransferBatch,
  error: Refusal,
  asked: readonly OutgoingTransfer[],
): OutgoingTransfer | null {
  const named = error instanceof SigningRefused ? error.transferId : (asked[error.payment ?? -1]?.id ?? null);
  if (named !== null) return batch.find(({ id }) => id === named) ?? null;
  return asked.length === 1 ? (batch.find(({ id }) => id === asked[0]?.id) ?? null) : null;
}

/** What brings money to the hot wallet, or its gas: the sweep is weighed again once it lacks its money (safety.md G9). */
const isOfSweep = ({ purpose }: Pick<OutgoingTransfer, 'purpose'>): boolean =>
  purpose === 'sweep' || purpose === 'topup';

/** One that lacks its money when it is to be signed again, since all that was signed for it is dead. */
function isDeadSweep({ sender }: SendingChain, transfer: OutgoingTransfer, error: Refusal): boolean {
  if (!(error instanceof SendingRefused) || error.because !== 'money') return false;
  return sender.ways.expires && transfer.status === 'signed' && isOfSweep(transfer);
}

/**
 * One that its recipient made impossible after it was signed, or too dear where others wait for its nonce. The UTXOs of one are not
 * given up for it.
 */
function isSpoilt({ sender: { utxos, ways } }: SendingChain, error: Refusal): boolean {
  if (utxos !== null || !(error instanceof SendingRefused)) return false;
  return error.because === 'undone' || (error.because === 'cost' && ways.nonces === 'counted');
}

/** `wait`: everything waits alike. The nonce of a sweep or its gas matters to others only where the chain counts it. */
export function verdictOn(
  { sender }: SendingChain,
  { purpose }: Pick<OutgoingTransfer, 'purpose'>,
  error: Refusal,
  dear: boolean,
): Verdict | 'wait' {
  const pays = purpose === 'payout';
  const aside = pays || sender.ways.nonces === 'counted' ? 'aside' : 'wait';
  if (error instanceof SigningRefused) {
    if (error.lasting) return 'fail';
    if (error.transferId === null) return 'wait';
    if (error.because === 'fee' && !dear) return aside;
    return pays ? 'hold' : aside;
  }
  if (error.because === 'undone') return 'fail';
  if (error.because === 'cost' && pays) return 'hold';
  if (error.because === 'money' && isOfSweep({ purpose })) return 'aside';
  return waitsForFees(error) ? 'wait' : aside;
}

/** Why payouts that may be sent wait. In the caller's transaction, which has them locked. */
export async function tellWaiting(
  deps: SendingNeeds,
  repositories: Repositories,
  payouts: readonly Payout[],
  error: Refusal,
): Promise<void> {
  const told = toldOf(error);
  for (const payout of payouts)
    if (mayBePaid(payout) && !isAlreadyRecorded(payout.waiting, told))
      await repositories.payouts.save({ ...payout, waiting: { ...told, at: deps.clock.now() } });
}
