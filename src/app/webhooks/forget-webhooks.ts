/** Removes attempts, events and deliveries of webhooks that were kept for so many days. */
import type { WebhookRetention } from '../../ports/webhooks/webhook-retention.ts';
import { keptSince } from '../chains/kept-since.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Each step returns how many it removed, at most `limit`. Attempts hold their deliveries. */
export function forgetWebhooks(
  deps: Pick<AppDependencies, 'unitOfWork' | 'clock'>,
  days: number,
): readonly ((limit: number) => Promise<number>)[] {
  const step = (remove: keyof WebhookRetention) => (limit: number) =>
    deps.unitOfWork.run(async (repositories) =>
      repositories.webhookRetention[remove](await keptSince(repositories, deps, days), limit),
    );
  return [step('removeAttempts'), step('removeEvents'), step('removeReplays')];
}
