/** Books without rows, and walks through them that are interrupted. */

export const EMPTY_BOOKS = `truncate merchants, counters, balances, invoices, addresses, deposits, ledger_entries, ledger_postings,
  payouts, outgoing_transfers, signed_transactions, sweeps, capital_bookings, webhook_attempts, webhook_queue, webhook_deliveries, reconciliations cascade`;

/** Aborted once it was looked at so often. */
export function afterLooks(looks: number): AbortSignal {
  let left = looks;
  return {
    get aborted() {
      left -= 1;
      return left < 0;
    },
  } as AbortSignal;
}
