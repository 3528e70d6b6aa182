/**
 * A merchant cancels a payout of its own while nothing of it is signed: the amount returns to the
 * balance at once. After that only the operator can order it, and the chain decides.
 */
import { appError } from '../../../domain/errors.ts';
import { err } from '../../../domain/result.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { cancelPayout } from '../../sending/operate-payouts.ts';
import { joined } from '../../shared/joined.ts';
import { runResult } from '../../shared/transaction-result.ts';
import type { MerchantDesk } from '../merchant-desk.ts';
import { auditedAt } from './desk-parts.ts';

export function cancelOwnPayout(deps: AppDependencies): MerchantDesk['cancelPayout'] {
  return (by, payoutId) => {
    const { merchantId, sandbox } = by.caller.scope;
    return runResult(deps.unitOfWork, async (repositories) => {
      const payout = await repositories.payouts.lock(payoutId);
      const isTheirs =
        payout?.merchantId === merchantId && payout.sandbox === sandbox && payout.kind === 'payout';
      if (!isTheirs) return err(appError('NOT_FOUND', 'No such payout.'));
      if (payout.status !== 'pending')
        return err(
          appError(
            'INVALID_TRANSITION',
            payout.status === 'processing'
              ? 'The payout is signed and may be mined at any moment. Ask the operator.'
              : `The payout is ${payout.status}.`,
          ),
        );
      const action = { action: 'payout.cancelled', subject: 'payout', subjectId: payoutId } as const;
      return cancelPayout(auditedAt(joined(deps, repositories), by, action))(payoutId, 'the merchant');
    });
  };
}
