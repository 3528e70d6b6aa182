/**
 * The use cases of accounts: signing in, second factors, sessions, invitations, users. Expected
 * failures are codes. Refusals of a sign-in reveal nothing about which addresses exist. Each change
 * writes its audit entry in its transaction.
 */
import type { MerchantRole, OperatorRole } from '../../domain/accounts/role.ts';
import type { Session } from '../../domain/accounts/session.ts';
import type { Invitation, Membership, User } from '../../domain/accounts/user.ts';
import type { Result } from '../../domain/result.ts';

/** Where a request comes from. */
export interface Origin {
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** Whose request it is. */
export interface SignedIn {
  readonly session: Session;
  readonly user: User;
  /** With the merchants' names, by name. Empty for an operator. */
  readonly memberships: readonly (Membership & { readonly merchantName: string })[];
  /** Whether the user has set up any second factor. */
  readonly hasSecondFactor: boolean;
}

/** A session that begins, or changes its stage: its token is always new (session fixation). */
export interface StartedSession {
  /** Goes into the cookie and nowhere else; the database has a hash. 256 bits, base64url. */
  readonly token: string;
  readonly session: Session;
}

/**
 * `wrong`: e-mail or password, or a code, is wrong, or the user is disabled. `wait`: too many tries
 * for this address or from this network; the seconds are in `waitSeconds`.
 */
export type SignInRefusal =
  | { readonly code: 'wrong' }
  | { readonly code: 'wait'; readonly waitSeconds: number };

export type AccountFault =
  /** The link is unknown, used or over. */
  | 'link_over'
  | 'password_too_short'
  | 'password_too_long'
  /** Among the passwords that everybody tries, or the own e-mail address. */
  | 'password_common'
  | 'name_missing'
  | 'email_malformed'
  | 'email_taken'
  | 'wrong_password'
  | 'wrong_code'
  /** It is the only second factor of an operator, or there is none yet. */
  | 'second_factor_needed'
  /** The second factor has to be given once more first (confirmSecondFactor). */
  | 'confirm_needed'
  /** A first second factor is set up only shortly after the password was given. */
  | 'sign_in_again'
  /** Too many tries at the present password. */
  | 'try_later'
  /** Passkeys of a user, or open invitations. */
  | 'too_many'
  /** The last owner of a merchant, or the last active admin. */
  | 'last_of_its_kind'
  /** An operator cannot be a member, nor a member an operator. */
  | 'other_side'
  | 'not_found'
  | 'registration_closed';

export type SecondFactor =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'recovery'; readonly code: string }
  | { readonly kind: 'passkey'; readonly answer: string };

export interface NewInvitation {
  readonly email: string;
  /** Null: an operator. */
  readonly merchantId: string | null;
  readonly role: MerchantRole | OperatorRole;
  readonly refundLimitMicroUsd: bigint | null;
}

/** What the page of a user's own account shows. */
export interface OwnSecurity {
  readonly hasCodes: boolean;
  readonly passkeys: readonly { id: string; name: string; createdAt: Date; lastUsedAt: Date | null }[];
  readonly recoveryCodesLeft: number;
  /** The newest first; the present one is among them. */
  readonly sessions: readonly Session[];
}

export interface Accounts {
  signIn(
    given: { email: string; password: string },
    origin: Origin,
  ): Promise<Result<StartedSession, SignInRefusal>>;
  /** The options of a passkey sign-in without a password; `ceremony` names its stored challenge. */
  passkeyOptions(): Promise<{ readonly options: string; readonly ceremony: string }>;
  signInByPasskey(
    given: { ceremony: string; answer: string },
    origin: Origin,
  ): Promise<Result<StartedSession, SignInRefusal>>;
  /** The second factor of a sign-in, or once more before money moves. */
  confirmSecondFactor(by: SignedIn, factor: SecondFactor): Promise<Result<StartedSession, SignInRefusal>>;
  /** Whether a passkey can be this user's second factor. */
  hasPasskeys(by: SignedIn): Promise<boolean>;
  /** The options for a passkey of this user as second factor; null if there is none. */
  secondFactorOptions(by: SignedIn): Promise<string | null>;
  /**
   * The session of a cookie, seen now; null if it is unknown or over. Cached for two seconds.
   * `stream`: an open stream asks, and not its user: the session is not seen.
   */
  sessionOf(token: string, by?: 'request' | 'stream'): Promise<SignedIn | null>;
  signOut(by: SignedIn): Promise<void>;
  /** Ends one of the user's own sessions, or all others (null). */
  endSession(by: SignedIn, sessionId: string | null): Promise<Result<void, AccountFault>>;

  security(by: SignedIn): Promise<OwnSecurity>;
  /**
   * A secret that counts once a code of it was given. A session gets the same one within a quarter
   * of an hour.
   */
  beginCodes(by: SignedIn): Promise<{ readonly secret: string; readonly uri: string }>;
  /** With the recovery codes, which are shown only now, if the user had no second factor before. */
  enableCodes(
    by: SignedIn,
    code: string,
  ): Promise<Result<{ started: StartedSession; recoveryCodes: readonly string[] | null }, AccountFault>>;
  disableCodes(by: SignedIn): Promise<Result<void, AccountFault>>;
  beginPasskey(by: SignedIn): Promise<{ readonly options: string }>;
  addPasskey(
    by: SignedIn,
    given: { answer: string; name: string },
  ): Promise<Result<{ started: StartedSession; recoveryCodes: readonly string[] | null }, AccountFault>>;
  removePasskey(by: SignedIn, id: string): Promise<Result<void, AccountFault>>;
  newRecoveryCodes(by: SignedIn): Promise<Result<readonly string[], AccountFault>>;
  /** Ends all other sessions. */
  changePassword(
    by: SignedIn,
    given: { old: string; password: string },
  ): Promise<Result<StartedSession, AccountFault>>;

  /** Who has a role at the merchant, or as an operator (null), with open invitations. */
  people(merchantId: string | null): Promise<{
    readonly users: readonly (User & {
      role: MerchantRole | OperatorRole;
      refundLimitMicroUsd: bigint | null;
      hasSecondFactor: boolean;
      lastSeenAt: Date | null;
    })[];
    readonly invitations: readonly Invitation[];
  }>;
  /** The link goes to the invited person; it works once, for seven days. */
  invite(by: SignedIn, of: NewInvitation): Promise<Result<{ readonly url: string }, AccountFault>>;
  withdrawInvitation(
    by: SignedIn,
    of: { merchantId: string | null; invitationId: string },
  ): Promise<Result<void, AccountFault>>;
  /**
   * A link with which the user sets a new password, within a day. Only operators' admins make one.
   */
  resetLink(by: SignedIn, userId: string): Promise<Result<{ readonly url: string }, AccountFault>>;
  changeRole(
    by: SignedIn,
    of: {
      merchantId: string | null;
      userId: string;
      role: MerchantRole | OperatorRole;
      refundLimitMicroUsd: bigint | null;
    },
  ): Promise<Result<void, AccountFault>>;
  /** Removes the role at the merchant; an operator is disabled. Ends the user's sessions. */
  removePerson(
    by: SignedIn,
    of: { merchantId: string | null; userId: string },
  ): Promise<Result<void, AccountFault>>;
  /** Ends all sessions of somebody with a role there; returns how many. */
  endSessionsOf(
    by: SignedIn,
    of: { merchantId: string | null; userId: string },
  ): Promise<Result<number, AccountFault>>;

  /** What the page of a link shows; null if the link is unknown, used or over. */
  invitationOf(token: string): Promise<{
    readonly invitation: Invitation;
    readonly merchantName: string | null;
    /** The address has a user already, who signs in to accept. */
    readonly isKnown: boolean;
  } | null>;
  /** Makes the user, or for a reset sets the password. Signs in, up to the second factor. */
  acceptInvitation(
    given: { token: string; name: string; password: string },
    origin: Origin,
  ): Promise<Result<StartedSession, AccountFault>>;
  /** An existing user takes the role. */
  joinByInvitation(by: SignedIn, token: string): Promise<Result<void, AccountFault>>;
  /**
   * `REGISTRATION=open` only: mails a link that makes a merchant and its owner. The answer is the
   * same for an address that has a user.
   */
  register(
    given: { email: string; merchantName: string },
    origin: Origin,
  ): Promise<Result<void, AccountFault>>;
}
