/** Reads of the operators' scripts in memory, across merchants. */
import { depositFromRow } from '../../../src/adapters/postgres/deposits/deposit-row.ts';
import { payoutFromRow } from '../../../src/adapters/postgres/payouts/payout-row.ts';
import { reasonFromRow } from '../../../src/adapters/postgres/reason-row.ts';
import type {
  DeadDelivery,
  ListedMerchant,
  OperatorPayout,
  OperatorPayoutFilter,
  OperatorQueries,
} from '../../../src/ports/operator-queries.ts';
import { approvalQueries } from './accounts/approvals.ts';
import { auditQueries } from './audit/audit-log.ts';
import { followedAddresses } from './chains/followed-addresses.ts';
import { reconciliationFaults } from './ledger/reconciliation-faults.ts';
import { activeKey, olderKey } from './merchants/keys.ts';
import { recordedBackup } from './notices/backup-record.ts';
import { storedNotices } from './notices/stored-notices.ts';
import { operatorMetrics, waitingWork } from './operator-metrics.ts';
import { newestUnknown } from './sending/unknown-transactions.ts';
import type { MemoryStore } from './store/memory-store.ts';
import { byText, byTime } from './store/orders.ts';
import { lowered } from './store/texts.ts';
import type { RowIn } from './sweeps/sweep-rows.ts';

type ListsOfMerchants = 'merchants' | 'merchantNames' | 'merchantPage' | 'merchant';

export function operatorQueries(store: MemoryStore): OperatorQueries {
  const { deposits, payouts, signingSwitch, webhookQueue } = store.tables;
  return {
    ...merchantLists(store),

    deposits: async ({ statuses, sandbox, limit }) =>
      [...new Set(statuses)]
        .flatMap((status) => deposits.by('status', status))
        .filter((deposit) => sandbox === null || deposit.sandbox === sandbox)
        .sort((a, b) => byTime(a.firstSeenAt, b.firstSeenAt) || byText(a.id, b.id))
        .slice(0, limit)
        .map(depositFromRow),

    unknownTransactions: async (of) => newestUnknown(store, of),

    payouts: async (filter) =>
      payouts
        .where((payout) => isWanted(payout, filter))
        .sort((a, b) => byText(b.id, a.id))
        .slice(0, filter.limit)
        .map((row) => ({ payout: payoutFromRow(row), transfer: newestTransfer(store, row.id) })),

    async signingStopped() {
      const stopped = signingSwitch.first(({ stoppedAt }) => stoppedAt !== null);
      return stopped?.stoppedAt ? { at: stopped.stoppedAt, note: stopped.note } : null;
    },

    deadDeliveries: async (filter) => deadDeliveries(store, filter),
    countDeadDeliveries: async (since) =>
      webhookQueue.where(({ deadAt }) => deadAt !== null && deadAt >= since).length,
    ...followedAddresses(store),
    ...auditQueries(store),
    ...approvalQueries(store),
    // All rows are read each time, so nothing is left for a walk.
    reconciliationFaults: async () => reconciliationFaults(store),
    newFaults: async () => reconciliationFaults(store),
    walkBooks: async () => [],
    operatorNotices: async ({ limit }) => storedNotices(store, limit),
    newestBackup: async () => recordedBackup(store),
    metrics: async (now) => operatorMetrics(store, now),
    waitingWork: async (now) => waitingWork(store, now),
  };
}

function merchantLists(store: MemoryStore): Pick<OperatorQueries, ListsOfMerchants> {
  const { merchants } = store.tables;
  const listed = (merchant: RowIn<'merchants'>): ListedMerchant => {
    const [live, sandbox] = [false, true].map((of) => ({ merchantId: merchant.id, sandbox: of }));
    return {
      ...merchant,
      hasLiveKey: activeKey(store, live!) !== undefined,
      hasSandboxKey: activeKey(store, sandbox!) !== undefined,
      oldLiveKeyUntil: olderKey(store, live!)?.livesUntil ?? null,
      oldSandboxKeyUntil: olderKey(store, sandbox!)?.livesUntil ?? null,
    };
  };
  return {
    merchants: async () =>
      [...merchants.all()].sort((a, b) => byTime(a.createdAt, b.createdAt) || byText(a.id, b.id)).map(listed),

    /** Its statement has no order. */
    merchantNames: async (ids) => {
      const wanted = new Set(ids);
      return new Map(merchants.where(({ id }) => wanted.has(id)).map(({ id, name }) => [id, name]));
    },

    async merchantPage(text, { before, limit }) {
      const part = text === null ? null : lowered(text);
      return merchants
        .where(
          ({ id, name }) =>
            (before === null || byText(id, before) < 0) &&
            (part === null || id === part || lowered(name).includes(part)),
        )
        .sort((a, b) => byText(b.id, a.id))
        .slice(0, limit)
        .map(listed);
    },

    async merchant(id) {
      const found = merchants.find(id);
      return found === undefined ? null : listed(found);
    },
  };
}

function isWanted(payout: RowIn<'payouts'>, wanted: OperatorPayoutFilter): boolean {
  return (
    wanted.statuses.includes(payout.status) &&
    (!wanted.held || payout.held !== null) &&
    (!wanted.waiting || payout.waiting !== null) &&
    (wanted.merchantId === null || payout.merchantId === wanted.merchantId) &&
    (wanted.id === undefined || payout.id === wanted.id)
  );
}

/** Of those that are in their batch. */
function newestTransfer({ tables }: MemoryStore, payoutId: string): OperatorPayout['transfer'] {
  let newest: RowIn<'outgoingTransfers'> | null = null;
  for (const transfer of tables.outgoingTransfers.by('referenceId', payoutId)) {
    if (transfer.purpose !== 'payout' || transfer.takenOut) continue;
    if (newest === null || byText(transfer.id, newest.id) > 0) newest = transfer;
  }
  if (newest === null) return null;
  const { id, status, chain, wallet, nonce, voided, failure, failureCode, transferBatchId } = newest;
  const signed = tables.signedTransactions.by('transferBatchId', transferBatchId);
  return {
    ...{ id, status, chain, wallet, nonce, voided },
    failure: reasonFromRow(failure, failureCode),
    txids: signed.sort((a, b) => a.ordinal - b.ordinal).map(({ txid }) => txid),
  };
}

function deadDeliveries(
  { tables }: MemoryStore,
  { since, after, limit }: Parameters<OperatorQueries['deadDeliveries']>[0],
): DeadDelivery[] {
  const place = ({ eventSeq }: RowIn<'webhookDeliveries'>): bigint => eventSeq ?? 0n;
  const isAfter = (a: RowIn<'webhookDeliveries'>, b: RowIn<'webhookDeliveries'>): boolean =>
    place(a) === place(b) ? a.id > b.id : place(a) > place(b);
  const isFollowed = (delivery: RowIn<'webhookDeliveries'>): boolean =>
    delivery.invoiceId !== null &&
    tables.webhookDeliveries
      .by('invoiceId', delivery.invoiceId)
      .some((later) => later.url !== null && isAfter(later, delivery));
  return tables.webhookQueue
    .where(({ deadAt }) => deadAt !== null && (since === null || deadAt >= since))
    .map((queued) => ({
      deadAt: queued.deadAt!,
      delivery: tables.webhookDeliveries.find(queued.deliveryId)!,
    }))
    .filter(({ delivery }) => !isFollowed(delivery))
    .map(({ deadAt, delivery: { id, invoiceId, url } }) => ({ id, invoiceId, url: url!, deadAt }))
    .sort(byDeath)
    .filter((dead) => after === null || byDeath(dead, after) > 0)
    .slice(0, limit);
}

type Death = Pick<DeadDelivery, 'id' | 'deadAt'>;
const byDeath = (a: Death, b: Death): number => byTime(a.deadAt, b.deadAt) || byText(a.id, b.id);
