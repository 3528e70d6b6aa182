/** Users of the console, what they may do where, and their invitations. Pure. */
import type { MerchantRole, OperatorRole } from './role.ts';
import type { Sponsors } from './sponsors.ts';

export const USER_STATUSES = ['active', 'disabled'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

export interface User {
  readonly id: string;
  /** Lower case, trimmed; unique. */
  readonly email: string;
  readonly name: string;
  readonly status: UserStatus;
  /** Null: no operator. An operator has no memberships. */
  readonly operatorRole: OperatorRole | null;
  readonly createdAt: Date;
}

/** A user's role at a merchant. */
export interface Membership {
  readonly userId: string;
  readonly merchantId: string;
  readonly role: MerchantRole;
  /** The most that refunds offered by this user within a day may be worth; null: no limit. */
  readonly refundLimitMicroUsd: bigint | null;
}

/**
 * `invitation`: makes a user, or gives an existing one another role. `reset`: sets a new password
 * and removes the second factors. `registration`: makes a merchant, and its owner.
 */
export const INVITATION_KINDS = ['invitation', 'reset', 'registration'] as const;
export type InvitationKind = (typeof INVITATION_KINDS)[number];

/** What a link that an inviter passes on gives to whoever opens it, once. */
export interface Invitation {
  readonly id: string;
  readonly kind: InvitationKind;
  readonly email: string;
  /** Where the role is: a merchant, or null for operators. */
  readonly merchantId: string | null;
  /** The merchant that a registration makes; otherwise null. */
  readonly merchantName: string | null;
  /** Null for a reset and a registration. */
  readonly role: MerchantRole | OperatorRole | null;
  readonly refundLimitMicroUsd: bigint | null;
  /** Null: made by a script, or by whoever registers. */
  readonly invitedBy: string | null;
  readonly expiresAt: Date;
  readonly acceptedAt: Date | null;
  readonly createdAt: Date;
}

const HOUR_MS = 3_600_000;
/** How long a link works. A reset opens an account that has something to lose. */
export const LINK_MS: Readonly<Record<InvitationKind, number>> = {
  invitation: 7 * 24 * HOUR_MS,
  reset: 24 * HOUR_MS,
  registration: 24 * HOUR_MS,
};
/** Open ones of one merchant, or of the operators. */
export const INVITATIONS_MAX = 100;
export const PASSKEYS_MAX = 20;
export const PASSWORD_LENGTH_MIN = 12;
/** Argon2 takes any length; a longer one only costs time. */
export const PASSWORD_LENGTH_MAX = 256;
export const NAME_LENGTH_MAX = 100;
export const MERCHANT_NAME_LENGTH_MAX = 200;
export const EMAIL_LENGTH_MAX = 254;

/**
 * The address as it is stored and compared; null if it is none. Only ASCII: other letters have more
 * than one lower case, and look like each other.
 */
export function normalizedEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  const isOne = /^[!#-:=?[-~]+@[!#-:=?[-~]+\.[!#-:=?[-~]+$/.test(email);
  return isOne && email.length <= EMAIL_LENGTH_MAX ? email : null;
}

/** As it is stored; null if nothing is left of it, or it is too long. */
export function displayName(text: string, max = NAME_LENGTH_MAX): string | null {
  const name = text.trim().replaceAll(/\s+/g, ' ');
  return name === '' || name.length > max || /\p{Cc}/u.test(name) ? null : name;
}

/** Whoever has a role at one place. */
export interface RoleHolder {
  readonly userId: string;
  readonly role: MerchantRole | OperatorRole;
  readonly status: UserStatus;
  readonly sponsors: Sponsors;
}

/**
 * Whether nobody would be left who can manage the users of the place, if the user had that role
 * there (null: none). Disabled users manage nothing.
 */
export function leavesNobody(
  holders: readonly Omit<RoleHolder, 'sponsors'>[],
  change: { readonly userId: string; readonly role: MerchantRole | OperatorRole | null },
): boolean {
  const manages = ({ role, status }: Pick<RoleHolder, 'role' | 'status'>): boolean =>
    status === 'active' && (role === 'owner' || role === 'admin');
  const after = holders.flatMap((holder) => {
    if (holder.userId !== change.userId) return [holder];
    return change.role === null ? [] : [{ ...holder, role: change.role }];
  });
  return holders.some(manages) && !after.some(manages);
}
