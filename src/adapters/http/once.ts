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

/** What a handler gives to its use case: the answer for what is made, which is stored with it. */
export type OnceFor = <Made>(answer: (made: Made) => Answer) => Once<Made> | null;

/** Of a request without a key. */
export const noKey: OnceFor = () => null;

/**
 * Carries a request out unless it was before. One that another request with its key is ahead of waits for that, and is told
 * the same; one that is refused while the same was made meanwhile is told that, too. A refusal is not kept.
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
    const earlier = await before();
    if (earlier !== null) return earlier;
    let stored: StoredAnswer | null = null;
    const once: OnceFor = (answer) => ({
      ...{ key, fingerprint },
      answer: (made) => {
        stored = answerText(answer(made));
        return stored;
      },
    });
    try {
      const result = await carryOut(once);
      if (!result.ok) return (await before()) ?? result;
      if (stored === null) throw new Error('a request with an Idempotency-Key was answered and not stored');
      return ok({ answer: stored, replayed: false });
    } catch (error) {
      if (!(error instanceof KeyTaken) || turn === TURNS_MAX) throw error;
    }
  }
}

function mismatch(): AppError {
  return appError(
    'IDEMPOTENCY_MISMATCH',
    'This Idempotency-Key was used for another request within the last 24 hours. Repeat that one unchanged, or take a fresh key.',
  );
}
