/**
 * The responses to requests with an `Idempotency-Key` (decision 0004). Each is stored in the
 * transaction of its effect, so that a repeated request gets the same response and has no effect.
 */
import type { Scope } from './list-queries.ts';

/** Returned again byte for byte. */
export interface StoredAnswer {
  readonly status: number;
  /** JSON. */
  readonly body: string;
}

/** The idempotency key of a request, and the response to store with it. */
export interface Once<Made, Answer = StoredAnswer> {
  readonly key: string;
  /** Hash of the request: the same key with another fingerprint is the caller's mistake. */
  readonly fingerprint: string;
  /** May be called more than once; the last result counts. */
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

/** The request's key is used already; nothing was written. */
export class IdempotencyKeyTaken extends Error {
  override readonly name = 'IdempotencyKeyTaken';
}

/**
 * A key is valid per merchant and environment, for 24 hours by clock and chains alike (safety.md
 * K7).
 */
export interface StoredAnswers {
  /** Null if the key is unused at `at`. Throws StorageUnavailable when the database is away. */
  find(
    of: Scope,
    key: string,
    at: Date,
  ): Promise<{ readonly fingerprint: string; readonly answer: StoredAnswer } | null>;
}

/** Inside UnitOfWork.run only. */
export interface StoredAnswerRepository {
  /** Throws IdempotencyKeyTaken if the key is used. Waits for a transaction that is using it. */
  store(use: KeyUse): Promise<void>;
  /** Deletes up to `limit` whose 24 hours ended before then; returns how many. */
  forget(expiredBefore: Date, limit: number): Promise<number>;
}
