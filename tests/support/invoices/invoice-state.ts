/** An invoice of 1,000 units as the domain has it, and what happens to it. */
import { decide, type InvoiceState } from '../../../src/domain/invoices/invoice.ts';
import type { InvoiceEvent } from '../../../src/domain/invoices/invoice-event.ts';

export const at = new Date('2026-01-01T00:00:00Z');
export const expiresAt = new Date('2026-01-01T01:00:00Z');
export const late = new Date('2026-01-01T01:00:01Z');

export function invoice(change: Partial<InvoiceState> = {}): InvoiceState {
  return {
    status: 'created',
    version: 0,
    billingType: 'STATIC',
    tolerancePpm: 0n,
    acceptedUnits: null,
    price: {
      asset: 'usdt_ethereum',
      dueUnits: 1000n,
      baseUnits: 1000n,
      originalUnits: null,
      deferralUnits: 20n,
    },
    funds: { pendingUnits: 0n, creditedUnits: 0n, heldUnits: 0n },
    expiresAt,
    processedAt: null,
    txid: null,
    addressFrom: null,
    ...change,
  };
}

export const seen = (units: bigint, when = at): InvoiceEvent => ({
  type: 'payment_seen',
  units,
  txid: 't',
  from: 'f',
  at: when,
});
export const credited = (units: bigint, when = at): InvoiceEvent => ({
  type: 'payment_credited',
  units,
  at: when,
});

/** The state that these events lead to, one after the other. */
export function after(state: InvoiceState, ...events: InvoiceEvent[]): InvoiceState {
  return events.reduce((current, event) => decide(current, event).next, state);
}
