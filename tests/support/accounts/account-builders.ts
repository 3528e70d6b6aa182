/** Valid records of accounts, for tests to change what they are about. */
import type { StoredInvitation, StoredUser } from '../../../src/ports/accounts/account-repositories.ts';
import type { Passkey } from '../../../src/ports/accounts/credentials.ts';
import type { StoredCeremony, StoredSession } from '../../../src/ports/accounts/sign-in-repositories.ts';
import { anId, NOW, secondsAfter } from '../builders.ts';

/** A keyed hash, or what looks like one. */
export function aTokenHash(): string {
  return anId().padStart(64, '0');
}

export function aUser(given: Partial<StoredUser> = {}): StoredUser {
  const id = anId();
  return {
    ...{ id, email: `user-${id}@shop.example`, name: 'Ann', status: 'active', operatorRole: null },
    ...{ passwordHash: '$argon2id$hash', codesSealed: null, sponsors: [], createdAt: NOW },
    ...given,
  };
}

export function aSession(
  given: Partial<StoredSession> & { readonly userId: string },
): StoredSession & { readonly tokenHash: string } {
  return {
    ...{ id: anId(), tokenHash: aTokenHash(), secondFactorAt: null, ip: '203.0.113.7', userAgent: 'Firefox' },
    ...{ createdAt: NOW, lastSeenAt: NOW },
    ...given,
  };
}

/** To become an operator. */
export function anInvitation(given: Partial<StoredInvitation> = {}): StoredInvitation {
  const id = anId();
  return {
    ...{ id, tokenHash: aTokenHash(), kind: 'invitation', email: `invited-${id}@shop.example` },
    ...{ merchantId: null, merchantName: null, role: 'viewer', refundLimitMicroUsd: null, invitedBy: null },
    ...{ expiresAt: secondsAfter(86_400), acceptedAt: null, createdAt: NOW },
    ...given,
  };
}

export function aPasskey(given: Partial<Passkey> & { readonly userId: string }): Passkey {
  return {
    ...{ credentialId: `credential-${anId()}`, publicKey: new Uint8Array([1, 2, 0, 255]), signCount: 0 },
    ...{ transports: ['internal', 'usb'], name: 'Laptop', createdAt: NOW, lastUsedAt: null },
    ...given,
  };
}

export function aCeremony(
  given: Partial<StoredCeremony> & { readonly sessionId: string | null },
): StoredCeremony {
  const ofNone = given.sessionId === null;
  return {
    ...{ key: aTokenHash(), kind: ofNone ? 'sign_in' : 'codes', sealed: ofNone ? null : 'v1.sealed' },
    expiresAt: secondsAfter(300),
    ...given,
  };
}
