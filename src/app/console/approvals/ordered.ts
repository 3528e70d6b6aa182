/** What a page is told of its order, by the state of the approval. */
import type { Approval, ApprovalRefusal } from '../../../domain/accounts/approval.ts';
import type { JsonObject } from '../../../domain/money/json.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import type { DeskFault, Ordered } from '../merchant-desk.ts';

const REFUSALS: Readonly<Record<ApprovalRefusal, string>> = {
  over: 'This request was decided already, or its time is over.',
  own: 'Somebody else has to decide on your own request.',
  not_own: 'Only whoever made the request can withdraw it.',
  not_permitted: 'Your role, or your limit of refunds within a day, does not cover this request.',
  not_independent:
    'One of you let the other in, or somebody let both of you in. Somebody independent has to approve it.',
  requester_gone: 'Whoever made the request may not do this any more. Refuse it.',
};

export function approvalRefused(refusal: ApprovalRefusal): DeskFault {
  return { code: 'APPROVAL_REFUSED', message: REFUSALS[refusal], details: { refusal } };
}

/** `made`: from what a done approval has stored. */
export async function ordered<Made>(
  approval: Approval,
  made: (stored: JsonObject) => Made | Promise<Made>,
): Promise<Result<Ordered<Made>, DeskFault>> {
  switch (approval.status) {
    case 'waiting':
      return ok({ outcome: 'waiting', approval });
    case 'approved':
      return ok({ outcome: 'accepted', approval });
    case 'done':
      return ok({ outcome: 'done', approvalId: approval.id, made: await made(approval.made ?? {}) });
    case 'failed': {
      const { code: failure = '', message = '' } = approval.failure ?? {};
      return err({ code: 'ORDER_FAILED', message, details: { failure } });
    }
    case 'refused':
    case 'expired':
    case 'withdrawn':
      return err(approvalRefused('over'));
    default:
      return approval.status satisfies never;
  }
}
