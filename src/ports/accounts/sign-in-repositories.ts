/**
 * Sessions, second factors, and what is counted and awaited around them. Inside UnitOfWork.run
 * only. Tokens, codes and keys are given as keyed hashes.
 */
import type { CeremonyKind } from '../../domain/accounts/ceremony.ts';
import type { Session } from '../../domain/accounts/session.ts';
import type { Tally } from '../../domain/accounts/throttle.ts';
import type { Passkey } from './credentials.ts';

/** Its stage follows from the user (domain/accounts/session.ts, stageOf). */
export type StoredSession = Omit<Session, 'stage'>;

export interface SessionRepository {
  insert(session: StoredSession & { readonly tokenHash: string }): Promise<void>;
  /** Another token in place of the earlier one; false if the session has ended. */
  replaceToken(
    id: string,
    to: { readonly tokenHash: string; readonly secondFactorAt: Date | null },
  ): Promise<boolean>;
  seen(id: string, at: Date): Promise<void>;
  /** False if the user has no such session. */
  end(userId: string, id: string): Promise<boolean>;
  /** All of the user's, or all but one; returns how many. */
  endAll(userId: string, but: string | null): Promise<number>;
  /** The user has no second factor any more. */
  forgetSecondFactor(userId: string): Promise<void>;
  /** Removes up to `limit` that began or were seen before then; returns how many. */
  purge(before: { readonly createdAt: Date; readonly lastSeenAt: Date }, limit: number): Promise<number>;
}

export interface PasskeyRepository {
  /** False if the credential is known already. */
  insert(passkey: Passkey): Promise<boolean>;
  lock(credentialId: string): Promise<Passkey | null>;
  /** In the order of their making. */
  of(userId: string): Promise<readonly Passkey[]>;
  used(credentialId: string, use: { readonly signCount: number; readonly at: Date }): Promise<void>;
  /** Null removes all. Returns how many. */
  remove(userId: string, credentialId: string | null): Promise<number>;
}

export interface RecoveryCodeRepository {
  /** In place of all earlier ones. */
  replace(userId: string, codeHashes: readonly string[]): Promise<void>;
  /** False if it is unknown, or used. */
  use(userId: string, codeHash: string, at: Date): Promise<boolean>;
}

export interface SignInAttemptRepository {
  /** Locks what is counted at each key; what is not there begins with nothing, at `now`. */
  lock(keys: readonly string[], now: Date): Promise<ReadonlyMap<string, Tally>>;
  save(key: string, tally: Tally): Promise<void>;
  /** One try less: it turned out to be right. */
  takeBack(keys: readonly string[]): Promise<void>;
  /** Nothing is counted there any more. */
  forget(keys: readonly string[]): Promise<void>;
  noteNetwork(userId: string, network: string, at: Date): Promise<void>;
  /** Removes up to `limit` of each that were last used before then; returns the most of a kind. */
  purge(before: { readonly attempts: Date; readonly networks: Date }, limit: number): Promise<number>;
}

export interface StoredCeremony {
  readonly key: string;
  readonly kind: CeremonyKind;
  /** Null for a sign-in. */
  readonly sessionId: string | null;
  /** Null for a sign-in, of which only the use is noted. */
  readonly sealed: string | null;
  readonly expiresAt: Date;
}

export interface CeremonyRepository {
  /** In place of an earlier one with the key. */
  put(ceremony: StoredCeremony): Promise<void>;
  /** False if there is one with the key. */
  insertIfAbsent(ceremony: StoredCeremony): Promise<boolean>;
  find(key: string): Promise<StoredCeremony | null>;
  /** Removes it: nothing is answered twice. */
  take(key: string): Promise<StoredCeremony | null>;
  purge(now: Date, limit: number): Promise<number>;
}
