/** Ends invoices whose time has passed: created -> expired (no webhook), partially_paid STATIC -> cancelled (webhook). */
import { CHAINS } from '../domain/chain.ts';
import type { AppDependencies } from './dependencies.ts';
import { strand } from './deposit-lifecycle.ts';
import { applyEvents, type EventNeeds } from './invoice-events.ts';

export type ExpiryNeeds = EventNeeds & Pick<AppDependencies, 'unitOfWork' | 'watchedChains'>;

/** Ends up to `limit` invoices in one transaction and answers how many; call again while it answers `limit`. */
export function expireInvoices(deps: ExpiryNeeds): (limit: number) => Promise<number> {
  return (limit) =>
    deps.unitOfWork.run(async (repositories) => {
      const now = deps.clock.now();
      const coveredUntil = new Map<string, Date | null>();
      for (const chain of CHAINS) {
        if (!deps.watchedChains.has(chain.name)) continue;
        coveredUntil.set(chain.name, (await repositories.chains.cursor(chain.name))?.coveredUntil ?? null);
      }
      const invoices = await repositories.invoices.lockExpired({ now, coveredUntil, limit });
      for (const invoice of invoices) {
        await applyEvents(deps, repositories, invoice, [{ type: 'ttl_passed', at: now }]);
        await strand(repositories, invoice);
      }
      return invoices.length;
    });
}
