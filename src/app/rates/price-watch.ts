/**
 * Logs when payments begin to wait for a fresh price, raises an alarm if that lasts, and logs its
 * end (safety.md P1).
 */
import { priceE18 } from '../../domain/rates/rate.ts';
import type { AppDependencies } from '../dependencies.ts';

const ALARM_AFTER_MS = 3_600_000;

type PriceWatchNeeds = Pick<AppDependencies, 'clock' | 'logger' | 'unitOfWork' | 'rateBook' | 'catalog'>;

/** Asset keys that live deposits may be credited in now. */
export function pricedAssets({
  catalog,
  rateBook,
}: Pick<PriceWatchNeeds, 'catalog' | 'rateBook'>): readonly string[] {
  const rates = rateBook.crediting({ sandbox: false });
  return catalog.all.filter((asset) => priceE18(rates, asset, 'USD') !== null).map(({ key }) => key);
}

/** Called at each run with what waits besides `priced`. The alarm repeats every hour. */
export function priceWatch({ clock, logger, unitOfWork, catalog }: PriceWatchNeeds) {
  const waiting = new Map<string, { alarmAtMs: number; alarmed: boolean }>();
  let isResumed = false;

  /** What an earlier process raised, and did not see the end of. */
  async function resume(): Promise<void> {
    const open = await unitOfWork.run(({ operatorNotices }) =>
      operatorNotices.openOf('deposit.price_overdue'),
    );
    for (const { subject, lastAt } of open)
      waiting.set(subject, { alarmAtMs: lastAt.getTime() + ALARM_AFTER_MS, alarmed: true });
    isResumed = true;
  }

  return async (priced: readonly string[]): Promise<void> => {
    if (!isResumed) await resume();
    const found =
      priced.length === catalog.all.length && waiting.size === 0
        ? []
        : await unitOfWork.run(({ deposits }) => deposits.waitingForPrice(priced));
    const nowMs = clock.now().getTime();
    for (const { asset, since } of found) {
      const known = waiting.get(asset) ?? { alarmAtMs: since.getTime() + ALARM_AFTER_MS, alarmed: false };
      if (!waiting.has(asset)) logger.warn('deposit.no_rate', { asset });
      const due = nowMs >= known.alarmAtMs;
      if (due) logger.error('deposit.price_overdue', { asset, since: since.toISOString() });
      waiting.set(asset, due ? { alarmAtMs: nowMs + ALARM_AFTER_MS, alarmed: true } : known);
    }
    for (const [asset, { alarmed }] of waiting) {
      if (found.some((row) => row.asset === asset)) continue;
      waiting.delete(asset);
      if (alarmed) logger.info('deposit.price_back', { asset });
    }
  };
}
