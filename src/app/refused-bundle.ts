/**
 * What becomes of a bundle that could not be signed. A sequence must not be held up by one payment, since all behind it wait
 * (safety.md G3 to G5): while nothing is signed for it, the payment to blame leaves it, and the next one takes it. Only what
 * everything lacks alike is waited for with the sequence in hand. Bytes that were signed may still be mined.
 */
import { type Bundle, decideOutgoing, type OutgoingTransfer } from '../domain/outgoing.ts';
import type { Payout } from '../domain/payout-record.ts';
import { alreadyTold } from '../domain/waiting.ts';
import { SendingRefused } from '../ports/chain-sender.ts';
import type { Repositories } from '../ports/repositories.ts';
import { SigningRefused } from '../ports/signer.ts';
import { mayBePaid, type Refusal, refusalOf, tellRefused, toldOf, type Verdict } from './refused-payout.ts';
import { lockBundle, type SendingChain, type SendingNeeds } from './sending.ts';
import { dissolve, takeOut } from './unmake-bundle.ts';

/** `asked`: the bundle as it was to be signed. `dear`: its fee is far above that of others, and not only all fees are high. */
export function refusedBundle(
  deps: SendingNeeds,
  on: SendingChain,
  { asked, dear }: { asked: Bundle; dear: boolean },
  error: Refusal,
): Promise<void> {
  const [{ bundleId }] = asked;
  return deps.unitOfWork.run(async (repositories) => {
    const locked = await lockBundle(repositories, bundleId);
    if (locked === null) return;
    const { bundle, payouts } = locked;
    if (error instanceof SigningRefused && error.unusedFrom !== null) {
      deps.logger.warn('signing.sequence_conflict', { bundleId, reason: error.message });
      if (await takesAnotherSequence(deps, repositories, on, locked, error, error.unusedFrom)) return;
    }
    const guilty = guiltyOf(bundle, error, asked);
    const payout = payouts.find(({ id }) => id === guilty?.referenceId) ?? null;
    const verdict = guilty !== null && isUnsigned(guilty) ? verdictOn(on, guilty, error, dear) : 'wait';
    deps.logger.warn('signing.refused', {
      ...{ bundleId, transferId: guilty?.id ?? null, verdict, reason: error.message },
    });
    if (guilty !== null && verdict !== 'wait') {
      if (payout === null && verdict === 'aside')
        return void (await dissolve(repositories, bundleId, refusalOf(error)));
      await takeOut(repositories, bundleId, {
        which: ({ id }) => id === guilty.id,
        reason: refusalOf(error),
      });
      if (payout !== null) await tellRefused(deps, repositories, payout, verdict, error);
      return;
    }
    if (guilty !== null && isDeadSweep(on, guilty, error)) {
      const next = decideOutgoing(guilty, { type: 'voided', reason: refusalOf(error) });
      if (next !== null) await repositories.outgoing.save({ ...guilty, ...next });
      return;
    }
    if (isGivenUpWhole(on, bundle, error)) {
      await takeOut(repositories, bundleId, { which: () => true, reason: refusalOf(error) });
      for (const each of payouts) await tellRefused(deps, repositories, each, 'aside', error);
      return;
    }
    const needsOthers = on.sender.coins !== null && needsOtherCoins(payouts, error);
    if (needsOthers || lacksEnergy(bundle, error)) await dissolve(repositories, bundleId, refusalOf(error));
    await tellWaiting(deps, repositories, payouts, error);
  });
}

/**
 * The signer signed something else under the sequence: what was lost before it was stored, or its log is ahead of a database that
 * was restored. Where the chain does not count sequences, the bundle leaves under one behind all that were signed. Where it does,
 * this one has to be used up, by what moves nothing, and the payouts take another.
 */
async function takesAnotherSequence(
  deps: SendingNeeds,
  repositories: Repositories,
  { chain, sender }: SendingChain,
  { bundle, payouts }: { bundle: Bundle; payouts: readonly Payout[] },
  error: SigningRefused,
  unusedFrom: bigint,
): Promise<boolean> {
  const [lead] = bundle;
  if (sender.ways.sequences === 'free') {
    if (!(await dissolve(repositories, lead.bundleId, refusalOf(error)))) return false;
    await repositories.outgoing.takeSequence({ chain, address: lead.wallet, atLeast: unusedFrom - 1n });
    return true;
  }
  if (!bundle.every(isUnsigned)) return false;
  await takeOut(repositories, lead.bundleId, { which: ({ id }) => id !== lead.id, reason: refusalOf(error) });
  const next = decideOutgoing(lead, { type: 'voided', reason: refusalOf(error) });
  if (next !== null) await repositories.outgoing.save({ ...lead, ...next });
  for (const payout of payouts) await tellRefused(deps, repositories, payout, 'aside', error);
  return true;
}

/**
 * Coins that were chosen at another price are free again, and the payouts are bundled anew. While fees are above the ceiling
 * no others would do better. What goes to ourselves can wait for another time, and its coins may be needed.
 */
function needsOtherCoins(payouts: readonly Payout[], error: Refusal): boolean {
  return payouts.length === 0 || (error instanceof SendingRefused && error.because !== 'fees');
}

/** The stake has less idle energy than when the loan was ordered: its sweep does without (carry-out-sweeps.ts). */
function lacksEnergy([{ purpose }]: Bundle, error: Refusal): boolean {
  return purpose === 'lend' && error instanceof SendingRefused && error.because === 'money';
}

/**
 * Where a wallet sends one bundle of many after the other, one that lacks the money or whose asset cannot be used at present would
 * keep all other assets waiting.
 */
function isGivenUpWhole({ sender: { ways } }: SendingChain, bundle: Bundle, error: Refusal): boolean {
  if (ways.sequences !== 'counted' || ways.paymentsAtOnce === 1 || bundle[0].purpose !== 'payout')
    return false;
  if (!(error instanceof SendingRefused) || error.because === 'fees') return false;
  return bundle.every(isUnsigned);
}

const isUnsigned = ({ status, voided }: OutgoingTransfer): boolean => status === 'allocated' && !voided;

/** The payment to blame; of several it must be named. `asked`: the bundle as it was to be signed. */
function guiltyOf(bundle: Bundle, error: Refusal, asked: Bundle): OutgoingTransfer | null {
  const named = error instanceof SigningRefused ? error.transferId : (asked[error.payment ?? -1]?.id ?? null);
  if (named !== null) return bundle.find(({ id }) => id === named) ?? null;
  return bundle.length === 1 ? bundle[0] : null;
}

/** What brings money to the hot wallet, or its gas: the sweep is weighed again once it lacks its money (safety.md G9). */
const isOfSweep = ({ purpose }: OutgoingTransfer): boolean => purpose === 'sweep' || purpose === 'topup';

/** One that lacks its money when it is to be signed again, since all that was signed for it is dead. */
function isDeadSweep({ sender }: SendingChain, transfer: OutgoingTransfer, error: Refusal): boolean {
  if (!(error instanceof SendingRefused) || error.because !== 'money') return false;
  return sender.ways.expires && transfer.status === 'signed' && isOfSweep(transfer);
}

/** `wait`: everything waits alike. The sequence of what is no payment matters to others only where the chain counts it. */
function verdictOn(
  { sender }: SendingChain,
  guilty: OutgoingTransfer,
  error: Refusal,
  dear: boolean,
): Verdict | 'wait' {
  const pays = guilty.purpose === 'payout';
  const aside = pays || sender.ways.sequences === 'counted' ? 'aside' : 'wait';
  if (error instanceof SigningRefused) {
    if (error.lasting) return 'fail';
    if (error.transferId === null) return 'wait';
    if (error.because === 'fee' && !dear) return aside;
    return pays ? 'hold' : aside;
  }
  if (error.because === 'undone') return 'fail';
  if (error.because === 'cost' && pays) return 'hold';
  if (error.because === 'money' && isOfSweep(guilty)) return 'aside';
  return error.because === 'fees' ? 'wait' : aside;
}

async function tellWaiting(
  deps: SendingNeeds,
  repositories: Repositories,
  payouts: readonly Payout[],
  error: Refusal,
): Promise<void> {
  const told = toldOf(error);
  for (const payout of payouts)
    if (mayBePaid(payout) && !alreadyTold(payout.waiting, told))
      await repositories.payouts.save({ ...payout, waiting: { ...told, at: deps.clock.now() } });
}
