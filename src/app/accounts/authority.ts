/**
 * Who manages users where. The console's gate asks the same of every page; here nothing depends on
 * it. What somebody may not see does not exist.
 */
import { isGranted } from '../../domain/accounts/role.ts';
import type { Membership, User } from '../../domain/accounts/user.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AccountFault, SignedIn } from './accounts.ts';

interface Manager extends Pick<SignedIn, 'session'> {
  readonly user: Pick<User, 'operatorRole'>;
  readonly memberships: readonly Membership[];
}

/** Null: `by` manages the users of the merchant, or the operators (null). */
function managingFault(
  { user, session, memberships }: Manager,
  merchantId: string | null,
): AccountFault | null {
  if (session.stage !== 'complete' || session.secondFactorAt === null) return 'confirm_needed';
  const { operatorRole } = user;
  if (operatorRole !== null) {
    const permission = merchantId === null ? 'operators.manage' : 'merchants.manage';
    return isGranted(operatorRole, permission) ? null : 'not_found';
  }
  const membership = memberships.find((one) => one.merchantId === merchantId);
  return membership !== undefined && isGranted(membership.role, 'users.manage') ? null : 'not_found';
}

/** Asked once more in the transaction. A script has the machine: nobody asks it. */
export type StillMay = (repositories: Repositories) => Promise<AccountFault | null>;
export const ANYBODY: StillMay = async () => null;

/**
 * The same of the user as he is now. What a session is known as may be two seconds old, and a link
 * that is made in that time would outlive the role. The users are locked in the order of their ids,
 * before memberships: whoever removes a person waits for what the person does, and the reverse.
 */
export function stillManages(
  by: SignedIn,
  { merchantId, userId }: { readonly merchantId: string | null; readonly userId: string | null },
): StillMay {
  return async ({ users, memberships }) => {
    if (merchantId === null) await users.lockOperators();
    const ids = new Set([by.user.id, ...(userId === null ? [] : [userId])]);
    const locked = new Map<string, User | null>();
    for (const id of [...ids].sort()) locked.set(id, await users.lock(id));
    const user = locked.get(by.user.id) ?? null;
    if (user?.status !== 'active') return 'not_found';
    return managingFault({ ...by, user, memberships: await memberships.of(user.id) }, merchantId);
  };
}
