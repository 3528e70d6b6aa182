/**
 * Finds the key of a signed request, which names its sender but not its key. A merchant's keys are
 * cached, sealed, for a few seconds, so that a signature costs the database nothing, and bad ones
 * next to nothing, however many are tried (safety.md W4).
 */

import { boundedMap } from '../../domain/bounded-map.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import type { AppDependencies } from '../dependencies.ts';
import { API_KEY_CONTEXT } from '../webhooks/attempt-delivery.ts';
import { boundPerSecond, isKept, KEPT_MS } from './unknown-key-budget.ts';

const MERCHANTS_MAX = 20_000;
const MISSES_MAX = 2_000;
/**
 * Merchants a second that are looked up for callers over their limit: one of their keys may be
 * valid.
 */
const REFUSED_PER_SECOND = 20;

/**
 * See Application.keyThatFits. Tries every key, so that the time does not reveal which one fits.
 */
export function keyThatFits(
  deps: Pick<AppDependencies, 'unitOfWork' | 'vault' | 'clock'>,
  strangerMayAsk: () => boolean,
): (merchantId: string, fits: (apiKey: string) => boolean, admits: () => boolean) => Promise<string | null> {
  const kept = boundedMap<string, { readonly sealed: readonly string[]; readonly until: number }>(
    MERCHANTS_MAX,
  );
  const misses = boundedMap<string, number>(MISSES_MAX);
  const underWay = new Map<string, Promise<readonly string[]>>();
  const refusedMayAsk = boundPerSecond(deps.clock, REFUSED_PER_SECOND);

  async function lookUp(merchantId: string): Promise<readonly string[]> {
    const now = deps.clock.now();
    const sealed = await deps.unitOfWork.run(async ({ merchants }) => {
      const found: string[] = [];
      for (const environment of ENVIRONMENTS) {
        const keys = await merchants.signingKeys(merchantId, environment, now);
        for (const each of [keys?.current, keys?.other]) if (each) found.push(each);
      }
      return found;
    });
    const until = now.getTime() + KEPT_MS;
    if (sealed.length > 0) kept.set(merchantId, { sealed, until });
    else {
      kept.delete(merchantId);
      misses.set(merchantId, until);
    }
    return sealed;
  }

  /** Parallel requests for an expired entry share one read of the database. */
  function lookUpOnce(merchantId: string): Promise<readonly string[]> {
    const asked = underWay.get(merchantId) ?? lookUp(merchantId).finally(() => underWay.delete(merchantId));
    underWay.set(merchantId, asked);
    return asked;
  }

  const fitting = (sealed: readonly string[], fits: (apiKey: string) => boolean): string | null =>
    sealed.map((key) => deps.vault.open(key, API_KEY_CONTEXT)).filter(fits)[0] ?? null;

  return async (merchantId, fits, admits) => {
    const now = deps.clock.now().getTime();
    const known = kept.get(merchantId);
    if (known === undefined) {
      if (isKept(misses.get(merchantId) ?? 0, now)) return null;
      const mayAsk = admits() ? strangerMayAsk() : refusedMayAsk();
      return mayAsk ? fitting(await lookUpOnce(merchantId), fits) : null;
    }
    if (isKept(known.until, now)) {
      const key = fitting(known.sealed, fits);
      // The key may be newer than the cached ones.
      if (key !== null || !admits() || !strangerMayAsk()) return key;
    }
    return fitting(await lookUpOnce(merchantId), fits);
  };
}
