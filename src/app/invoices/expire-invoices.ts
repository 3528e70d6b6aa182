/**
 * Ends invoices whose time has passed: created -> expired (no webhook), partially_paid STATIC ->
 * cancelled (webhook). Each step takes many of them in a few statements, however long the backlog
 * is (safety.md W3).
 */
import type { ExpiryQuery } from '../../ports/invoices/invoice-repository.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { AppDependencies } from '../dependencies.ts';
import { applyEventToAll, type EventNeeds } from './invoice-events.ts';
import { strand } from './strand-payments.ts';

export type ExpiryNeeds = EventNeeds & Pick<AppDependencies, 'unitOfWork'>;

/**
 * Each step is one transaction and returns how many invoices it ended: fewer than `limit` means
 * that no more have ended.
 */
export interface Expiry {
  unpaid(limit: number): Promise<number>;
  partlyPaid(limit: number): Promise<number>;
}

/**
 * `chains` are all configured ones, reachable or not: an invoice on one waits until that chain was
 * read past its time.
 */
export function expireInvoices(deps: ExpiryNeeds, chains: readonly string[]): Expiry {
  async function queryOf(repositories: Repositories, limit: number): Promise<ExpiryQuery> {
    const covered = await repositories.chains.coveredUntil();
    const coveredUntil = new Map(chains.map((chain) => [chain, covered.get(chain) ?? null]));
    return { now: deps.clock.now(), coveredUntil, limit };
  }
  return {
    unpaid: (limit) =>
      deps.unitOfWork.run(async (repositories) => {
        const ended = await repositories.invoices.expireUnpaid(await queryOf(repositories, limit));
        await strand(repositories, ended);
        return ended.length;
      }),
    partlyPaid: (limit) =>
      deps.unitOfWork.run(async (repositories) => {
        const query = await queryOf(repositories, limit);
        const over = await repositories.invoices.lockOverduePartlyPaid(query);
        await applyEventToAll(deps, repositories, over, { type: 'ttl_passed', at: query.now });
        await strand(
          repositories,
          over.map(({ id }) => id),
        );
        return over.length;
      }),
  };
}
