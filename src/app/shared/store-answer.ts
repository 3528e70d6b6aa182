/** Stores the response to a request with an Idempotency-Key, in the transaction of its effect. */

import type { Scope } from '../../ports/list-queries.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Once } from '../../ports/stored-answers.ts';
import type { AppDependencies } from '../dependencies.ts';

/**
 * Does nothing without `once`. Throws IdempotencyKeyTaken if its key is used: the
 * transaction must then end.
 */
export async function storeAnswer<Made>(
  { clock }: Pick<AppDependencies, 'clock'>,
  { answers }: Pick<Repositories, 'answers'>,
  scope: Scope,
  once: Once<Made> | null,
  made: Made,
): Promise<void> {
  if (once === null) return;
  const { key, fingerprint } = once;
  await answers.store({ scope, key, fingerprint, answer: once.answer(made), at: clock.now() });
}
