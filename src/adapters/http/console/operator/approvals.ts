/** Approvals of operators' orders. */
import { type ApprovalDesk, approvalPage, approvalsPage, decide } from '../approvals.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../kit/route.ts';
import type { OperatorPages } from './operator-pages.ts';

export function approvalRoutesOfOperators(of: OperatorPages): readonly ConsoleRoute[] {
  const deskOf = (call: OperatorCall): ApprovalDesk => ({
    ...{ base: call.base, at: `${call.base}/approvals` },
    independent: 'It needs an operator who was made by bun run operator create, or invited by another one.',
    list: (filter) => of.desk.approvals(call.seat, filter),
    find: (id) => of.desk.approval(call.seat, id),
    whyNot: (approval) => of.desk.whyNotApprove(call.seat, approval),
    approve: (id) => of.desk.approve(call.seat, id),
    refuse: (id, note) => of.desk.refuse(call.seat, id, note),
    withdraw: (id) => of.desk.withdraw(call.seat, id),
  });
  return [
    ofOperator('operator.read', 'GET', '/approvals', (call) => approvalsPage(call, deskOf(call))),
    ofOperator('operator.read', 'GET', '/approvals/:id', (call) => approvalPage(call, deskOf(call))),
    ...(['approve', 'refuse', 'withdraw'] as const).map((decision) =>
      ofOperator('queue.decide', 'POST', `/approvals/:id/${decision}`, (call) =>
        decide(call, deskOf(call), decision),
      ),
    ),
  ];
}
