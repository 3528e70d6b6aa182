/** Says of whom an old API key ends soon who has not called with the new one: those calls would be refused then. */
import type { EndingKey } from '../../ports/merchants/merchant-repository.ts';
import type { AppDependencies } from '../dependencies.ts';

const SOON_MS = 2 * 3_600_000;

/** Each call looks once; it tells of each key once. */
export function tellEndingKeys({
  clock,
  logger,
  unitOfWork,
}: Pick<AppDependencies, 'clock' | 'logger' | 'unitOfWork'>): () => Promise<void> {
  const nameOf = ({ merchantId, environment, until }: EndingKey) =>
    [merchantId, environment, until.toISOString()].join();
  let told: ReadonlySet<string> = new Set();

  return async () => {
    const now = clock.now();
    const soon = new Date(now.getTime() + SOON_MS);
    const ending = await unitOfWork.run(({ merchants }) => merchants.keysEndingUnfollowed(now, soon));
    for (const key of ending) if (!told.has(nameOf(key))) logger.warn('merchant.old_key_ends', { ...key });
    told = new Set(ending.map(nameOf));
  };
}
