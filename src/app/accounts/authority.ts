/**
 * Who manages users where. The console's gate asks the same of every page; here nothing depends on
 * it. What somebody may not see does not exist.
 */
import { isGranted } from '../../domain/accounts/role.ts';
import type { AccountFault, SignedIn } from './accounts.ts';

/** Null: `by` manages the users of the merchant, or the operators (null). */
export function managingFault(
  { user, session, memberships }: SignedIn,
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

/** Null: `by` may have any user's password set anew. */
export function resettingFault(by: SignedIn): AccountFault | null {
  return managingFault({ ...by, memberships: [] }, null);
}
