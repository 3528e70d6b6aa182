/**
 * What requests with an `Idempotency-Key` were answered (decision 0004): stored in the transaction
 * of what they made, so that a repetition is told the same and makes nothing.
 */
import type { Scope } from '../queries.ts';

/** Told again byte for byte. */
export interface StoredAnswer {
  readonly status: number;
  /** JSON. */
  readonly body: string;
}

/** A request that makes what it asks for at most once, and how its caller is told of that. */
export interface Once<Made, Answer = StoredAnswer> {
  readonly key: string;
  /** Of what is asked for: the same key with another fingerprint is a mistake of the caller. */
  readonly fingerprint: string;
  /** May be asked more than once; what was asked last counts. */
  readonly answer: (made: Made) => Answer;
}

/** The first use of a key. */
export interface KeyUse {
  readonly scope: Scope;
  readonly key: string;
  readonly fingerprint: string;
  readonly answer: StoredAnswer;
  readonly at: Date;
}

/** Thrown when the key of a request stands: whoever used it was answered, and nothing of this request was written. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
}

/** A key counts per merchant and environment, for 24 hours by clock and chains alike (safety.md K7). */
export interface StoredAnswers {
  /** Null when the key is free at `at`. Throws StorageUnavailable when the database is away. */
  find(
    of: Scope,
    key: string,
    at: Date,
  ): Promise<{ readonly fingerprint: string; readonly answer: StoredAnswer } | null>;
}

/** The same within a transaction. */
export interface StoredAnswerRepository {
  /** Throws KeyTaken when the key stands. Waits for a transaction that is about to use it. */
  store(use: KeyUse): Promise<void>;
  /** Forgets at most `limit` whose 24 hours were over before then, and answers how many. */
  forget(expiredBefore: Date, limit: number): Promise<number>;
}
