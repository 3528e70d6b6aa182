/** Ends invoices whose time has passed: created -> expired (no webhook), partially_paid STATIC -> cancelled (webhook). */
import type { AppDependencies } from './dependencies.ts';
import { strand } from './deposit-lifecycle.ts';
import { applyEvents, type EventNeeds } from './invoice-events.ts';

export type ExpiryNeeds = EventNeeds & Pick<AppDependencies, 'unitOfWork'>;

/**
 * Ends up to `limit` invoices in one transaction and answers how many; call again while it answers `limit`. `chains` are all
 * that are configured, in reach or not: an invoice on one of them waits until that chain was read past its time.
 */
export function expireInvoices(
  deps: ExpiryNeeds,
  chains: readonly string[],
): (limit: number) => Promise<number> {
  return (limit) =>
    deps.unitOfWork.run(async (repositories) => {
      const now = deps.clock.now();
      const coveredUntil = new Map<string, Date | null>();
      for (const chain of chains)
        coveredUntil.set(chain, (await repositories.chains.cursor(chain))?.coveredUntil ?? null);
      const invoices = await repositories.invoices.lockExpired({ now, coveredUntil, limit });
      for (const invoice of invoices) {
        await applyEvents(deps, repositories, invoice, [{ type: 'ttl_passed', at: now }]);
        await strand(repositories, invoice);
      }
      return invoices.length;
    });
}
