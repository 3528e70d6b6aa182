/** Users, their roles and invitations. Inside UnitOfWork.run only. */
import type { Sponsors } from '../../domain/accounts/sponsors.ts';
import type { Invitation, InvitationKind, Membership, RoleHolder, User } from '../../domain/accounts/user.ts';

export interface StoredUser extends User {
  readonly passwordHash: string;
  /** The secret of one-time codes, sealed; null: none are set up. */
  readonly codesSealed: string | null;
  /** Of an operator: who let them in. */
  readonly sponsors: Sponsors;
}

export interface StoredMembership extends Membership {
  /** Who let them in there. */
  readonly sponsors: Sponsors;
}

export interface UserRepository {
  /** False if there is a user with the address. */
  insert(user: StoredUser): Promise<boolean>;
  lock(id: string): Promise<StoredUser | null>;
  lockByEmail(email: string): Promise<StoredUser | null>;
  /** Everything but the address, and the time of the beginning. */
  save(user: StoredUser): Promise<void>;
  /** Takes a time step of one-time codes; false if it, or a later one, was taken before. */
  useStep(id: string, step: number): Promise<boolean>;
  /** All operators, also disabled ones, in the order of their ids. */
  lockOperators(): Promise<readonly RoleHolder[]>;
}

export interface MembershipRepository {
  /** All members of the merchant, in the order of their ids. */
  lockOf(merchantId: string): Promise<readonly RoleHolder[]>;
  of(userId: string): Promise<readonly StoredMembership[]>;
  /** Gives the role, in place of an earlier one at the merchant. Rejects for an operator. */
  put(membership: StoredMembership): Promise<void>;
  /** False if there was none. */
  remove(userId: string, merchantId: string): Promise<boolean>;
}

export interface StoredInvitation extends Invitation {
  /** Keyed hash of the link's token. */
  readonly tokenHash: string;
}

export interface InvitationRepository {
  insert(invitation: StoredInvitation): Promise<void>;
  lock(tokenHash: string): Promise<Invitation | null>;
  accept(id: string, at: Date): Promise<void>;
  /** Open ones at the merchant, or for operators (null). */
  countOpen(merchantId: string | null, now: Date): Promise<number>;
  /** Removes an open one; null if there is none. */
  withdraw(id: string, merchantId: string | null): Promise<Invitation | null>;
  /** Removes open ones of the same kind, address and place, for a newer one. */
  withdrawLike(of: {
    readonly kind: InvitationKind;
    readonly email: string;
    readonly merchantId: string | null;
  }): Promise<void>;
  /** Removes the open ones that a user made, at one merchant or everywhere (null). */
  withdrawBy(userId: string, merchantId: string | null): Promise<void>;
  /** Removes up to `limit` that expired before `now`; returns how many. */
  purge(now: Date, limit: number): Promise<number>;
}
