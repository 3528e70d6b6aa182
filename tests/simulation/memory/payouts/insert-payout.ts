/** A new payout in memory: a merchant's has the next number of its list. */
import { payoutToRow } from '../../../../src/adapters/postgres/payouts/payout-row.ts';
import type { payouts } from '../../../../src/adapters/postgres/schema/payouts.ts';
import type { Payout } from '../../../../src/domain/payouts/payout-record.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { requiredNumber } from '../store/numbering.ts';
import { checkPayout } from './payout-checks.ts';

export function insertPayout(store: MemoryStore, payout: Payout): void {
  const { merchantId, sandbox, createdAt } = payout;
  const number =
    payout.kind === 'payout'
      ? requiredNumber(store, { merchantId, sandbox, stream: 'payouts', latest: createdAt })
      : { seq: null, at: createdAt };
  const row = { ...rowOf(payout), seq: number.seq, createdAt: number.at };
  checkPayout(row);
  store.tables.payouts.insert(row);
}

export function rowOf(payout: Payout): Omit<typeof payouts.$inferSelect, 'seq'> {
  const row = payoutToRow(payout);
  return { ...row, txHashes: [...row.txHashes] };
}
