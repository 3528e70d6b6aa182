/**
 * Removes invoices that expired unpaid so many days ago. What was paid stands in invoices and
 * ledger, which are never removed. Addresses stay: a payment to one is its merchant's for ever
 * (app/deposits/record-transfer.ts).
 */
import type { ExpiredPlace } from '../../../ports/invoices/invoice-retention.ts';
import { timesOver } from '../../chains/times-over.ts';
import type { AppDependencies } from '../../dependencies.ts';

/**
 * Looks at up to `limit` of them at a time and goes on after these, so that those that stay keep no
 * other one from its turn. Returns how many it looked at: 0 at the end, and the next call begins
 * anew.
 */
export function forgetUnpaid(
  deps: Pick<AppDependencies, 'unitOfWork' | 'clock'>,
  days: number,
): (limit: number) => Promise<number> {
  let after: ExpiredPlace | null = null;
  return async (limit) => {
    const found = await deps.unitOfWork.run(async (repositories) => {
      const over = await timesOver(repositories, deps, days);
      return over === null ? null : repositories.invoiceRetention.removeUnpaid(over, { after, limit });
    });
    // A time with microseconds is read without them: its invoice would come again for ever.
    const isOver = found === null || found.last === null || found.last.id === after?.id;
    after = isOver ? null : found.last;
    return isOver ? 0 : limit;
  };
}
