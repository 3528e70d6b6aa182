/**
 * `Idempotency-Key`: a repeated request gets the first answer and does nothing more (decision
 * 0004).
 */
import type { Application } from '../../../app/application.ts';
import type { Caller } from '../../../app/caller.ts';
import { type AppError, appError } from '../../../domain/errors.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import { IdempotencyKeyTaken, type Once, type StoredAnswer } from '../../../ports/stored-answers.ts';
import { type Answer, answerText } from './answer.ts';

const KEY = /^[ -~]{1,255}$/;
/**
 * Attempts while other requests use the key at the same moment. After each attempt one of them has
 * ended.
 */
const TURNS_MAX = 8;
const NOT_STORED = 'the answer to a request with an Idempotency-Key was not stored';

/** The key of the request. Null without the header. */
export function idempotencyKey(headers: Headers): Result<string | null, AppError> {
  const key = headers.get('idempotency-key');
  return key === null || KEY.test(key)
    ? ok(key)
    : err(appError('INVALID_HEADER', 'Idempotency-Key must have 1 to 255 characters of printable ASCII.'));
}

/** A hash of the endpoint, the id in its path, and the bytes of the body. */
export function fingerprintOf(request: { endpoint: string; id: string; body: Uint8Array }): string {
  const hash = new Bun.CryptoHasher('sha256');
  return hash.update(`${request.endpoint}\n${request.id}\n`).update(request.body).digest('hex');
}

export interface KeyedRequest {
  readonly caller: Caller;
  readonly key: string;
  readonly fingerprint: string;
}

/** The answer to a request, which was carried out now or before. */
export interface AnswerOrReplay {
  readonly answer: StoredAnswer;
  readonly replayed: boolean;
}

/**
 * Makes the answer of an endpoint that takes a key: `shown` presents what `make` made. With a key
 * the answer is stored in the same transaction. Without one `make` gets null.
 */
export type RespondOnce = <Made>(
  shown: (made: Made) => Answer,
  make: (once: Once<Made> | null) => Promise<Result<Made, AppError>>,
) => Promise<Result<Answer, AppError>>;

/** For a request without a key. */
export const respondWithoutKey: RespondOnce = async (shown, make) => {
  const made = await make(null);
  return made.ok ? ok(shown(made.value)) : made;
};

export type CarryOutOnce = (
  request: KeyedRequest,
  carryOut: (respondOnce: RespondOnce) => Promise<Result<Answer, AppError>>,
) => Promise<Result<AnswerOrReplay, AppError>>;

/**
 * Carries a request out unless its key was answered before:
 *
 * 1. This process knows the key: the stored answer is looked up first. A write with a used key
 * would fail its whole group of writes, and the others would have to be repeated.
 * 2. The key is new to this process: it is not looked up first. If the database has it, the write
 * is rolled back, and the stored answer is returned.
 * 3. Another request uses the key at the same moment: this one waits for it and gets its answer. If
 * that one was refused, this one is carried out.
 *
 * A refusal is not stored. A request that would be refused gets the stored answer, if there is one.
 */
export function onceGate(application: Pick<Application, 'answered' | 'noteKey'>): CarryOutOnce {
  return async ({ caller, key, fingerprint }, carryOut) => {
    const replay = async (): Promise<Result<AnswerOrReplay, AppError> | null> => {
      const found = await application.answered(caller, key);
      if (found === null) return null;
      return found.fingerprint === fingerprint
        ? ok({ answer: found.answer, replayed: true })
        : err(mismatch());
    };
    const earlier = application.noteKey(caller, key) === 'known' ? await replay() : null;
    if (earlier !== null) return earlier;
    for (let turn = 1; ; turn += 1) {
      try {
        const result = await carryOut(respondAndStore(key, fingerprint));
        if (!result.ok) return (await replay()) ?? result;
        return ok({ answer: storedText(result.value), replayed: false });
      } catch (error) {
        if (!(error instanceof IdempotencyKeyTaken)) throw error;
        const meanwhile = await replay();
        if (meanwhile !== null) return meanwhile;
        if (turn === TURNS_MAX) throw error;
      }
    }
  };
}

/** For one attempt of a request with a key. Its answer has the text that was stored. */
function respondAndStore(key: string, fingerprint: string): RespondOnce {
  return async (shown, make) => {
    const answers: Answer[] = [];
    const result = await make({
      key,
      fingerprint,
      answer(made) {
        const answer = shown(made);
        const text = answerText(answer);
        answers.push({ ...answer, text });
        return text;
      },
    });
    if (!result.ok) return result;
    const last = answers.at(-1);
    if (last === undefined) throw new Error(NOT_STORED);
    return ok(last);
  };
}

function storedText({ text }: Answer): StoredAnswer {
  if (text === undefined) throw new Error(NOT_STORED);
  return text;
}

function mismatch(): AppError {
  return appError(
    'IDEMPOTENCY_MISMATCH',
    'This Idempotency-Key was used for another request within the last 24 hours. Repeat that request unchanged, or use a new key.',
  );
}
