/** Entries of the audit log about approvals. */
import type { Approval } from '../../../domain/accounts/approval.ts';
import type { Actor } from '../../../domain/audit/audit-entry.ts';
import type { JsonObject } from '../../../domain/money/json.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import type { AppDependencies } from '../../dependencies.ts';

export function appendEntry(
  deps: Pick<AppDependencies, 'clock' | 'ids'>,
  { audit }: Repositories,
  of: {
    readonly actor: Actor;
    readonly action: string;
    readonly approval: Approval;
    readonly before: JsonObject | null;
    readonly after: JsonObject;
    readonly note?: string | null;
  },
): Promise<void> {
  const { actor, action, approval, before, after, note = null } = of;
  return audit.append({
    ...{ id: deps.ids.id(), at: deps.clock.now(), actor, action, before, after, note },
    ...{ subject: 'approval', subjectId: approval.id, merchantId: approval.merchantId },
  });
}

/** Items of a batch that an entry lists: the approval has all of them. */
const ITEMS_LISTED = 20;

export function approvalFacts(approval: Approval): JsonObject {
  const { kind, status, order, amountMicroUsd, sandbox, requestedByName, decidedByName, note, failure } =
    approval;
  return {
    ...{ kind, status, ...(sandbox === null ? {} : { sandbox }) },
    amount_micro_usd: amountMicroUsd === null ? null : String(amountMicroUsd),
    ...{ order: shortened(order), requested_by: requestedByName, decided_by: decidedByName, note },
    ...(failure === null ? {} : { failure: failure.code }),
  };
}

function shortened({ items, ...order }: JsonObject): JsonObject {
  if (!Array.isArray(items)) return items === undefined ? order : { ...order, items };
  return { ...order, count: String(items.length), items: items.slice(0, ITEMS_LISTED) };
}
