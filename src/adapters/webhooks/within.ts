/** Time limits of an attempt. */
import { AttemptFailure } from './failure.ts';

/**
 * The value of `work`, or AttemptFailure(`late`) after `ms` milliseconds or at the end of the whole
 * attempt. The work itself is not stopped: the caller destroys its sockets.
 */
export async function within<T>(
  work: Promise<T>,
  limit: { ms: number; late: string; attempt: AbortSignal },
): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new AttemptFailure(limit.late));
  const timer = setTimeout(giveUp, limit.ms);
  limit.attempt.addEventListener('abort', giveUp);
  if (limit.attempt.aborted) giveUp();
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
    limit.attempt.removeEventListener('abort', giveUp);
  }
}
