/** The gauges of the operators' metrics in memory. Groups are in the order of their first row. */
import { UTXO_FAMILIES } from '../../../src/domain/catalog/family.ts';
import type { OperatorMetrics, WaitingWork } from '../../../src/ports/operator-queries.ts';
import type { MemoryStore } from './store/memory-store.ts';
import { byText, later } from './store/orders.ts';
import type { RowIn } from './sweeps/sweep-rows.ts';

/** Funding of their hot wallets is booked without an operator. */
const SELF_BOOKED: ReadonlySet<string> = new Set(UTXO_FAMILIES);

export function operatorMetrics(store: MemoryStore, now: Date): OperatorMetrics {
  const { chainCursors, invoices, webhookCircuits } = store.tables;
  return {
    ...waiting(store, now),
    circuitsByState: counted([...webhookCircuits.all()].map(({ state }) => state)),
    payoutsByStatus: counted(openPayouts(store).map(({ status }) => status)),
    invoicesByStatus: counted(invoices.where(isOpen).map(({ status }) => status)),
    // A quiet chain has an old tip, and one that is still catching up was not read to its tip yet.
    cursors: [...chainCursors.all()]
      .sort((a, b) => byText(a.chain, b.chain))
      .map(({ chain, height, coveredUntil, readAt }) => ({
        ...{ chain, height },
        seenUntil: readAt === null ? coveredUntil : later(readAt, coveredUntil),
      })),
  };
}

/** With the gauges beside it that the same statement of PostgreSQL reads. */
export function waitingWork(store: MemoryStore, now: Date): WaitingWork {
  return waiting(store, now);
}

function waiting(store: MemoryStore, now: Date) {
  const { deposits, utxos, signingSwitch, operatorNotices, operatorNoticeDeliveries, newestBackup } =
    store.tables;
  const unbooked = utxos.where(
    ({ booked, blockHeight, chain }) => booked === false && blockHeight !== null && !SELF_BOOKED.has(chain),
  );
  const payouts = openPayouts(store);
  return {
    ...queued(store, now),
    depositsToScreen: deposits.by('status', 'arrived').length,
    straysOpen: deposits.by('status', 'stray').length + unbooked.length,
    heldOpen: deposits.by('status', 'held').length,
    payoutsHeld: payouts.filter(({ held }) => held !== null).length,
    signingStopped: signingSwitch.first(({ stoppedAt }) => stoppedAt !== null) !== undefined,
    noticesOpen: operatorNotices.where(({ status }) => status === 'open').length,
    noticesUnsent: operatorNoticeDeliveries.where(({ status }) => status === 'queued').length,
    newestBackupAt: newestBackup.find(true)?.at ?? null,
    payoutsWaiting: counted(
      payouts.filter(({ waiting: reason }) => reason !== null).map(({ waitingCode }) => waitingCode!),
    ),
  };
}

function queued({ tables }: MemoryStore, now: Date) {
  const silent = new Set<string>();
  for (const { destination, state } of tables.webhookCircuits.all())
    if (state !== 'closed') silent.add(destination);
  let [webhooksPending, webhooksHeldBack] = [0, 0];
  let oldest = Number.POSITIVE_INFINITY;
  for (const { deadAt, dueAt, destination } of tables.webhookQueue.all()) {
    if (deadAt !== null) continue;
    webhooksPending += 1;
    if (!silent.has(destination)) oldest = Math.min(oldest, dueAt.getTime());
    else if (dueAt <= now) webhooksHeldBack += 1;
  }
  return {
    webhooksPending,
    webhooksHeldBack,
    oldestDueWebhookSeconds: Math.max(0, (now.getTime() - oldest) / 1_000),
  };
}

function isOpen({ status, billingType }: RowIn<'invoices'>): boolean {
  if (status === 'partially_paid') return billingType === 'STATIC';
  return status === 'created' || status === 'confirming' || status === 'high_risk';
}

function openPayouts({ tables }: MemoryStore) {
  return tables.payouts.where(({ status }) => status === 'pending' || status === 'processing');
}

function counted(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
