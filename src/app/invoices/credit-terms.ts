/** How the payments of an invoice are split between merchant and gateway. */

import type { InvoicePrice } from '../../domain/invoices/invoice.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import type { creditedOf } from '../../domain/money/fee.ts';

/** The terms by which creditedOf splits an invoice's payments. */
export function creditTerms(
  { feeBearer, commissionPpm }: Invoice,
  { baseUnits, dueUnits }: InvoicePrice,
): Parameters<typeof creditedOf>[1] {
  return { bearer: feeBearer, commissionPpm, baseUnits, dueUnits };
}
