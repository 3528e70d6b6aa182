/**
 * What becomes of a payout that could not be signed and has no nonce (any more). It fails and its
 * balance comes back, or it is held for an operator, or it steps aside and is tried again after
 * growing pauses; after the last one it is held, too.
 */
import { type Held, heldFor } from '../../../domain/payouts/held.ts';
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import { steppedAside, TRIES_MAX, type Waiting } from '../../../domain/payouts/waiting-reasons.ts';
import { type Failure, failureOf } from '../../../domain/sending/outgoing-failure.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { SendingRefused } from '../../../ports/sending/chain-sender.ts';
import { SigningRefused } from '../../../ports/sending/signer.ts';
import { applyPayoutEvent } from '../../payouts/apply-payout-event.ts';
import type { SendingNeeds } from '../sending-chain.ts';

export type SignRefusal = SendingRefused | SigningRefused;

/**
 * `fail`: it can never be signed. `hold`: it cannot be while signer and payout stay as they are.
 * `aside`: it may be a while later.
 */
export type Verdict = 'fail' | 'hold' | 'aside';

/**
 * Applies the verdict to a payout, unless it has ended or is held meanwhile. In the caller's
 * transaction, which has it locked.
 */
export async function applyVerdict(
  deps: SendingNeeds,
  repositories: Repositories,
  payout: Payout,
  verdict: Verdict,
  error: SignRefusal,
): Promise<void> {
  if (!mayBePaid(payout)) return;
  const now = deps.clock.now();
  const reason = error.message;
  if (verdict === 'fail') {
    await applyPayoutEvent(deps, repositories, payout, { type: 'failed', reason, at: now });
    return;
  }
  const tries = payout.tries + 1;
  const waiting = verdict === 'hold' ? null : steppedAside(waitingReasonOf(error), tries, now);
  const { id: payoutId, merchantId } = payout;
  if (waiting === null) {
    const held = heldFor(heldCodeOf(error), `not signed: ${reason}`);
    await repositories.payouts.save({ ...payout, held, waiting, tries: 0, dispatchedAt: null });
    deps.logger.error('payout.unsignable', { payoutId, merchantId, tries, reason });
    return;
  }
  await repositories.payouts.save({ ...payout, waiting, tries, dispatchedAt: null });
  const fields = { payoutId, merchantId, tries, reason, again: waiting.at.toISOString() };
  if (tries > TRIES_MAX) deps.logger.error('payout.fee_over_policy', fields);
  else deps.logger.warn('payout.set_aside', fields);
}

function heldCodeOf(error: SignRefusal): Held['code'] {
  if (error instanceof SigningRefused) return 'signer';
  if (error.because === 'cost') return 'fee';
  return error.because === 'money' ? 'liquidity' : 'unclear';
}

/** Whether the recipient is to blame, and not the wallet's money, the nodes or the policy. */
export const isRecipientsDoing = (error: SignRefusal): boolean =>
  error instanceof SendingRefused && RECIPIENTS.has(error.because);
const RECIPIENTS: ReadonlySet<SendingRefused['because']> = new Set(['undone', 'cost', 'untried']);

/** Why its transfer is given up. */
export function refusalOf(error: SignRefusal): Failure {
  return failureOf(error instanceof SigningRefused ? 'signer_refused' : 'chain_refused', error.message);
}

/** The reason that a waiting payout shows the operator. */
export function waitingReasonOf(error: SignRefusal): Omit<Waiting, 'at'> {
  const { message } = error;
  if (error instanceof SigningRefused)
    return error.because === 'fee'
      ? { code: 'fee', reason: `fee: ${message}` }
      : { code: 'signing', reason: message };
  switch (error.because) {
    case 'money':
      return { code: 'liquidity', reason: `liquidity: ${message}` };
    case 'unclear':
    case 'untried':
      return { code: 'trial', reason: `trial: ${message}` };
    case 'fees':
    case 'enough':
    case 'cost':
    case 'undone':
      return { code: 'signing', reason: message };
  }
}

/** Whether a payout may still be signed for. */
export const mayBePaid = ({ status, held }: Payout): boolean =>
  (status === 'pending' && held === null) || status === 'processing';
