/** First uses of Idempotency-Keys in memory. */
import type { Scope } from '../../../src/ports/list-queries.ts';
import {
  IdempotencyKeyTaken,
  type KeyUse,
  type StoredAnswerRepository,
  type StoredAnswers,
} from '../../../src/ports/stored-answers.ts';
import type { MemoryStore } from './store/memory-store.ts';
import { purgeExpired } from './store/purge.ts';

const KEPT_MS = 86_400_000;

export function storedAnswerRepository(store: MemoryStore): StoredAnswerRepository {
  const { storedAnswers: answers } = store.tables;
  return {
    async store(use) {
      storeAnswer(store, use);
    },

    forget: async (expiredBefore, limit) => purgeExpired(answers, expiredBefore, limit),
  };
}

export function storedAnswers(store: MemoryStore): StoredAnswers {
  return {
    async find({ merchantId, sandbox }, key, at) {
      const row = store.tables.storedAnswers.find(merchantId, sandbox, key);
      if (row === undefined || row.expiresAt <= passedBy(store, { sandbox }, at)) return null;
      return { fingerprint: row.fingerprint, answer: { status: row.status, body: row.body } };
    },
  };
}

/** Within a transaction or `write`; throws IdempotencyKeyTaken if the key is used. */
function storeAnswer(store: MemoryStore, { scope, key, fingerprint, answer, at }: KeyUse): void {
  const { merchantId, sandbox } = scope;
  const { status, body } = answer;
  const row = { fingerprint, status, body, expiresAt: expiry(store, scope, at) };
  const there = store.tables.storedAnswers.find(merchantId, sandbox, key);
  if (there === undefined) store.tables.storedAnswers.insert({ merchantId, sandbox, key, ...row });
  else if (there.expiresAt <= passedBy(store, scope, at)) store.tables.storedAnswers.update(there, row);
  else throw new IdempotencyKeyTaken('the key was used');
}

/** When a key that was first used then may be used again. */
function expiry(store: MemoryStore, { sandbox }: Pick<Scope, 'sandbox'>, at: Date): Date {
  const chainTime = sandbox ? null : timeByChains(store);
  return new Date(Math.max(at.getTime(), chainTime ?? -Infinity) + KEPT_MS);
}

/** The time that has passed by both clock and chains; in the sandbox by the clock only. */
function passedBy(store: MemoryStore, { sandbox }: Pick<Scope, 'sandbox'>, at: Date): Date {
  const chainTime = sandbox ? null : timeByChains(store);
  return new Date(Math.min(at.getTime(), chainTime ?? Infinity));
}

/** Of the chain that was read furthest; null before any was read. */
function timeByChains({ tables }: MemoryStore): number | null {
  let latest: number | null = null;
  for (const { coveredUntil } of tables.chainCursors.all())
    latest = Math.max(latest ?? -Infinity, coveredUntil.getTime());
  return latest;
}
