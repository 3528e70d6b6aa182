/**
 * A merchant's whole lists, batch by batch (whole-lists.ts): one at a time, whose reads take turns
 * with its other lists.
 */
import { ListRefused, type Queries, type Scope } from '../../../ports/list-queries.ts';
import type { Sql } from '../client/sql.ts';
import { INVOICES, LEDGER, PAYOUTS } from './lists.ts';
import { type WholeList, type WholeRequest, wholeList } from './whole-lists.ts';

const EVERY_INVOICE = wholeList(INVOICES);
const EVERY_PAYOUT = wholeList(PAYOUTS);
const EVERY_LINE = wholeList(LEDGER);

/** Runs a merchant's read in its turn. */
type Read = <Made>(scope: Scope, make: (on: Sql) => Promise<Made>) => Promise<Made>;

export function everyRow(read: Read): Queries['every'] {
  const running = new Set<string>();

  async function* all<Found>(
    list: WholeList<Found>,
    request: WholeRequest,
  ): AsyncGenerator<readonly Found[], void> {
    const { merchantId } = request.scope;
    if (running.has(merchantId)) throw new ListRefused('busy');
    running.add(merchantId);
    try {
      yield* list(request, (make) => read(request.scope, make));
    } finally {
      running.delete(merchantId);
    }
  }

  return {
    invoices: (scope, filter, order) => all(EVERY_INVOICE, { scope, wanted: { ...filter }, order }),
    payouts: (scope, filter, order) => all(EVERY_PAYOUT, { scope, wanted: { ...filter }, order }),
    ledger: (scope, filter) => all(EVERY_LINE, { scope, wanted: { ...filter }, order: 'desc' }),
  };
}
