/**
 * What a history asks of its books in memory: the same answers as those of PostgreSQL
 * (world/postgres-storage.ts).
 */
import { isDelivered } from '../../../src/domain/invoices/invoice.ts';
import type { Stage } from '../world/acts/stage.ts';
import type { Books, Broken, Restless } from '../world/laws.ts';
import { NOT_ASKED } from '../world/storages.ts';
import { MEMORY_LAWS } from './ledger/laws.ts';
import { booksRead } from './ledger/posted.ts';
import type { MemoryStore } from './store/memory-store.ts';
import { byText } from './store/orders.ts';

const LAWS = Object.entries(MEMORY_LAWS).filter(([law]) => law !== NOT_ASKED);
const ROWS_OF_LAW_MAX = 5;
const RESTLESS_MAX = 200;

/** The laws of the ledger that do not hold now. */
export function brokenInMemory(store: MemoryStore): readonly Broken[] {
  const books = booksRead(store);
  const broken: Broken[] = [];
  for (const [law, breaks] of LAWS) {
    const what: object[] = [];
    for (const row of breaks(books)) what.push(row);
    if (what.length > 0) broken.push({ law, what: what.slice(0, ROWS_OF_LAW_MAX) });
  }
  return broken;
}

export function memoryBooks(store: MemoryStore): Books {
  const { addresses, deposits, invoices, payouts } = store.tables;
  return {
    brokenLaws: async () => brokenInMemory(store),

    restless: async () =>
      [...restless(store)]
        .sort((a, b) => byText(a.what, b.what) || byText(a.id, b.id))
        .slice(0, RESTLESS_MAX),

    payoutsTo: async (address) =>
      [...new Set([address, address.toLowerCase()])]
        .flatMap((one) => payouts.by('address', one))
        .sort(byId)
        .map(({ id, status, sentUnits }) => ({ id, status, sentUnits })),

    addresses: async () => [...addresses.all()].map(({ address }) => address).sort(byText),

    depositStatus: async (txid) => deposits.by('txid', txid)[0]?.status ?? null,

    toldInvoices: async () =>
      invoices
        .where(({ status }) => isDelivered(status))
        .sort(byId)
        .map(({ id, status }) => ({ id, status })),
  };
}

/** Ids that people choose from, in their order. */
export function memoryIdsOf({ tables }: MemoryStore): Stage['idsOf'] {
  const { deposits, payouts, signedTransactions } = tables;
  const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id).sort(byText);
  return async (what) => {
    switch (what) {
      case 'held':
      case 'stray':
        return ids(deposits.by('status', what));
      case 'open payouts':
        return ids([...payouts.by('status', 'pending'), ...payouts.by('status', 'processing')]);
      case 'restored payouts':
        return ids(
          payouts.by('status', 'pending').filter(({ heldCode }) => heldCode?.startsWith('restored') === true),
        );
      case 'failed payouts':
        return ids(payouts.by('status', 'failed'));
      case 'signed':
        return [...signedTransactions.all()].map(({ txid }) => txid).sort(byText);
    }
  };
}

/** What has not come to rest. Small payments beside a held one wait for an operator. */
function* restless({ tables }: MemoryStore): Iterable<Restless> {
  const waitsForHeld = (invoiceId: string | null): boolean => {
    const invoice = invoiceId === null ? undefined : tables.invoices.find(invoiceId);
    if (invoice?.status !== 'high_risk' || invoice.pendingUnits >= (invoice.deferralUnits ?? 0n))
      return false;
    return tables.deposits.by('invoiceId', invoice.id).some(({ status }) => status === 'held');
  };
  for (const { id, status, waitingCode, asset } of tables.payouts.all())
    if (status === 'pending' || status === 'processing')
      yield {
        what: 'payout',
        id,
        status: waitingCode === null ? status : `${status}, ${waitingCode}`,
        asset,
      };
  for (const { id, status, chain, purpose } of tables.outgoingTransfers.all())
    if (status === 'allocated' || status === 'signed')
      yield { what: `transfer ${purpose}`, id, status, asset: chain };
  for (const { id, status, asset, invoiceId } of tables.deposits.all())
    if (status === 'confirming' || (status === 'arrived' && !waitsForHeld(invoiceId)))
      yield { what: 'deposit', id, status, asset };
  for (const { deliveryId } of tables.webhookQueue.all())
    yield { what: 'webhook', id: deliveryId, status: '', asset: '' };
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => byText(a.id, b.id);
