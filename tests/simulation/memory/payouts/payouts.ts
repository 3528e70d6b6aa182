/** Payouts inside a transaction. Merchants' new payouts come through payout-writer.ts. */
import { theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import { payoutFromRow } from '../../../../src/adapters/postgres/payouts/payout-row.ts';
import type { payouts } from '../../../../src/adapters/postgres/schema/payouts.ts';
import { payoutBar } from '../../../../src/domain/merchants/merchant.ts';
import type { Payout } from '../../../../src/domain/payouts/payout-record.ts';
import type { PayoutRepository } from '../../../../src/ports/payouts/payout-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { purgeExpired } from '../store/purge.ts';
import { insertPayout, rowOf } from './insert-payout.ts';
import { checkPayout } from './payout-checks.ts';
import { payoutsToSend } from './payouts-to-send.ts';

type Row = typeof payouts.$inferSelect;

const byId = (a: Pick<Row, 'id'>, b: Pick<Row, 'id'>) => byText(a.id, b.id);
const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id).sort();
const inOrder = (rows: readonly Row[]) => rows.toSorted(byId).map(payoutFromRow);
const cameToNothing = ({ status }: Row) => status === 'failed' || status === 'cancelled';

export function payoutRepository(store: MemoryStore): PayoutRepository {
  const { payouts: p, outgoingTransfers: t, merchants: m, refundClaims: c, uniqIds: u } = store.tables;
  const find = async (id: string): Promise<Payout | null> => {
    const row = p.find(id);
    return row ? payoutFromRow(row) : null;
  };
  function saved(payout: Payout): boolean {
    const row = p.find(payout.id);
    if (row === undefined) return false;
    const after = { ...row, ...changeable(payout) };
    checkPayout(after);
    p.update(row, after);
    return true;
  }
  /** The payouts of the batches' transfers. */
  const payoutsIn = (transferBatchIds: readonly string[]) =>
    [...new Set(transferBatchIds)]
      .flatMap((id) => t.by('transferBatchId', id))
      .flatMap((transfer) => {
        const payout = transfer.purpose === 'payout' ? p.find(transfer.referenceId) : undefined;
        return payout ? [{ transfer, payout }] : [];
      });
  const livePending = (): Row[] => p.by('status', 'pending').filter(({ sandbox }) => !sandbox);
  const claimTime = ({ refundClaimId }: Row): number | null =>
    refundClaimId === null ? null : (c.find(refundClaimId)?.createdAt.getTime() ?? null);

  return {
    ...payoutsToSend(store),

    insert: async (payout) => insertPayout(store, payout),

    find,
    lock: find,
    async lockAll(ids) {
      const found: Payout[] = [];
      for (const id of [...new Set(ids)].sort(byText)) {
        const payout = await find(id);
        if (payout !== null) found.push(payout);
      }
      return found;
    },

    async save(payout) {
      if (!saved(payout)) theOnly([], `save of payout ${payout.id}`);
    },

    async saveAll(payouts) {
      const done = payouts.filter(saved).length;
      if (done !== payouts.length) throw new Error(`saved ${done} payouts of ${payouts.length}`);
    },

    async barredIn(transferBatchIds) {
      const barred = new Map<string, string>();
      for (const { transfer, payout } of payoutsIn(transferBatchIds)) {
        if (transfer.status !== 'allocated' || transfer.voided || payout.merchantWaived) continue;
        const { kind, refundClaimId, orderedBy } = payout;
        if (kind !== 'payout' && (refundClaimId === null || orderedBy !== null)) continue;
        const why = payoutBar(m.find(payout.merchantId)!);
        if (why !== null) barred.set(payout.id, why);
      }
      return barred;
    },

    extraGasIn: async (transferBatchIds) =>
      new Map(payoutsIn(transferBatchIds).map(({ payout }) => [payout.id, payout.extraGas])),

    async pendingOfClaims(assets, offeredBefore) {
      const among = new Set(assets);
      return idsOf(
        livePending().filter((row) => {
          if (!among.has(row.asset)) return false;
          const at = claimTime(row);
          return at !== null && at <= offeredBefore.getTime();
        }),
      );
    },

    async pendingOf({ assets, madeBefore, now, processing = false }) {
      const among = assets === null ? null : new Set(assets);
      const isOld = (row: Row): boolean => {
        if (madeBefore === null) return true;
        const [made, at] = [row.createdAt.getTime(), claimTime(row)];
        const before = madeBefore.getTime();
        return made <= before || made > now.getTime() || (at !== null && at <= before);
      };
      const onTheirWay = processing ? p.by('status', 'processing').filter(({ sandbox }) => !sandbox) : [];
      return idsOf(
        [...livePending(), ...onTheirWay].filter(
          (row) => (among === null || among.has(row.asset)) && isOld(row),
        ),
      );
    },

    async owed(assets) {
      const among = new Set(assets);
      return livePending()
        .filter(({ asset }) => among.has(asset))
        .sort(byId)
        .map(({ id, asset, address, sentUnits }) => ({ id, asset, address, sentUnits }));
    },

    async holdRestored(ids, text) {
      const held: Row[] = [];
      for (const id of new Set(ids)) {
        const row = p.find(id);
        if (row === undefined || row.status !== 'pending') continue;
        if (row.heldCode === 'restored' || row.heldCode === 'restored_held') continue;
        const rest = { waiting: null, waitingCode: null, triedAt: null, tries: 0, dispatchedAt: null };
        held.push(
          row.held === null
            ? p.update(row, { ...rest, heldCode: 'restored', held: text })
            : p.update(row, {
                ...rest,
                heldCode: 'restored_held',
                held: `${text}; before that: ${row.held}`,
              }),
        );
      }
      return idsOf(held);
    },

    heldFor: async (code) => idsOf(livePending().filter(({ heldCode }) => heldCode === code)),

    standingRefunds: async (invoiceId) =>
      inOrder(p.by('invoiceId', invoiceId).filter((row) => !cameToNothing(row))),

    standingRefundsOfDeposit: async (depositId) =>
      inOrder(
        c
          .by('depositId', depositId)
          .flatMap(({ id }) => p.by('refundClaimId', id))
          .filter((row) => !cameToNothing(row)),
      ),

    async dispatchedMicroUsd(merchantIds, since) {
      const sums = new Map<string, bigint>();
      for (const row of merchantIds.flatMap((merchantId) => p.by('merchantId', merchantId))) {
        if (row.sandbox || row.dispatchedAt === null || row.held !== null || cameToNothing(row)) continue;
        if (row.dispatchedAt.getTime() > since.getTime())
          sums.set(row.merchantId, (sums.get(row.merchantId) ?? 0n) + row.amountMicroUsd);
      }
      return sums;
    },

    purgeUniqIds: async (before, limit) => purgeExpired(u, before, limit),

    async lockOpenSandbox(limit) {
      const open = [...p.by('status', 'pending'), ...p.by('status', 'processing')].filter(
        ({ sandbox, held }) => sandbox && held === null,
      );
      return inOrder(open).slice(0, limit);
    },
  };
}

/** What `save` writes. */
function changeable(payout: Payout): Partial<Row> {
  const row = rowOf(payout);
  return {
    status: row.status,
    txid: row.txid,
    txHashes: row.txHashes,
    failure: row.failure,
    processedAt: row.processedAt,
    extraGas: row.extraGas,
    wastedFeeUnits: row.wastedFeeUnits,
    wastedFeeMicroUsd: row.wastedFeeMicroUsd,
    held: row.held,
    heldCode: row.heldCode,
    released: row.released,
    merchantWaived: row.merchantWaived,
    waiting: row.waiting,
    waitingCode: row.waitingCode,
    triedAt: row.triedAt,
    tries: row.tries,
    dispatchedAt: row.dispatchedAt,
    updatedAt: row.updatedAt,
  };
}
