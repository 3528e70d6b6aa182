/**
 * `Idempotency-Key`: a repeated request gets the first answer and does nothing more (decision
 * 0004).
 */
import type { Application } from '../../../app/application.ts';
import type { Caller } from '../../../app/caller.ts';
import { type AppError, appError } from '../../../domain/errors.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import { KeyTaken, type Once, type StoredAnswer } from '../../../ports/invoices/stored-answers.ts';
import { type Answer, answerText } from './answer.ts';

const KEY = /^[ -~]{1,255}$/;
/**
 * Attempts while other requests use the key at the same moment. After each attempt one of them has
 * ended.
 */
const TURNS_MAX = 8;

/** The key of the request. Null without the header. */
export function idempotencyKey(headers: Headers): Result<string | null, AppError> {
  const key = headers.get('idempotency-key');
  return key === null || KEY.test(key)
    ? ok(key)
    : err(appError('INVALID_HEADER', 'Idempotency-Key must have 1 to 255 characters of printable ASCII.'));
}

/** A hash of the endpoint, the id in its path, and the bytes of the body. */
export function fingerprintOf(asked: { endpoint: string; id: string; body: Uint8Array }): string {
  const hash = new Bun.CryptoHasher('sha256');
  return hash.update(`${asked.endpoint}\n${asked.id}\n`).update(asked.body).digest('hex');
}

export interface KeyedRequest {
  readonly caller: Caller;
  readonly key: string;
  readonly fingerprint: string;
}

/** The answer to a request, which was carried out now or before. */
export interface Said {
  readonly answer: StoredAnswer;
  readonly replayed: boolean;
}

/**
 * Makes the answer of an endpoint that takes a key: `shown` presents what `make` made. With a key
 * the answer is stored in the same transaction. Without one `make` gets null.
 */
export type OnceFor = <Made>(
  shown: (made: Made) => Answer,
  make: (once: Once<Made> | null) => Promise<Result<Made, AppError>>,
) => Promise<Result<Answer, AppError>>;

/** For a request without a key. */
export const withoutKey: OnceFor = async (shown, make) => {
  const made = await make(null);
  return made.ok ? ok(shown(made.value)) : made;
};

export type CarryOutOnce = (
  request: KeyedRequest,
  carryOut: (once: OnceFor) => Promise<Result<Answer, AppError>>,
) => Promise<Result<Said, AppError>>;

/**
 * Carries a request out unless its key was answered before. A key that is new to this process is
 * not looked up first: if the database has it, the write is rolled back. Writes that were grouped
 * with it are then repeated, so a key that this process knows is looked up first. A request whose
 * key another request uses waits for that one and gets its answer. A request that would be refused
 * gets the stored answer, if there is one. A refusal is not stored.
 */
export function onceGate(application: Pick<Application, 'answered' | 'noteKey'>): CarryOutOnce {
  return async ({ caller, key, fingerprint }, carryOut) => {
    const before = async (): Promise<Result<Said, AppError> | null> => {
      const found = await application.answered(caller, key);
      if (found === null) return null;
      return found.fingerprint === fingerprint
        ? ok({ answer: found.answer, replayed: true })
        : err(mismatch());
    };
    const earlier = application.noteKey(caller, key) === 'known' ? await before() : null;
    if (earlier !== null) return earlier;
    for (let turn = 1; ; turn += 1) {
      const attempt = keeping(key, fingerprint);
      try {
        const result = await carryOut(attempt.once);
        return result.ok ? ok({ answer: attempt.stored(), replayed: false }) : ((await before()) ?? result);
      } catch (error) {
        if (!(error instanceof KeyTaken)) throw error;
        const meanwhile = await before();
        if (meanwhile !== null) return meanwhile;
        if (turn === TURNS_MAX) throw error;
      }
    }
  };
}

/** One attempt: `once` for its handler, and the answer that it stored. */
function keeping(key: string, fingerprint: string): { once: OnceFor; stored: () => StoredAnswer } {
  let last: { readonly answer: Answer; readonly text: StoredAnswer } | null = null;
  const kept = () => {
    if (last === null) throw new Error('what a request with an Idempotency-Key made was not stored');
    return last;
  };
  return {
    once: async (shown, make) => {
      const answer: Once<Parameters<typeof shown>[0]>['answer'] = (made) => {
        const said = shown(made);
        last = { answer: said, text: answerText(said) };
        return last.text;
      };
      const result = await make({ key, fingerprint, answer });
      return result.ok ? ok(kept().answer) : result;
    },
    stored: () => kept().text,
  };
}

function mismatch(): AppError {
  return appError(
    'IDEMPOTENCY_MISMATCH',
    'This Idempotency-Key was used for another request within the last 24 hours. Repeat that request unchanged, or use a new key.',
  );
}
