/**
 * Who may open a page of the console. One function decides for every route, so that no route can
 * forget a check (tests/adapters/http/console/role-matrix.test.ts).
 */
import type { SignedIn } from '../../../../app/accounts/accounts.ts';
import {
  isGranted,
  type MerchantPermission,
  needsSecondFactor,
  type OperatorPermission,
  type Permission,
  type Role,
} from '../../../../domain/accounts/role.ts';
import { isFresh } from '../../../../domain/accounts/session.ts';

/**
 * `open`: anybody. `second_factor`: a sign-in that lacks its second factor, or a complete session
 * that gives it once more. `account`: everybody who is signed in, also one who still has to set up
 * a second factor.
 */
export type Access =
  | { readonly of: 'open' }
  | { readonly of: 'second_factor' }
  | { readonly of: 'account' }
  | { readonly of: 'merchant'; readonly permission: MerchantPermission }
  | { readonly of: 'operator'; readonly permission: OperatorPermission };

/**
 * `hidden`: as if there were no such page: another merchant's, or not for this role. `sign_in`,
 * `second_factor`, `enrol`: what has to be done first. `confirm`: the second factor once more.
 */
export type Admission =
  | { readonly admitted: true; readonly role: Role | null }
  | {
      readonly admitted: false;
      readonly why: 'hidden' | 'sign_in' | 'second_factor' | 'enrol' | 'confirm';
    };

const ADMITTED: Admission = { admitted: true, role: null };
const HIDDEN = refuse('hidden');

/** `changes`: the request changes something. `merchantId`: the merchant that the path names. */
export function admission(
  access: Access,
  signedIn: SignedIn | null,
  { changes, merchantId, now }: { changes: boolean; merchantId: string | null; now: Date },
): Admission {
  if (access.of === 'open') return ADMITTED;
  if (signedIn === null) return refuse('sign_in');
  const { stage } = signedIn.session;
  if (access.of === 'second_factor') return stage === 'enrolling' ? refuse('enrol') : ADMITTED;
  if (stage === 'password') return refuse('second_factor');
  if (access.of === 'account') return ADMITTED;
  if (stage === 'enrolling') return refuse('enrol');
  const role = access.of === 'operator' ? signedIn.user.operatorRole : roleAt(signedIn, merchantId);
  if (role === null || !isGranted(role, access.permission)) return HIDDEN;
  return factors(signedIn, access.permission, { changes, now }) ?? { admitted: true, role };
}

/** What the second factor still lacks for the permission; null: nothing. */
function factors(
  { session, hasSecondFactor }: SignedIn,
  permission: Permission,
  { changes, now }: { changes: boolean; now: Date },
): Admission | null {
  if (!needsSecondFactor(permission)) return null;
  if (!hasSecondFactor) return refuse('enrol');
  if (session.secondFactorAt === null) return refuse('confirm');
  return changes && !isFresh(session, now) ? refuse('confirm') : null;
}

export function roleAt({ memberships }: SignedIn, merchantId: string | null): Role | null {
  return memberships.find((one) => one.merchantId === merchantId)?.role ?? null;
}

function refuse(why: Extract<Admission, { admitted: false }>['why']): Admission {
  return { admitted: false, why };
}
