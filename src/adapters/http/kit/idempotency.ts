/** `Idempotency-Key`: what a request asks for, under which key, and whether that was answered before (decision 0004). */
import type { Application } from '../../../app/application.ts';
import type { Caller } from '../../../app/caller.ts';
import { type AppError, appError } from '../../../domain/errors.ts';
import { err, ok, type Result } from '../../../domain/result.ts';
import { KeyTaken, type Once, type StoredAnswer } from '../../../ports/invoices/stored-answers.ts';
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
  const hash = new Bun.CryptoHasher('sha256');
  return hash.update(`${asked.endpoint}\n${asked.id}\n`).update(asked.body).digest('hex');
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

export type CarryOutOnce = (
  request: KeyedRequest,
  carryOut: (once: OnceFor) => Promise<Result<Answer, AppError>>,
) => Promise<Result<Said, AppError>>;

/**
 * Carries a request out unless it was before. A key that is new here is not looked up first: one that stands all the same undoes
 * what would have been made, and what is written with it is written again, so that a known one must not come that far. A request
 * that another one with its key is ahead of waits for that, and is told the same; so is one that is refused although the same was
 * made before or meanwhile. A refusal is not kept.
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

/** One attempt: what its handler answers by, and what was stored of that. */
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
    'This Idempotency-Key was used for another request within the last 24 hours. Repeat that one unchanged, or take a fresh key.',
  );
}
