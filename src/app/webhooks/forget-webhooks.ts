/** Removes attempts, events and deliveries of webhooks that were kept for so many days. */
import type { WebhookRetention } from '../../ports/webhooks/webhook-retention.ts';
import { timesOver } from '../chains/times-over.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Each step returns how many it removed, at most `limit`. Attempts hold their deliveries. */
export function forgetWebhooks(
  deps: Pick<AppDependencies, 'unitOfWork' | 'clock'>,
  days: number,
): readonly ((limit: number) => Promise<number>)[] {
  const step = (remove: keyof WebhookRetention) => (limit: number) =>
    deps.unitOfWork.run(async (repositories) => {
      const over = await timesOver(repositories, deps, days);
      return over === null ? 0 : repositories.webhookRetention[remove](over, limit);
    });
  return [step('removeAttempts'), step('removeEvents'), step('removeReplays')];
}
