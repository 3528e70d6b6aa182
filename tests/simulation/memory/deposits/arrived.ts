/**
 * Arrived deposits in memory: they wait for the risk check, or for a price that decides whether
 * their invoice is deferred.
 */
import { type InvoiceRow, invoiceFromRow } from '../../../../src/adapters/postgres/invoices/invoice-row.ts';
import { isDeferred, isLeftBehind } from '../../../../src/domain/invoices/invoice.ts';
import type { InvoiceToScreen } from '../../../../src/ports/deposits/deposit-repository.ts';
import type { MemoryStore } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';

export function invoicesToScreen(
  { tables }: MemoryStore,
  { limit, after, priced }: { limit: number; after: InvoiceToScreen | null; priced: readonly string[] },
): readonly InvoiceToScreen[] {
  const oldest = new Map<string, Date>();
  for (const { invoiceId, asset, firstSeenAt } of tables.deposits.by('status', 'arrived')) {
    const invoice = invoiceId === null ? undefined : tables.invoices.find(invoiceId);
    if (invoice === undefined) continue;
    const held = tables.deposits.by('invoiceId', invoice.id).some(({ status }) => status === 'held');
    const isLeft = hasAsset(invoice) && isLeftBehind(invoiceFromRow(invoice), { held });
    if (!hasEnded(invoice) && !isLeft && !(priced.includes(asset) && isNotDeferred(invoice))) continue;
    const known = oldest.get(invoice.id);
    if (known === undefined || firstSeenAt < known) oldest.set(invoice.id, firstSeenAt);
  }
  const found = [...oldest].map(([invoiceId, firstSeenAt]) => ({ invoiceId, firstSeenAt })).sort(inOrder);
  return found.filter((one) => after === null || inOrder(one, after) > 0).slice(0, limit);
}

export function waitingForPrice(
  { tables }: MemoryStore,
  priced: readonly string[],
): readonly { asset: string; since: Date }[] {
  const oldest = new Map<string, Date>();
  for (const { id, invoiceId, asset } of tables.deposits.by('status', 'arrived')) {
    const invoice = invoiceId === null ? undefined : tables.invoices.find(invoiceId);
    if (invoice === undefined || priced.includes(asset)) continue;
    if (hasEnded(invoice) || !isNotDeferred(invoice)) continue;
    for (const { kind, reversedBy, at } of tables.ledgerEntries.by('depositId', id)) {
      if (kind !== 'deposit_arrived' || reversedBy !== null) continue;
      const known = oldest.get(asset);
      if (known === undefined || at < known) oldest.set(asset, at);
    }
  }
  return [...oldest].map(([asset, since]) => ({ asset, since })).sort((a, b) => byText(a.asset, b.asset));
}

function inOrder(a: InvoiceToScreen, b: InvoiceToScreen): number {
  return a.firstSeenAt.getTime() - b.firstSeenAt.getTime() || byText(a.invoiceId, b.invoiceId);
}

const hasEnded = ({ processedAt, status }: InvoiceRow): boolean =>
  processedAt !== null && status !== 'high_risk';

/** An invoice without a price cannot be judged. */
const isNotDeferred = (row: InvoiceRow): boolean => hasAsset(row) && !isDeferred(invoiceFromRow(row));

const hasAsset = ({ asset, pendingUnits }: InvoiceRow): boolean => asset !== null || pendingUnits === 0n;
