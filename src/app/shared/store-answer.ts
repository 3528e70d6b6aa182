/**
 * Stores what a request with an Idempotency-Key is answered, in the transaction of what it made.
 */

import type { Once } from '../../ports/invoices/stored-answers.ts';
import type { Scope } from '../../ports/queries.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';

/**
 * Does nothing without `once`. Throws KeyTaken when its key stands: the transaction must not go on
 * then.
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
