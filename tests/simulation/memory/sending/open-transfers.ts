/** Transfers in memory that are not settled: few, whatever the history. */
import type { TransferRow } from '../../../../src/adapters/postgres/sending/outgoing-row.ts';
import { isOpenTransfer, OUTGOING_STATUSES } from '../../../../src/domain/sending/outgoing.ts';
import type { MemoryStore } from '../store/memory-store.ts';

const OPEN = OUTGOING_STATUSES.filter((status) => isOpenTransfer({ status }));

export function openTransfers({ tables }: MemoryStore, test: (row: TransferRow) => boolean): TransferRow[] {
  const found: TransferRow[] = [];
  for (const status of OPEN)
    for (const row of tables.outgoingTransfers.by('status', status)) if (test(row)) found.push(row);
  return found;
}
