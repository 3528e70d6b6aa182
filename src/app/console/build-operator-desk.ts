/** Builds the desk of the operators' console over the use cases. */
import type { RoleDirectory } from '../../ports/accounts/role-directory.ts';
import { recordAction } from '../audit/audited.ts';
import { exportedEntries, exportOf } from '../audit/exported-entries.ts';
import type { CarryOut } from './approvals/carry-out.ts';
import { approve, refuse, whyNotApprove, withdraw } from './approvals/decide.ts';
import { depositAndWebhookActions } from './operator/deposits-and-webhooks.ts';
import { forwardActions } from './operator/forwards.ts';
import { fundingActions } from './operator/funding.ts';
import { merchantActions } from './operator/merchants.ts';
import { overview } from './operator/overview.ts';
import { payoutActions } from './operator/payouts.ts';
import { refundActions } from './operator/refunds.ts';
import { deciderFrom, type OperatorParts } from './operator/seat-parts.ts';
import { treasuryActions } from './operator/treasury.ts';
import type { OperatorDesk } from './operator-desk.ts';

export function buildOperatorDesk(
  parts: OperatorParts,
  { roles, carryOut }: { roles: RoleDirectory; carryOut: CarryOut },
): OperatorDesk {
  const { deps } = parts;
  const deciding = { ...deps, roles };
  return {
    ...overview(parts),
    ...payoutActions(parts),
    ...depositAndWebhookActions(parts),
    ...refundActions(parts),
    ...treasuryActions(parts),
    ...fundingActions(parts),
    ...forwardActions(parts),
    ...merchantActions(parts),
    async exportAuditLog(by, filter) {
      await recordAction(deps, by.actor, exportOf(filter));
      return exportedEntries(deps.operatorQueries, filter);
    },
    approvals: (_by, { statuses, limit }) =>
      deps.operatorQueries.approvals({ merchantId: null, sandbox: false, statuses, limit }),
    async approval(_by, id) {
      const found = await deps.operatorQueries.approval(id);
      return found?.merchantId === null ? found : null;
    },
    whyNotApprove: (by, approval) => whyNotApprove(deciding)(deciderFrom(by), approval),
    approve: (by, id) => approve(deciding, carryOut)(deciderFrom(by), id),
    refuse: (by, id, note) => refuse(deciding)(deciderFrom(by), id, note),
    withdraw: (by, id) => withdraw(deciding)(deciderFrom(by), id),
  };
}
