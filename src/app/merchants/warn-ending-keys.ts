/**
 * Warns of old API keys that end soon while the new one was never used: calls with the old one
 * would then fail.
 */
import type { EndingKey } from '../../ports/merchants/merchant-repository.ts';
import type { AppDependencies } from '../dependencies.ts';

const SOON_MS = 2 * 3_600_000;

/** Each call checks once; each key is reported once. */
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
