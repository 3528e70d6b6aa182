/** API keys and webhook secrets of a merchant: what there is, and replacing one by a form. */
import type { Environment } from '../../domain/environment.ts';
import { type AppError, appError } from '../../domain/errors.ts';
import { err, type Result } from '../../domain/result.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import { joined } from '../shared/joined.ts';
import { runResult } from '../shared/transaction-result.ts';
import type { KeyStanding } from './merchant-desk.ts';

type Needs = Pick<AppDependencies, 'clock'>;
type Rotate<Made> = (
  id: string,
  environment: Environment,
  overlapSeconds: number,
) => Promise<Result<Made, AppError>>;

export async function keyStanding(
  { clock }: Needs,
  { merchants, webhookSecrets }: Repositories,
  merchantId: string,
  environment: Environment,
): Promise<KeyStanding> {
  const now = clock.now();
  const living = (until: Date | null = null): Date | null => (until !== null && until > now ? until : null);
  const times = await merchants.keyTimes(merchantId);
  const key = times.find((found) => found.environment === environment);
  const secret = await webhookSecrets.find(merchantId, environment);
  return {
    ...{ keySince: key?.createdAt ?? null, olderKeyUntil: living(key?.olderUntil) },
    ...{ secretSince: secret?.createdAt ?? null, olderSecretUntil: living(secret?.older?.until) },
  };
}

/**
 * Replaces one, unless that would end an older one that is to live on. A form that is sent twice
 * makes two, and the second would end the one that the shop still uses.
 */
export function replacing<Deps extends Pick<AppDependencies, 'clock' | 'unitOfWork'>, Made>(
  deps: Deps,
  older: 'olderKeyUntil' | 'olderSecretUntil',
  rotate: (on: Deps) => Rotate<Made>,
): Rotate<Made> {
  return (id, environment, overlapSeconds) =>
    runResult(deps.unitOfWork, async (repositories) => {
      // The second of two waits here for the first.
      await repositories.merchants.lock(id);
      const until = (await keyStanding(deps, repositories, id, environment))[older];
      return until === null || overlapSeconds === 0
        ? rotate(joined(deps, repositories))(id, environment, overlapSeconds)
        : err(appError('INVALID_TRANSITION', stillWorks(until)));
    });
}

const stillWorks = (until: Date): string =>
  `It was replaced lately, and the older one works until ${until.toISOString()}. Another replacement would end that one. End it first, or choose that no older one works.`;
