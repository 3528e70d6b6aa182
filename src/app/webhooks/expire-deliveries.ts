/**
 * Ends what a silent receiver would keep in the queue for ever: deliveries that its open circuit
 * has held back for a day beyond their time are given up, and circuits of receivers that nothing is
 * sent to any more are forgotten.
 */
import { HELD_BACK_SECONDS_MAX } from '../../domain/webhooks/receiver-circuit.ts';
import type { AppDependencies } from '../dependencies.ts';

/** Gives up at most `limit` deliveries and answers how many they were. */
export function giveUpWebhooks(
  deps: Pick<AppDependencies, 'clock' | 'logger' | 'webhookQueue' | 'receiverCircuits'>,
): (limit: number) => Promise<number> {
  return async (limit) => {
    const now = deps.clock.now();
    const before = new Date(now.getTime() - HELD_BACK_SECONDS_MAX * 1_000);
    const deliveries = await deps.webhookQueue.giveUpHeldBack({ before, now, limit });
    if (deliveries > 0) deps.logger.warn('webhook.given_up', { deliveries });
    await deps.receiverCircuits.forget(before);
    return deliveries;
  };
}
