/** Snapshots of what moves money: invoices, deposits, payouts, sweeps, addresses, owner funding. */
import type { AuditSubject } from '../../domain/audit/audit-entry.ts';
import type { JsonObject } from '../../domain/money/json.ts';
import type { Repositories } from '../../ports/repositories.ts';
import type { Snapshot, TakeSnapshot } from './snapshot.ts';

export const MONEY_SNAPSHOTS = {
  invoice: async ({ invoices }, id) => {
    const invoice = await invoices.find(id);
    if (invoice === null) return null;
    const { merchantId, sandbox, status, price, funds, expiresAt } = invoice;
    const facts: JsonObject = {
      ...{ sandbox, status, asset: price?.asset ?? null, expires_at: expiresAt.toISOString() },
      ...{ fiat_currency: invoice.fiatCurrency, fiat_micros: String(invoice.initialFiatMicros) },
      due_units: price === null ? null : String(price.dueUnits),
      ...{ pending_units: String(funds.pendingUnits), credited_units: String(funds.creditedUnits) },
      ...{ held_units: String(funds.heldUnits), extra: invoice.extra },
    };
    return { merchantId, facts };
  },

  deposit: async ({ deposits }, id) => {
    const deposit = await deposits.find(id);
    if (deposit === null) return null;
    const { merchantId, sandbox, status, chain, txid, asset, address, units } = deposit;
    const facts = {
      ...{ sandbox, status, chain, txid, asset, address, units: String(units) },
      ...{ invoice_id: deposit.invoiceId, stray_reason: deposit.strayReason, note: deposit.note },
    };
    return { merchantId, facts };
  },

  payout: (repositories, id) => payoutSnapshot(repositories, id),

  sweep: async ({ sweeps, outgoing }, id) => {
    const [transfer] = await outgoing.find([id]);
    const sweep = await sweeps.find(transfer?.referenceId ?? id);
    if (sweep === null) return null;
    const { chain, address, asset, status, forced, units, reason } = sweep;
    const parts = [sweep.topupId, sweep.delegationId, sweep.transferId, sweep.undelegationId];
    const transfers = await outgoing.find(parts.flatMap((part) => part ?? []));
    const facts = {
      ...{ chain, address, asset, status, forced, units: units === null ? null : String(units) },
      reason: reason && { code: reason.code, text: reason.text },
      transfers: transfers
        .map((part) => ({ id: part.id, purpose: part.purpose, status: part.status, given_up: part.voided }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    };
    return { merchantId: null, facts };
  },

  address: async ({ frozen }, id) => {
    const found = await frozen.find(placeOf(id));
    const facts = { frozen_at: found?.at.toISOString() ?? null, reason: found?.reason ?? null };
    return { merchantId: null, facts };
  },

  capital: async ({ capital }, id) => {
    const [chain, asset] = splitAtColon(id);
    const booking = await capital.newest({ chain, asset });
    if (booking === null) return null;
    const { units, address, note, block, at } = booking;
    const facts = { booking_id: booking.id, address, units: String(units), note, block: block.height };
    return { merchantId: null, facts: { ...facts, at: at.toISOString() } };
  },
} satisfies Partial<Record<AuditSubject, TakeSnapshot>>;

/** A payout or refund, with its signed transfer: an order to cancel or replace it is kept there. */
export async function payoutSnapshot(
  { payouts, outgoing }: Repositories,
  id: string,
): Promise<Snapshot | null> {
  const payout = await payouts.find(id);
  if (payout === null) return null;
  const { merchantId, sandbox, kind, status, held, waiting, asset, address, txid } = payout;
  const transfer = await outgoing.payingOf(id);
  const facts = {
    ...{ sandbox, kind, status, asset, address, txid },
    ...{ amount_units: String(payout.amountUnits), sent_units: String(payout.sentUnits) },
    ...{ invoice_id: payout.invoiceId, ordered_by: payout.orderedBy },
    held: held && { code: held.code, text: held.text },
    waiting: waiting && { code: waiting.code, reason: waiting.reason },
    ...{ released: payout.released, merchant_waived: payout.merchantWaived },
    transfer: transfer && {
      ...{ id: transfer.id, status: transfer.status, given_up: transfer.voided },
      fee_bump_requested: transfer.feeBumpRequested,
    },
  };
  return { merchantId, facts };
}

function placeOf(id: string): { chain: string; address: string } {
  const [chain, address] = splitAtColon(id);
  return { chain, address };
}

function splitAtColon(id: string): readonly [string, string] {
  const at = id.indexOf(':');
  return [id.slice(0, at), id.slice(at + 1)];
}
