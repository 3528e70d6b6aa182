/**
 * What becomes of a bundle that could not be signed. A sequence must not be held up by one payment, since all behind it wait
 * (safety.md, 2): while nothing is signed for it, the payment to blame gives it up. Bytes that were signed may still be mined.
 */
import { type Held, heldFor } from '../domain/held.ts';
import { type Bundle, decideOutgoing, type OutgoingTransfer } from '../domain/outgoing.ts';
import { type Failure, failureOf } from '../domain/outgoing-failure.ts';
import type { Payout } from '../domain/payout-record.ts';
import { alreadyTold, type Waiting } from '../domain/waiting.ts';
import { SendingRefused } from '../ports/chain-sender.ts';
import type { Repositories } from '../ports/repositories.ts';
import { SigningRefused } from '../ports/signer.ts';
import { lockBundle, type SendingChain, type SendingNeeds } from './sending.ts';
import { applyPayoutEvent } from './settle-payout.ts';
import { dissolve, takeOut } from './unmake-bundle.ts';

/** A payout whose transfers came to nothing this often for want of money is left to an operator. */
const PATIENCE = 3;

/**
 * `fail`: it can never be signed. `hold`: not as long as signer and payout are what they are; an operator decides. `retry`: the
 * wallet lacked the money after all; it takes another sequence once it is there. `wait`: everything waits alike.
 */
type Verdict = 'fail' | 'hold' | 'retry' | 'wait';

export function refusedBundle(
  deps: SendingNeeds,
  on: SendingChain,
  asked: Bundle,
  error: SendingRefused | SigningRefused,
): Promise<void> {
  const [{ bundleId }] = asked;
  return deps.unitOfWork.run(async (repositories) => {
    const { bundle, payouts } = await lockBundle(repositories, bundleId);
    if (await takesAnotherSequence(repositories, on, bundle, error)) {
      deps.logger.warn('signing.sequence_conflict', {
        bundleId,
        reason: error.message,
      });
      return;
    }
    const guilty = guiltyOf(bundle, error, asked);
    const payout = payouts.find(({ id }) => id === guilty?.referenceId) ?? null;
    const unsigned = guilty?.status === 'allocated' && !guilty.voided;
    const verdict = guilty && unsigned ? await verdictOn(repositories, guilty, payout, error) : 'wait';
    deps.logger.warn('signing.refused', {
      ...{ bundleId, transferId: guilty?.id ?? null, verdict, reason: error.message },
    });
    if (guilty === null || verdict === 'wait') {
      if (isGivenUpWhole(on, bundle, error))
        return giveUpWhole(deps, repositories, { bundle, payouts }, error);
      const needsOthers = on.sender.coins !== null && needsOtherCoins(payouts, error);
      if (needsOthers || lacksEnergy(bundle, error)) await dissolve(repositories, bundleId, refusalOf(error));
      return tellWaiting(deps, repositories, payouts, error);
    }
    if (bundle.length > 1 || on.sender.ways.sequences === 'free') {
      await takeOut(repositories, bundleId, {
        which: ({ id }) => id === guilty.id,
        reason: refusalOf(error),
      });
    } else {
      const next = decideOutgoing(guilty, { type: 'voided', reason: refusalOf(error) });
      if (next !== null) await repositories.outgoing.save({ ...guilty, ...next });
    }
    if (payout) await tellPayout(deps, repositories, payout, verdict, error);
  });
}

/**
 * The signer's log is ahead of the database, which was restored perhaps. Where the chain does not count sequences, the bundle
 * leaves under one that is behind all that were signed.
 */
async function takesAnotherSequence(
  repositories: Repositories,
  { chain, sender }: SendingChain,
  bundle: readonly OutgoingTransfer[],
  error: SendingRefused | SigningRefused,
): Promise<boolean> {
  const [lead] = bundle;
  if (lead === undefined || sender.ways.sequences === 'counted') return false;
  if (!(error instanceof SigningRefused) || error.unusedFrom === null) return false;
  if (!(await dissolve(repositories, lead.bundleId, refusalOf(error)))) return false;
  await repositories.outgoing.takeSequence({ chain, address: lead.wallet, atLeast: error.unusedFrom - 1n });
  return true;
}

/**
 * Coins that were chosen at another price are free again, and the payouts are bundled anew. While fees are above the ceiling
 * no others would do better. What goes to ourselves can wait for another time, and its coins may be needed.
 */
function needsOtherCoins(payouts: readonly Payout[], error: SendingRefused | SigningRefused): boolean {
  return payouts.length === 0 || (error instanceof SendingRefused && error.because !== 'fees');
}

/** The stake has less idle energy than when the loan was ordered: its sweep does without (carry-out-sweeps.ts). */
function lacksEnergy([{ purpose }]: Bundle, error: SendingRefused | SigningRefused): boolean {
  return purpose === 'lend' && error instanceof SendingRefused && error.because === 'money';
}

/**
 * Where a wallet sends one bundle of many after the other, one that lacks the money or whose asset cannot be used at present would
 * keep all other assets waiting.
 */
function isGivenUpWhole(
  { sender: { ways } }: SendingChain,
  bundle: Bundle,
  error: SendingRefused | SigningRefused,
): boolean {
  if (ways.sequences !== 'counted' || ways.paymentsAtOnce === 1 || bundle[0].purpose !== 'payout')
    return false;
  if (!(error instanceof SendingRefused) || error.because === 'fees') return false;
  return bundle.every(({ status, voided }) => status === 'allocated' && !voided);
}

/** Its first transfer uses the sequence up, and its payouts take another; what came to nothing too often is left to an operator. */
async function giveUpWhole(
  deps: SendingNeeds,
  repositories: Repositories,
  { bundle, payouts }: { bundle: Bundle; payouts: readonly Payout[] },
  error: SendingRefused | SigningRefused,
): Promise<void> {
  const [lead] = bundle;
  const reason = refusalOf(error);
  const tooOften = new Set<string>();
  for (const { id } of payouts)
    if ((await repositories.outgoing.failedOf('payout', id)) >= PATIENCE) tooOften.add(id);
  await takeOut(repositories, lead.bundleId, { which: ({ id }) => id !== lead.id, reason });
  const next = decideOutgoing(lead, { type: 'voided', reason });
  if (next !== null) await repositories.outgoing.save({ ...lead, ...next });
  const waiting = { ...toldOf(error), at: deps.clock.now() };
  for (const payout of payouts.filter(mayBePaid)) {
    if (tooOften.has(payout.id)) await tellPayout(deps, repositories, payout, 'hold', error);
    else await repositories.payouts.save({ ...payout, waiting, letGoAt: null });
  }
}

/** The payment to blame; of several it must be named. `asked`: the bundle as it was to be signed. */
function guiltyOf(
  bundle: Bundle,
  error: SendingRefused | SigningRefused,
  asked: Bundle,
): OutgoingTransfer | null {
  const named = error instanceof SigningRefused ? error.transferId : (asked[error.payment ?? -1]?.id ?? null);
  if (named !== null) return bundle.find(({ id }) => id === named) ?? null;
  return bundle.length === 1 ? bundle[0] : null;
}

async function verdictOn(
  repositories: Repositories,
  guilty: OutgoingTransfer,
  payout: Payout | null,
  error: SendingRefused | SigningRefused,
): Promise<Verdict> {
  if (error instanceof SigningRefused) {
    if (error.lasting) return 'fail';
    return error.transferId !== null && payout !== null ? 'hold' : 'wait';
  }
  if (error.because === 'undone') return 'fail';
  if (error.because === 'cost') return payout === null ? 'wait' : 'hold';
  if (error.because !== 'money' || payout === null) return 'wait';
  return (await repositories.outgoing.failedOf('payout', guilty.referenceId)) < PATIENCE ? 'retry' : 'hold';
}

async function tellPayout(
  deps: SendingNeeds,
  repositories: Repositories,
  payout: Payout,
  verdict: Exclude<Verdict, 'wait'>,
  error: SendingRefused | SigningRefused,
): Promise<void> {
  if (!mayBePaid(payout)) return;
  const reason = error.message;
  switch (verdict) {
    case 'fail':
      await applyPayoutEvent(deps, repositories, payout, { type: 'failed', reason, at: deps.clock.now() });
      return;
    case 'hold':
      await repositories.payouts.save({
        ...payout,
        held: heldFor(heldCodeOf(error), `not signed: ${reason}`),
        waiting: null,
        letGoAt: null,
      });
      return;
    case 'retry':
      await repositories.payouts.save({
        ...payout,
        waiting: { code: 'liquidity', reason: `liquidity: ${reason}`, at: deps.clock.now() },
        letGoAt: null,
      });
      return;
  }
}

async function tellWaiting(
  deps: SendingNeeds,
  repositories: Repositories,
  payouts: readonly Payout[],
  error: SendingRefused | SigningRefused,
): Promise<void> {
  const told = toldOf(error);
  for (const payout of payouts)
    if (mayBePaid(payout) && !alreadyTold(payout.waiting, told))
      await repositories.payouts.save({ ...payout, waiting: { ...told, at: deps.clock.now() } });
}

function heldCodeOf(error: SendingRefused | SigningRefused): Held['code'] {
  if (error instanceof SigningRefused) return 'signer';
  if (error.because === 'cost') return 'fee';
  return error.because === 'money' ? 'liquidity' : 'unclear';
}

function refusalOf(error: SendingRefused | SigningRefused): Failure {
  return failureOf(error instanceof SigningRefused ? 'signer_refused' : 'chain_refused', error.message);
}

function toldOf(error: SendingRefused | SigningRefused): Omit<Waiting, 'at'> {
  const lacksMoney = !(error instanceof SigningRefused) && error.because === 'money';
  return { code: lacksMoney ? 'liquidity' : 'signing', reason: error.message };
}

/** Whether what was accepted may still be signed for. */
export const mayBePaid = ({ status, held }: Payout): boolean =>
  (status === 'pending' && held === null) || status === 'processing';
