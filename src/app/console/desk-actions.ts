/** Entries of the audit log for what the desks do. */
import type { Actor, AuditedAction, AuditSubject } from '../../domain/audit/audit-entry.ts';
import type { JsonObject } from '../../domain/money/json.ts';
import { type AuditNeeds, recordAction } from '../audit/audited.ts';
import { snapshotOf } from '../audit/snapshots.ts';

/** An entry about what is done already, as it is now: for use cases with writers of their own. */
export async function recordDone(
  deps: AuditNeeds,
  actor: Actor,
  action: AuditedAction,
  before: JsonObject | null = null,
): Promise<void> {
  await recordAction(deps, actor, action, { before, after: await snapshotNow(deps, action) });
}

export async function snapshotNow(
  { unitOfWork }: Pick<AuditNeeds, 'unitOfWork'>,
  of: { readonly subject: AuditSubject; readonly subjectId: string | null },
): Promise<JsonObject | null> {
  const found = await unitOfWork.run((repositories) => snapshotOf(repositories, of));
  return found?.facts ?? null;
}
