/** Reads of the hosted checkout, in memory: the states of open pages, and the payments of one. */
import { createHash } from 'node:crypto';
import { isUuid, theOnly } from '../../../../src/adapters/postgres/client/statements.ts';
import { CHAINS } from '../../../../src/domain/catalog/chain.ts';
import type { InvoiceStatus } from '../../../../src/domain/invoices/invoice.ts';
import {
  type CheckoutQueries,
  CONFIRMATIONS_TOLD,
  PAYMENTS_SHOWN,
} from '../../../../src/ports/checkout/checkout-queries.ts';
import { chainOfKey } from '../invoices/chain-of-key.ts';
import type { StoredInvoice } from '../invoices/invoices.ts';
import { isThere } from '../invoices/present-deposits.ts';
import type { MemoryStore, Tables } from '../store/memory-store.ts';
import { byText, byTime } from '../store/orders.ts';

type StoredDeposit = NonNullable<ReturnType<Tables['deposits']['find']>>;

const CHAIN_NAMES: ReadonlySet<string> = new Set(CHAINS.map(({ name }) => name));
const UNDECIDED: ReadonlySet<InvoiceStatus> = new Set<InvoiceStatus>([
  'created',
  'confirming',
  'partially_paid',
  'failed',
  'high_risk',
]);

export function checkoutQueries(store: MemoryStore): CheckoutQueries {
  const { invoices, deposits, chainCursors } = store.tables;
  return {
    async liveStates(externalIds, seenLate) {
      const states = new Map<string, string>();
      for (const externalId of externalIds) {
        if (!isUuid(externalId)) continue;
        const [invoice] = invoices.by('externalId', externalId.toLowerCase());
        if (invoice) states.set(invoice.externalId, liveState(store, invoice, seenLate));
      }
      return states;
    },

    checkoutPayments: async (invoiceId) =>
      shownPayments(store, invoiceId).map((deposit) => ({
        chain: deposit.chain,
        txid: deposit.txid,
        asset: deposit.asset,
        units: deposit.units,
        final: isFinal(deposit),
        height: deposit.blockHeight,
        head: chainCursors.find(deposit.chain)?.height ?? null,
      })),

    async checkoutStanding(id) {
      const there = invoices.find(id);
      const invoice = theOnly(there ? [there] : [], `invoice ${id}`);
      const arrivals =
        deposits.by('invoiceId', id).some(isThere) || depositsAtOwnAddresses(store, id).some(isThere);
      return { addressGone: isAddressGone(store, invoice), arrivals };
    },

    hasLatePayment: async (id) =>
      depositsAtOwnAddresses(store, id).some(
        ({ status, strayReason }) => status === 'stray' && strayReason === 'invoice_closed',
      ),
  };
}

/** The same digest as the database's. */
function liveState(store: MemoryStore, invoice: StoredInvoice, seenLate: readonly string[]): string {
  const { status } = invoice;
  const mayBeGone = status === 'created' || status === 'partially_paid';
  const parts: readonly (string | null)[] = [
    invoice.id,
    String(invoice.version),
    status,
    invoice.asset ?? '',
    String(invoice.dueUnits ?? 0n),
    String(invoice.pendingUnits + invoice.creditedUnits + invoice.heldUnits),
    paidState(store, invoice.id),
    mayBeGone && isAddressGone(store, invoice) ? 'gone' : null,
    lateState(invoice, seenLate),
  ];
  return md5(parts.filter((part) => part !== null).join(':'));
}

function paidState(store: MemoryStore, invoiceId: string): string | null {
  const shown = shownPayments(store, invoiceId);
  if (shown.length === 0) return null;
  const stateOf = (deposit: StoredDeposit): string => {
    if (isFinal(deposit)) return 'final';
    if (deposit.blockHeight === null) return 'waiting';
    const head = store.tables.chainCursors.find(deposit.chain)?.height;
    if (head === undefined) return String(CONFIRMATIONS_TOLD);
    return String(Math.min(head - deposit.blockHeight + 1, CONFIRMATIONS_TOLD));
  };
  return md5(shown.map((deposit) => [deposit.id, deposit.units, stateOf(deposit)].join(',')).join(';'));
}

function lateState({ sandbox, status, asset }: StoredInvoice, seenLate: readonly string[]): string | null {
  if (sandbox || !UNDECIDED.has(status)) return null;
  if (asset === null) return seenLate.length === 0 ? null : seenLate.join(',');
  return seenLate.includes(asset) ? 'late' : null;
}

/** An address is frozen on a chain, and only the present choice's address is on that chain. */
function isAddressGone({ tables }: MemoryStore, invoice: StoredInvoice): boolean {
  const { id, permanentAddressId, asset } = invoice;
  if (permanentAddressId !== null && tables.permanentAddresses.find(permanentAddressId)?.active === false)
    return true;
  if (asset === null) return false;
  const isFrozen = ({ address }: { readonly address: string }) =>
    tables.frozenAddresses.find(chainOfKey(asset), address) !== undefined;
  return (
    tables.addresses.by('invoiceId', id).some((own) => own.retired === 0 && isFrozen(own)) ||
    (permanentAddressId !== null &&
      tables.addresses.by('permanentAddressId', permanentAddressId).some(isFrozen))
  );
}

function shownPayments({ tables }: MemoryStore, invoiceId: string): readonly StoredDeposit[] {
  return tables.deposits
    .by('invoiceId', invoiceId)
    .filter(isThere)
    .sort((a, b) => byTime(a.firstSeenAt, b.firstSeenAt) || byText(a.id, b.id))
    .slice(0, PAYMENTS_SHOWN);
}

function depositsAtOwnAddresses({ tables }: MemoryStore, invoiceId: string): readonly StoredDeposit[] {
  return tables.addresses
    .by('invoiceId', invoiceId)
    .flatMap(({ address }) => tables.deposits.by('address', address))
    .filter(({ chain }) => CHAIN_NAMES.has(chain));
}

/** domain/deposits/deposit.ts: seen and not final, or gone; everything else is final. */
function isFinal({ status }: StoredDeposit): boolean {
  return status !== 'confirming';
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
