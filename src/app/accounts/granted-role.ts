/** What an accepted invitation gives, in the transaction that accepts it. */
import type { MerchantRole, OperatorRole } from '../../domain/accounts/role.ts';
import { sponsorsBy } from '../../domain/accounts/sponsors.ts';
import { type Invitation, leavesNobody } from '../../domain/accounts/user.ts';
import type { StoredUser } from '../../ports/accounts/account-repositories.ts';
import type { Repositories } from '../../ports/repositories.ts';
import { createMerchant } from '../merchants/manage-merchants.ts';
import { joined } from '../shared/joined.ts';
import { note } from './account-audit.ts';
import type { AccountFault } from './accounts.ts';
import type { AccountParts } from './dependencies.ts';

export function isOpen({ acceptedAt, expiresAt }: Invitation, now: Date): boolean {
  return acceptedAt === null && expiresAt > now;
}

/** Gives the user the role. Null: done; on a fault the transaction must be rolled back. */
export async function grantRole(
  deps: AccountParts,
  repositories: Repositories,
  user: StoredUser,
  invitation: Invitation,
): Promise<AccountFault | null> {
  const { kind, merchantId, role } = invitation;
  if (kind === 'invitation' && merchantId === null)
    return becomeOperator(repositories, user, { ...invitation, role: role as OperatorRole });
  if (user.operatorRole !== null) return 'other_side';
  if (kind === 'invitation') return becomeMember(repositories, user, invitation);
  const made = await createMerchant(joined(deps, repositories))({
    ...{ name: invitation.merchantName ?? '', callbackUrl: null, allowedSubnets: [] },
    ...{ commissionPpm: deps.commissionPpm, live: false },
  });
  const membership = { userId: user.id, merchantId: made.merchant.id, refundLimitMicroUsd: null };
  await repositories.memberships.put({ ...membership, role: 'owner', sponsors: [] });
  await note(
    deps,
    repositories,
    { kind: 'user', userId: user.id, name: user.email, ip: null },
    {
      ...{ action: 'merchant.registered', subject: 'merchant', subjectId: made.merchant.id },
      ...{ merchantId: made.merchant.id, after: { name: made.merchant.name, status: made.merchant.status } },
    },
  );
  return null;
}

async function becomeOperator(
  { users, memberships }: Repositories,
  user: StoredUser,
  { role, invitedBy }: Pick<Invitation, 'invitedBy'> & { readonly role: OperatorRole },
): Promise<AccountFault | null> {
  if ((await memberships.of(user.id)).length > 0) return 'other_side';
  const holders = await users.lockOperators();
  if (leavesNobody(holders, { userId: user.id, role })) return 'last_of_its_kind';
  await users.save({ ...user, operatorRole: role, sponsors: sponsorsBy(invitedBy, holders) });
  return null;
}

async function becomeMember(
  { memberships }: Repositories,
  user: StoredUser,
  { merchantId, role, refundLimitMicroUsd, invitedBy }: Invitation,
): Promise<AccountFault | null> {
  if (merchantId === null) return 'link_over';
  const holders = await memberships.lockOf(merchantId);
  if (leavesNobody(holders, { userId: user.id, role })) return 'last_of_its_kind';
  // Whoever is no member is an operator: a link ends with the role of its maker.
  const isMember = holders.some(({ userId }) => userId === invitedBy);
  const sponsors = isMember ? sponsorsBy(invitedBy, holders) : [];
  const membership = { userId: user.id, merchantId, role: role as MerchantRole };
  await memberships.put({ ...membership, refundLimitMicroUsd, sponsors });
  return null;
}
