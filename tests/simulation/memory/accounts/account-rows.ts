/** The rows of accounts as the domain has them, and the CHECKs that the contracts ask for. */

import { CEREMONY_KINDS } from '../../../../src/domain/accounts/ceremony.ts';
import { MERCHANT_ROLES, OPERATOR_ROLES } from '../../../../src/domain/accounts/role.ts';
import {
  EMAIL_LENGTH_MAX,
  INVITATION_KINDS,
  type Invitation,
  MERCHANT_NAME_LENGTH_MAX,
  NAME_LENGTH_MAX,
  normalizedEmail,
  USER_STATUSES,
  type User,
} from '../../../../src/domain/accounts/user.ts';
import type {
  StoredInvitation,
  StoredMembership,
  StoredUser,
} from '../../../../src/ports/accounts/account-repositories.ts';
import type { Passkey } from '../../../../src/ports/accounts/credentials.ts';
import type { StoredCeremony, StoredSession } from '../../../../src/ports/accounts/sign-in-repositories.ts';
import { check } from '../store/checks.ts';
import type { MemoryStore } from '../store/memory-store.ts';

/** Without secrets. */
export function userOf({ id, email, name, status, operatorRole, createdAt }: User): User {
  return { id, email, name, status, operatorRole, createdAt };
}

export function storedUserOf(row: StoredUser): StoredUser {
  const { passwordHash, codesSealed, sponsors } = row;
  return { ...userOf(row), passwordHash, codesSealed, sponsors };
}

export function hasSecondFactor({ tables }: MemoryStore, user: StoredUser): boolean {
  return user.codesSealed !== null || tables.passkeys.by('userId', user.id).length > 0;
}

export function storedMembershipOf(row: StoredMembership): StoredMembership {
  const { userId, merchantId, role, refundLimitMicroUsd, sponsors } = row;
  return { userId, merchantId, role, refundLimitMicroUsd, sponsors };
}

export function sessionOf(row: StoredSession): StoredSession {
  const { id, userId, secondFactorAt, ip, userAgent, createdAt, lastSeenAt } = row;
  return { id, userId, secondFactorAt, ip, userAgent, createdAt, lastSeenAt };
}

export function invitationOf(row: StoredInvitation): Invitation {
  const { id, kind, email, merchantId, merchantName, role, refundLimitMicroUsd } = row;
  const { invitedBy, expiresAt, acceptedAt, createdAt } = row;
  return {
    ...{ id, kind, email, merchantId, merchantName, role, refundLimitMicroUsd },
    ...{ invitedBy, expiresAt, acceptedAt, createdAt },
  };
}

const isOneOf = (values: readonly string[], value: string): boolean => values.includes(value);
export const isId = (text: string): boolean => /^[0-9a-f]{24}$/.test(text);
export const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
/** As `char_length`: surrogate pairs are one character. */
const isLong = (text: string, most: number): boolean => text !== '' && Array.from(text).length <= most;
const isEmail = (text: string): boolean => text.length <= EMAIL_LENGTH_MAX && normalizedEmail(text) === text;

export function checkUser({ id, email, name, status, operatorRole, passwordHash }: StoredUser): void {
  check('users_id', isId(id));
  check('users_email_form', isEmail(email));
  check('users_name', isLong(name, NAME_LENGTH_MAX));
  check('users_status', isOneOf(USER_STATUSES, status));
  check('users_operator_role', operatorRole === null || isOneOf(OPERATOR_ROLES, operatorRole));
  check('users_password', passwordHash.startsWith('$argon2id$'));
}

export function checkInvitation(invitation: StoredInvitation): void {
  const { id, tokenHash, kind, email, merchantId, merchantName, role, refundLimitMicroUsd } = invitation;
  const roles = merchantId === null ? OPERATOR_ROLES : MERCHANT_ROLES;
  check('invitations_id', isId(id));
  check('invitations_token_hash', isHash(tokenHash));
  check('invitations_kind', isOneOf(INVITATION_KINDS, kind));
  check('invitations_email_form', isEmail(email));
  check(
    'invitations_role',
    kind === 'invitation' ? role !== null && isOneOf(roles, role) : role === null && merchantId === null,
  );
  check(
    'invitations_merchant_name',
    (merchantName !== null) === (kind === 'registration') &&
      (merchantName === null || isLong(merchantName, MERCHANT_NAME_LENGTH_MAX)),
  );
  check(
    'invitations_refund_limit',
    refundLimitMicroUsd === null || (refundLimitMicroUsd >= 0n && merchantId !== null),
  );
}

export function checkPasskey({ credentialId, publicKey, signCount, name }: Passkey): void {
  check('passkeys_credential_id', /^[A-Za-z0-9_-]{1,1366}$/.test(credentialId));
  check('passkeys_public_key', publicKey.length >= 1 && publicKey.length <= 4096);
  check('passkeys_sign_count', signCount >= 0);
  check('passkeys_name', isLong(name, NAME_LENGTH_MAX));
}

export function checkCeremony({ key, kind, sessionId, sealed }: StoredCeremony): void {
  const isSignIn = kind === 'sign_in';
  check('ceremonies_key', isHash(key));
  check('ceremonies_kind', isOneOf(CEREMONY_KINDS, kind));
  check('ceremonies_of', (sessionId === null) === isSignIn && (sealed === null) === isSignIn);
}
