/** Users of the console, what they may do where, and their invitations. Pure. */
import type { MerchantRole, OperatorRole } from './role.ts';

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
  /** The most that one refund offered by this user may be worth; null: no limit. */
  readonly refundLimitMicroUsd: bigint | null;
}

/**
 * `invitation`: makes a user, or gives an existing one another role. `reset`: sets a new password
 * and removes the second factors.
 */
export const INVITATION_KINDS = ['invitation', 'reset'] as const;
export type InvitationKind = (typeof INVITATION_KINDS)[number];

/** What a link that an inviter passes on gives to whoever opens it, once. */
export interface Invitation {
  readonly id: string;
  readonly kind: InvitationKind;
  readonly email: string;
  /** Where the role is: a merchant, or null for operators. */
  readonly merchantId: string | null;
  /** Null for a reset. */
  readonly role: MerchantRole | OperatorRole | null;
  readonly refundLimitMicroUsd: bigint | null;
  /** Null: made by a script. */
  readonly invitedBy: string | null;
  readonly expiresAt: Date;
  readonly acceptedAt: Date | null;
  readonly createdAt: Date;
}

export const INVITATION_DAYS = 7;
export const PASSWORD_LENGTH_MIN = 12;
/** Argon2 takes any length; a longer one only costs time. */
export const PASSWORD_LENGTH_MAX = 256;
export const NAME_LENGTH_MAX = 100;
export const EMAIL_LENGTH_MAX = 254;

/** The address as it is stored and compared; null if it is none. */
export function normalizedEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  return email.length <= EMAIL_LENGTH_MAX && /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(email) ? email : null;
}
