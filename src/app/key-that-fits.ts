/** Whose signature a request carries: its sender is named, its key is not. */
import { API_KEY_CONTEXT } from './attempt-delivery.ts';
import type { AppDependencies } from './dependencies.ts';

const ENVIRONMENTS = ['live', 'sandbox'] as const;

/** See Application.keyThatFits. Tries every key, so that the time it takes tells nothing of which one fits. */
export function keyThatFits(
  deps: Pick<AppDependencies, 'unitOfWork' | 'vault' | 'clock'>,
): (merchantId: string, fits: (apiKey: string) => boolean) => Promise<string | null> {
  return async (merchantId, fits) => {
    const now = deps.clock.now();
    const keys = await deps.unitOfWork.run(async ({ merchants }) => {
      const found: string[] = [];
      for (const environment of ENVIRONMENTS) {
        const sealed = await merchants.signingKeys(merchantId, environment, now);
        for (const each of [sealed?.current, sealed?.other]) if (each) found.push(each);
      }
      return found;
    });
    return keys.map((key) => deps.vault.open(key, API_KEY_CONTEXT)).filter(fits)[0] ?? null;
  };
}
