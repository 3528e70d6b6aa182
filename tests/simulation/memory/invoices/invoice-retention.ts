/** Removes invoices that expired unpaid in memory, as PostgreSQL does. */
import { dayOf, REMOVED } from '../../../../src/domain/console/day-figure.ts';
import type { InvoiceRetention } from '../../../../src/ports/invoices/invoice-retention.ts';
import { noteRemoved } from '../lists/removed-numbers.ts';
import type { MemoryStore, Tables } from '../store/memory-store.ts';
import { byText } from '../store/orders.ts';
import type { StoredInvoice } from './invoices.ts';

export function invoiceRetention({ tables }: MemoryStore): InvoiceRetention {
  return {
    async expiredUnpaid({ from, before }, { after, limit }) {
      const start = after ?? { expiredAt: from, id: '' };
      return expired(tables)
        .map(({ id, processedAt }) => ({ id, expiredAt: processedAt as Date }))
        .filter((one) => one.expiredAt < before && inOrder(one, start) > 0)
        .sort(inOrder)
        .slice(0, limit);
    },
    async removeUnpaid(ids) {
      const asked = new Set(ids);
      const gone = expired(tables).filter((one) => asked.has(one.id) && isRemovable(tables, one));
      for (const invoice of gone) remove(tables, invoice);
      return gone.length;
    },
  };
}

const expired = (tables: Tables): readonly StoredInvoice[] =>
  tables.invoices
    .by('status', 'expired')
    .filter((one) => one.permanentAddressId === null && !one.bindsPermanentAddress);

type Place = { readonly expiredAt: Date; readonly id: string };
const inOrder = (a: Place, b: Place): number =>
  a.expiredAt.getTime() - b.expiredAt.getTime() || byText(a.id, b.id);

function isRemovable(tables: Tables, { id, pendingUnits, creditedUnits, heldUnits }: StoredInvoice): boolean {
  const naming = [
    tables.deposits.by('invoiceId', id),
    tables.payouts.by('invoiceId', id),
    tables.refundClaims.by('invoiceId', id),
    tables.customerMails.by('invoiceId', id),
    tables.webhookDeliveries.by('invoiceId', id),
    tables.webhookAttempts.by('invoiceId', id),
    tables.ledgerEntries.by('referenceId', id),
    tables.addresses.by('invoiceId', id).flatMap(({ address }) => tables.deposits.by('address', address)),
  ];
  return (
    pendingUnits === 0n &&
    creditedUnits === 0n &&
    heldUnits === 0n &&
    naming.every((rows: readonly unknown[]) => rows.length === 0)
  );
}

function remove(tables: Tables, invoice: StoredInvoice): void {
  const { merchantId, sandbox, createdAt } = invoice;
  tables.invoices.delete(invoice);
  noteRemoved(tables, invoice);
  const key = { merchantId, sandbox, day: dayOf(createdAt), figure: 'invoices', label: REMOVED } as const;
  const sum = tables.dayFigures.find(merchantId, sandbox, key.day, key.figure, key.label);
  if (sum) tables.dayFigures.update(sum, { count: sum.count + 1 });
  else tables.dayFigures.insert({ ...key, count: 1, units: 0n, microUsd: 0n, feeMicroUsd: 0n });
}
