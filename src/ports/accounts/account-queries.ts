/** Reads of accounts: no locks and no writes. */
import type { MerchantRole, OperatorRole } from '../../domain/accounts/role.ts';
import type { Invitation, Membership, User } from '../../domain/accounts/user.ts';
import type { StoredUser } from './account-repositories.ts';
import type { Passkey } from './credentials.ts';
import type { RoleDirectory } from './role-directory.ts';
import type { StoredSession } from './sign-in-repositories.ts';

/** A user with what a sign-in needs. */
export interface UserCredentials {
  readonly user: StoredUser;
  readonly hasSecondFactor: boolean;
}

export interface UserSession {
  readonly session: StoredSession;
  readonly user: User;
  readonly hasSecondFactor: boolean;
}

export type NamedMembership = Membership & { readonly merchantName: string };

export type Person = User & {
  readonly role: MerchantRole | OperatorRole;
  readonly refundLimitMicroUsd: bigint | null;
  readonly hasSecondFactor: boolean;
  readonly lastSeenAt: Date | null;
};

export interface SecurityFacts {
  readonly passkeys: readonly Passkey[];
  readonly recoveryCodesLeft: number;
  /** The newest first. */
  readonly sessions: readonly StoredSession[];
}

export interface AccountQueries extends RoleDirectory {
  credentialsOf(by: { readonly email: string } | { readonly id: string }): Promise<UserCredentials | null>;
  /** Whether the user has signed in from there before. */
  isKnownNetwork(userId: string, network: string): Promise<boolean>;
  /** The session of an active user. */
  userSession(tokenHash: string): Promise<UserSession | null>;
  /** By the merchants' names. */
  membershipsOf(userId: string): Promise<readonly NamedMembership[]>;
  securityOf(userId: string): Promise<SecurityFacts>;
  /** Whoever has a role there, by address; null: operators. */
  people(merchantId: string | null): Promise<readonly Person[]>;
  /** Open invitations there, the newest first; no resets. */
  openInvitations(merchantId: string | null, now: Date): Promise<readonly Invitation[]>;
  invitation(tokenHash: string): Promise<{
    readonly invitation: Invitation;
    readonly merchantName: string | null;
    /** An active user has the address. */
    readonly isKnown: boolean;
  } | null>;
}
