/** A merchant's whole lists in memory, one at a time. */
import { invoiceFromRow } from '../../../../src/adapters/postgres/invoices/invoice-row.ts';
import { payoutFromRow } from '../../../../src/adapters/postgres/payouts/payout-row.ts';
import type { Queries } from '../../../../src/ports/list-queries.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { lineFromRow, linesOf } from './feed-lists.ts';
import { invoicesOf } from './invoice-list.ts';
import { payoutsOf } from './payout-list.ts';
import { wholeLists } from './whole-lists.ts';

export function everyRow(store: MemoryStore): Queries['every'] {
  const every = wholeLists();
  return {
    invoices: (scope, filter, order) => {
      const { from, to } = filter;
      return every({
        ...{ merchantId: scope.merchantId, order },
        inRange: () => invoicesOf(store, scope, { from, to, status: null, asset: null, ids: null }),
        matching: () => invoicesOf(store, scope, filter),
        seqOf: ({ seq }) => seq,
        read: invoiceFromRow,
      });
    },

    payouts: (scope, filter, order) => {
      const { from, to } = filter;
      return every({
        ...{ merchantId: scope.merchantId, order },
        inRange: () => payoutsOf(store, scope, { from, to, asset: null, ids: null }),
        matching: () => payoutsOf(store, scope, filter),
        seqOf: ({ seq }) => seq,
        read: payoutFromRow,
      });
    },

    ledger: (scope, filter) => {
      const { from, to } = filter;
      return every({
        ...{ merchantId: scope.merchantId, order: 'desc' },
        inRange: () => linesOf(store, scope, { from, to, type: null }),
        matching: () => linesOf(store, scope, filter),
        seqOf: ({ feedSeq }) => feedSeq,
        read: (row) => lineFromRow(store, row),
      });
    },
  };
}
