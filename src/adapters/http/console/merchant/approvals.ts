/** Approvals of a merchant's orders. */
import { type ApprovalDesk, approvalPage, approvalsPage, decide } from '../approvals.ts';
import { type ConsoleRoute, type MerchantCall, ofMerchant } from '../kit/route.ts';
import type { MerchantPages } from './merchant-pages.ts';

export function approvalRoutesOfMerchant(of: MerchantPages): readonly ConsoleRoute[] {
  const deskOf = (call: MerchantCall): ApprovalDesk => ({
    ...{ base: call.base, at: `${call.base}/approvals` },
    independent: 'It needs a person whom another owner, or the operator of this gateway, invited.',
    list: (filter) => of.desk.approvals(call.desk, filter),
    find: (id) => of.desk.approval(call.desk, id),
    whyNot: (approval) => of.desk.whyNotApprove(call.desk, approval),
    approve: (id) => of.desk.approve(call.desk, id),
    refuse: (id, note) => of.desk.refuse(call.desk, id, note),
    withdraw: (id) => of.desk.withdraw(call.desk, id),
  });
  return [
    ofMerchant('payments.read', 'GET', '/approvals', (call) => approvalsPage(call, deskOf(call))),
    ofMerchant('payments.read', 'GET', '/approvals/:id', (call) => approvalPage(call, deskOf(call))),
    ...(['approve', 'refuse', 'withdraw'] as const).map((decision) =>
      ofMerchant('approvals.decide', 'POST', `/approvals/:id/${decision}`, (call) =>
        decide(call, deskOf(call), decision),
      ),
    ),
  ];
}
