/**
 * Removes invoices that expired unpaid so many days ago. What was paid stands in invoices and
 * ledger, which are never removed. Addresses stay: a payment to one is its merchant's for ever
 * (app/deposits/record-transfer.ts).
 */
import type { ExpiredPlace } from '../../../ports/invoices/invoice-retention.ts';
import { timesOver } from '../../chains/times-over.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { SET_LOCKS, tryTogether } from '../../shared/try-together.ts';

/**
 * Looks at up to `limit` of them at a time and goes on after these, so that neither those that stay
 * nor those that fail keep another one from its turn. Returns how many it looked at: 0 at the end,
 * and the next call begins anew. What failed rejects when all else of its set is done.
 */
export function forgetUnpaid(
  deps: Pick<AppDependencies, 'unitOfWork' | 'clock'>,
  days: number,
): (limit: number) => Promise<number> {
  let after: ExpiredPlace | null = null;
  return async (limit) => {
    const set = await deps.unitOfWork.run(async (repositories) => {
      const over = await timesOver(repositories, deps, days);
      return over === null ? [] : repositories.invoiceRetention.expiredUnpaid(over, { after, limit });
    });
    const last = set.at(-1) ?? null;
    // A time with microseconds is read without them: its invoice would come again for ever.
    const isOver = last === null || last.id === after?.id;
    after = isOver ? null : last;
    const failures: unknown[] = [];
    await tryTogether(set, {
      work: (some) => removeThese(deps, some),
      failed: (_, error) => failures.push(error),
      stopping: undefined,
    });
    if (failures.length > 0) throw failures[0];
    return isOver ? 0 : limit;
  };
}

async function removeThese(
  { unitOfWork }: Pick<AppDependencies, 'unitOfWork'>,
  some: readonly ExpiredPlace[],
): Promise<void> {
  const ids = some.map(({ id }) => id);
  await unitOfWork.run(({ invoiceRetention }) => invoiceRetention.removeUnpaid(ids), SET_LOCKS);
}
