/** Whole lists of a merchant, batch by batch (whole-lists.ts): one at a time, whose reads take turns with its other lists. */
import { ListRefused, type Queries, type Scope } from '../../../ports/queries.ts';
import type { Sql } from '../client/sql.ts';
import { among, equal, invoiceFinders, payoutFinders } from './finding.ts';
import { INVOICES, invoiceOfList, LEDGER, lineFromRow, PAYOUTS, payoutOfList } from './lists.ts';
import type { DenseList } from './pages.ts';
import { type WholeRequest, wholeList } from './whole-lists.ts';

/** Makes a read of a merchant in its turn. */
type Read = <Made>(scope: Scope, make: (sql: Sql) => Promise<Made>) => Promise<Made>;

export function everyRow(read: Read): Queries['every'] {
  const running = new Set<string>();

  async function* all<Row extends object, Found>(
    list: DenseList,
    request: WholeRequest,
    toDomain: (row: Row) => Found,
  ): AsyncGenerator<readonly Found[], void> {
    const { merchantId } = request.scope;
    if (running.has(merchantId)) throw new ListRefused('busy');
    running.add(merchantId);
    try {
      for await (const rows of wholeList<Row>(list, request, (make) => read(request.scope, make)))
        yield rows.map(toDomain);
    } finally {
      running.delete(merchantId);
    }
  }

  return {
    invoices(scope, filter, order) {
      const { status, asset, ids } = filter;
      const conditions = [...among(ids), ...invoiceFinders(filter), ...equal({ status, asset })];
      return all(INVOICES, { scope, range: filter, conditions, order }, invoiceOfList);
    },
    payouts(scope, filter, order) {
      const { asset, ids } = filter;
      const conditions = [...among(ids), ...payoutFinders(filter), ...equal({ asset })];
      return all(PAYOUTS, { scope, range: filter, conditions, order }, payoutOfList);
    },
    ledger(scope, filter) {
      const conditions = equal({ feed_type: filter.type });
      return all(LEDGER, { scope, range: filter, conditions, order: 'desc' }, lineFromRow);
    },
  };
}
