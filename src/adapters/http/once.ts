/** `Idempotency-Key`: what a request asks for, under which key, and whether that was answered before (decisions.md, "Requests that are repeated"). */
import { createHash } from 'node:crypto';
import type { Application, Caller } from '../../app/application.ts';
import { type AppError, appError } from '../../domain/errors.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { KeyTaken, type Once, type StoredAnswer } from '../../ports/stored-answers.ts';
import { type Answer, answerText } from './answer.ts';

const KEY = /^[ -~]{1,255}$/;
/** A key that others use at the same moment: each time one of them was answered, or is out of the way. */
const TURNS_MAX = 8;

/** Null without the header. */
export function idempotencyKey(headers: Headers): Result<string | null, AppError> {
  const key = headers.get('idempotency-key');
  return key === null || KEY.test(key)
    ? ok(key)
    : err(appError('INVALID_HEADER', 'Idempotency-Key must have 1 to 255 characters of printable ASCII.'));
}

/** Of what is asked for: the endpoint, the id in its path, and the bytes of the body. */
export function fingerprintOf(asked: { endpoint: string; id: string; body: Uint8Array }): string {
  return createHash('sha256').update(`${asked.endpoint}\n${asked.id}\n`).update(asked.body).digest('hex');
}

export interface KeyedRequest {
  readonly caller: Caller;
  readonly key: string;
  readonly fingerprint: string;
}

/** What is said of a request: what was made, now or before. */
export interface Said {
  readonly answer: StoredAnswer;
  readonly replayed: boolean;
}

/**
 * How a handler of an endpoint that takes a key answers: `shown` what `make` made. With a key the answer is stored with what
 * is made; without one `make` gets null.
 */
export type OnceFor = <Made>(
  shown: (made: Made) => Answer,
  make: (once: Once<Made> | null) => Promise<Result<Made, AppError>>,
) => Promise<Result<Answer, AppError>>;

/** Of a request without a key. */
export const withoutKey: OnceFor = async (shown, make) => {
  const made = await make(null);
  return made.ok ? ok(shown(made.value)) : made;
};

/**
 * Carries a request out unless it was before. Nothing is looked up first, since most keys are new: one that stands undoes what
 * would have been made. A request that another one with its key is ahead of waits for that, and is told the same; so is one
 * that is refused although the same was made before or meanwhile. A refusal is not kept.
 */
export async function carryOutOnce(
  application: Pick<Application, 'answered'>,
  { caller, key, fingerprint }: KeyedRequest,
  carryOut: (once: OnceFor) => Promise<Result<Answer, AppError>>,
): Promise<Result<Said, AppError>> {
  const before = async (): Promise<Result<Said, AppError> | null> => {
    const found = await application.answered(caller, key);
    if (found === null) return null;
    return found.fingerprint === fingerprint ? ok({ answer: found.answer, replayed: true }) : err(mismatch());
  };
  for (let turn = 1; ; turn += 1) {
    const made: { answer?: Answer; stored?: StoredAnswer } = {};
    const once: OnceFor = async (shown, make) => {
      const result = await make({
        ...{ key, fingerprint },
        answer(what) {
          made.answer = shown(what);
          made.stored = answerText(made.answer);
          return made.stored;
        },
      });
      if (!result.ok) return result;
      if (made.answer === undefined) throw new Error('what a request made was not stored under its key');
      return ok(made.answer);
    };
    try {
      const result = await carryOut(once);
      if (result.ok && made.stored !== undefined) return ok({ answer: made.stored, replayed: false });
      if (!result.ok) return (await before()) ?? result;
      throw new Error('an endpoint that takes an Idempotency-Key did not use it');
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error;
      const earlier = await before();
      if (earlier !== null) return earlier;
      if (turn === TURNS_MAX) throw error;
    }
  }
}

function mismatch(): AppError {
  return appError(
    'IDEMPOTENCY_MISMATCH',
    'This Idempotency-Key was used for another request within the last 24 hours. Repeat that one unchanged, or take a fresh key.',
  );
}
