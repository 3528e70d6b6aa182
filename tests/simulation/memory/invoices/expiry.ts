/**
 * Invoices whose time has passed. Those whose chain is behind wait for it (safety.md W3), as in
 * adapters/postgres/invoices/expiry.ts.
 */
import { choicesFromText } from '../../../../src/adapters/postgres/invoices/invoice-choices.ts';
import { invoiceFromRow } from '../../../../src/adapters/postgres/invoices/invoice-row.ts';
import { CHAINS } from '../../../../src/domain/catalog/chain.ts';
import type { Invoice } from '../../../../src/domain/invoices/invoice-record.ts';
import type { DueInvoice, ExpiryQuery } from '../../../../src/ports/invoices/invoice-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import { chainOfKey } from './chain-of-key.ts';
import type { StoredInvoice } from './invoices.ts';

const CHAIN_NAMES: ReadonlySet<string> = new Set(CHAINS.map(({ name }) => name));

export function expireUnpaid(store: MemoryStore, query: ExpiryQuery): readonly string[] {
  const { invoices } = store.tables;
  const due = dueOf(unpaidOf(store), query);
  for (const invoice of due)
    invoices.update(invoice, {
      status: 'expired',
      version: invoice.version + 1,
      processedAt: query.now,
      updatedAt: latestOf(query.now, invoice.updatedAt, invoice.createdAt),
    });
  return due.map(({ id }) => id);
}

export function lockOverduePartlyPaid(store: MemoryStore, query: ExpiryQuery): readonly Invoice[] {
  return dueOf(partlyPaidOf(store), query).map(invoiceFromRow);
}

export function dueInvoices(
  store: MemoryStore,
  status: DueInvoice['status'],
  query: Omit<ExpiryQuery, 'among'>,
  after: DueInvoice | null,
): readonly DueInvoice[] {
  const open = (status === 'created' ? unpaidOf : partlyPaidOf)(store);
  return dueOf(
    open.filter((invoice) => after === null || byEnd(invoice, after) > 0),
    { ...query, among: null },
  ).map(({ id, merchantId, expiresAt }) => ({ id, merchantId, status, expiresAt }));
}

const unpaidOf = ({ tables }: MemoryStore) => tables.invoices.by('status', 'created');
const partlyPaidOf = ({ tables }: MemoryStore) =>
  tables.invoices.by('status', 'partially_paid').filter(({ billingType }) => billingType === 'STATIC');

/** Oldest first. */
function dueOf(invoices: readonly StoredInvoice[], query: ExpiryQuery): readonly StoredInvoice[] {
  const { among, limit } = query;
  const latest = latestOf(...query.coveredUntil.values()) ?? query.now;
  return invoices
    .filter((invoice) => (among?.includes(invoice.id) ?? true) && isOver(invoice, query, latest))
    .sort(byEnd)
    .slice(0, among === null ? limit : undefined);
}

type End = Pick<StoredInvoice, 'id' | 'expiresAt'>;
const byEnd = (a: End, b: End): number => a.expiresAt.getTime() - b.expiresAt.getTime() || byText(a.id, b.id);

/** `latest`: the time by the chain that was read furthest (safety.md K7). */
function isOver(invoice: StoredInvoice, { now, coveredUntil }: ExpiryQuery, latest: Date): boolean {
  const { expiresAt, asset } = invoice;
  if (expiresAt > now) return false;
  if (invoice.sandbox) return true;
  if (asset === null) return expiresAt <= latest;
  /** A chain that is not watched is not waited for. */
  const isRead = (key: string) => {
    const chain = chainOfKey(key);
    const until = CHAIN_NAMES.has(chain) ? coveredUntil.get(chain) : undefined;
    return until === undefined || (until !== null && until >= expiresAt);
  };
  if (!CHAIN_NAMES.has(chainOfKey(asset)) || !isRead(asset)) return false;
  return (
    invoice.status !== 'created' ||
    choicesFromText(invoice.earlierChoices).every(({ price }) => isRead(price.asset))
  );
}

function latestOf(now: Date, ...others: readonly (Date | null)[]): Date;
function latestOf(...times: readonly (Date | null)[]): Date | null;
function latestOf(...times: readonly (Date | null)[]): Date | null {
  let latest: Date | null = null;
  for (const time of times) if (time !== null && (latest === null || time > latest)) latest = time;
  return latest;
}
