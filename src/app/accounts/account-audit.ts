/** The audit entry of an account's use case, in its transaction. */
import type { Actor, AuditedAction } from '../../domain/audit/audit-entry.ts';
import type { JsonObject } from '../../domain/money/json.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { SignedIn } from './accounts.ts';
import type { AccountsDependencies } from './dependencies.ts';

export interface AccountAction extends Pick<AuditedAction, 'action' | 'subject' | 'subjectId'> {
  readonly merchantId?: string | null;
  readonly before?: JsonObject;
  readonly after?: JsonObject;
}

export function actorOf({ user, session }: Pick<SignedIn, 'user' | 'session'>): Actor {
  return { kind: 'user', userId: user.id, name: user.email, ip: session.ip };
}

export async function note(
  { ids, clock }: Pick<AccountsDependencies, 'ids' | 'clock'>,
  { audit }: Pick<Repositories, 'audit'>,
  actor: Actor,
  { action, subject, subjectId, merchantId = null, before, after }: AccountAction,
): Promise<void> {
  await audit.append({
    ...{ id: ids.id(), at: clock.now(), actor, action, subject, subjectId, merchantId, note: null },
    ...{ before: before ?? null, after: after ?? null },
  });
}
