/** Builds the desk of merchants' consoles over the use cases. */
import { monthText } from '../../domain/console/statement.ts';
import type { RoleDirectory } from '../../ports/accounts/role-directory.ts';
import type { Application } from '../application.ts';
import { recordAction } from '../audit/audited.ts';
import type { AppDependencies } from '../dependencies.ts';
import type { CarryOut } from './approvals/carry-out.ts';
import { approve, refuse, whyNotApprove, withdraw } from './approvals/decide.ts';
import { cancelOwnPayout } from './merchant/cancel-own-payout.ts';
import { actionAt, deciderAt } from './merchant/desk-parts.ts';
import { invoiceActions } from './merchant/invoices.ts';
import { keyActions } from './merchant/keys.ts';
import { linkAndAddressActions } from './merchant/links-and-addresses.ts';
import { offerRefundAt, showRefundLinkAt, withdrawRefundAt } from './merchant/offer-refund.ts';
import { createPayout, createPayoutBatch } from './merchant/order-payouts.ts';
import { previewPayouts } from './merchant/preview-payouts.ts';
import { settingActions } from './merchant/settings.ts';
import type { MerchantDesk } from './merchant-desk.ts';

export function buildMerchantDesk(
  deps: AppDependencies,
  parts: { application: Application; roles: RoleDirectory; carryOut: CarryOut },
): MerchantDesk {
  const { application, roles, carryOut } = parts;
  const deciding = { ...deps, roles };
  return {
    ...invoiceActions(deps, application),
    ...linkAndAddressActions(deps, application),
    offerRefund: offerRefundAt(deps),
    showRefundLink: showRefundLinkAt(deps),
    withdrawRefund: withdrawRefundAt(deps),
    createPayout: createPayout(deps, carryOut),
    previewPayouts: previewPayouts(deps),
    createPayoutBatch: createPayoutBatch(deps, carryOut),
    cancelPayout: cancelOwnPayout(deps),
    ...settingActions(deps),
    ...keyActions(deps),
    async exportStatement(by, month, format) {
      const { caller } = by;
      const statement = await application.console.statement(caller.scope, month);
      if (statement === null) return null;
      const note = `${caller.environment} ${monthText(month)} ${format}`;
      const action = { action: 'merchant.statement_exported', subject: 'merchant', note } as const;
      await recordAction(deps, by.actor, actionAt(by, { ...action, subjectId: caller.merchant.id }));
      return statement;
    },
    approvals({ caller }, { statuses, limit }) {
      const { merchantId, sandbox } = caller.scope;
      return deps.operatorQueries.approvals({ merchantId, sandbox, statuses, limit });
    },
    async approval({ caller }, id) {
      const found = await deps.operatorQueries.approval(id);
      return found?.merchantId === caller.merchant.id ? found : null;
    },
    whyNotApprove: (by, approval) => whyNotApprove(deciding)(deciderAt(by), approval),
    approve: (by, id) => approve(deciding, carryOut)(deciderAt(by), id),
    refuse: (by, id, note) => refuse(deciding)(deciderAt(by), id, note),
    withdraw: (by, id) => withdraw(deciding)(deciderAt(by), id),
  };
}
