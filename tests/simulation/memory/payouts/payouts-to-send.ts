/**
 * Which payouts are sent next: merchants and assets take turns, and a waiting one blocks no other.
 */
import { payoutFromRow } from '../../../../src/adapters/postgres/payouts/payout-row.ts';
import type { payouts } from '../../../../src/adapters/postgres/schema/payouts.ts';
import { payoutBar } from '../../../../src/domain/merchants/merchant.ts';
import type {
  PayoutRepository,
  UnallocatedPayouts,
} from '../../../../src/ports/payouts/payout-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';

type Row = typeof payouts.$inferSelect;
type PayoutsToSend = Pick<PayoutRepository, 'sendable' | 'anyReady' | 'unallocated' | 'putOff' | 'readmit'>;

/** Per merchant, whatever others have before it. */
const EACH = 10;

const byId = (a: Row, b: Row) => byText(a.id, b.id);
const triedAt = (row: Row) => row.triedAt?.getTime() ?? Number.NEGATIVE_INFINITY;
/** New ones first. */
const oldestFirst = (a: Row, b: Row) => (triedAt(a) === triedAt(b) ? byId(a, b) : triedAt(a) - triedAt(b));

export function payoutsToSend({ tables }: MemoryStore): PayoutsToSend {
  const { payouts: p, outgoingTransfers: t, merchants: m } = tables;
  const hasTransfer = ({ id }: Row) =>
    t
      .by('referenceId', id)
      .some(({ purpose, status, voided }) => purpose === 'payout' && status !== 'failed' && !voided);
  const isToSend = (row: Row) =>
    !row.sandbox && row.status === 'pending' && row.held === null && row.waitingCode !== 'merchant';
  /** Of each asset, those that may go. */
  const mayGo = (assets: readonly string[]): readonly (readonly Row[])[] =>
    [...new Set(assets)].map((asset) =>
      p.by('asset', asset).filter((row) => isToSend(row) && !hasTransfer(row)),
    );

  return {
    async sendable(assets, limit, now) {
      const waiting = Math.floor(limit / 4);
      const [waits, fresh]: [Set<Row>, Set<Row>] = [new Set(), new Set()];
      for (const rows of mayGo(assets)) {
        const due = rows.filter((row) => triedAt(row) <= now.getTime()).sort(oldestFirst);
        const some = someOfEach(due);
        const [tried, untried] = [due.filter(isTried), due.filter((row) => !isTried(row))];
        for (const row of [...tried.slice(0, waiting), ...some.filter(isTried)]) waits.add(row);
        for (const row of [...untried.slice(0, 4 * limit), ...some.filter((row) => !isTried(row))])
          fresh.add(row);
      }
      const waited = inTurns([...waits].sort(oldestFirst)).slice(0, waiting);
      const chosen = inTurns([...fresh].sort(byId)).slice(0, limit - waited.length);
      return [...chosen, ...waited.toSorted(oldestFirst)].map(payoutFromRow);
    },

    anyReady: async (assets) =>
      mayGo(assets).some((rows) =>
        rows.some(({ waitingCode }) => waitingCode === null || waitingCode === 'signing'),
      ),

    async unallocated(assets) {
      const found: UnallocatedPayouts[] = [];
      for (const asset of [...new Set(assets)].sort(byText)) {
        const rows = p
          .by('asset', asset)
          .filter((row) => !row.sandbox && row.status === 'pending' && !hasTransfer(row));
        if (rows.length === 0) continue;
        const units = rows.reduce((sum, { sentUnits }) => sum + sentUnits, 0n);
        const lacking = rows.filter(({ waitingCode }) => waitingCode === 'liquidity').length;
        found.push({ asset, count: rows.length, units, lacking });
      }
      return found;
    },

    async putOff(ids, at) {
      for (const id of ids) {
        const row = p.find(id);
        if (row?.triedAt) p.update(row, { triedAt: at });
      }
    },

    async readmit(ofEach) {
      const taken = new Map<string, number>();
      for (const row of p.by('waitingCode', 'merchant').sort(byId)) {
        const { merchantId } = row;
        const count = taken.get(merchantId) ?? 0;
        if (count >= ofEach || payoutBar(m.find(merchantId)!) !== null) continue;
        taken.set(merchantId, count + 1);
        p.update(row, { waiting: null, waitingCode: null, triedAt: null });
      }
    },
  };
}

const isTried = (row: Row): boolean => row.triedAt !== null;

/** The first of each merchant. */
function someOfEach(rows: readonly Row[]): readonly Row[] {
  const counts = new Map<string, number>();
  return rows.filter(({ merchantId }) => {
    const count = (counts.get(merchantId) ?? 0) + 1;
    counts.set(merchantId, count);
    return count <= EACH;
  });
}

/** The first of each merchant and asset, then the second of each, and so on, in their order. */
function inTurns(rows: readonly Row[]): readonly Row[] {
  const counts = new Map<string, number>();
  const turns: Row[][] = [];
  for (const row of rows) {
    const key = `${row.asset} ${row.merchantId}`;
    const turn = counts.get(key) ?? 0;
    counts.set(key, turn + 1);
    const others = turns[turn];
    if (others === undefined) turns.push([row]);
    else others.push(row);
  }
  return turns.flat();
}
