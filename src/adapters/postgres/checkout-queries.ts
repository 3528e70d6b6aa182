/** What the hosted checkout asks: the live states of all open pages in one statement, and the payments of one. */
import {
  type CheckoutPayment,
  type CheckoutQueries,
  CONFIRMATIONS_TOLD,
  PAYMENTS_SHOWN,
} from '../../ports/checkout-queries.ts';
import type { Sql } from './client.ts';
import { isThere } from './deposit-row.ts';
import { isUuid } from './statements.ts';

// domain/deposit.ts: seen and not final, or gone; everything else is final.
const SHOWN = isThere('d');
const FINAL = `d.status <> 'confirming'`;

// By the unique index of external_id, and for each invoice by deposits_of_invoice.
const LIVE_STATES = `
  select i.external_id,
    concat_ws(':', i.version, i.status, coalesce(i.asset, ''), coalesce(i.due_units, 0),
      i.pending_units + i.credited_units + i.held_units, paid.state) as state
  from unnest($1::uuid[]) as wanted (external_id)
  join invoices i on i.external_id = wanted.external_id
  left join lateral (
    select md5(string_agg(concat_ws(',', d.id, d.units, case
        when ${FINAL} then 'final'
        when d.block_height is null then 'waiting'
        else least(c.height - d.block_height + 1, ${CONFIRMATIONS_TOLD})::text
      end), ';' order by d.id)) as state
    from deposits d left join chain_cursors c on c.chain = d.chain
    where d.invoice_id = i.id and ${SHOWN}
  ) paid on true`;

const PAYMENTS = `
  select d.chain, d.txid, d.asset, d.units, ${FINAL} as final, d.block_height, c.height as head
  from deposits d left join chain_cursors c on c.chain = d.chain
  where d.invoice_id = $1 and ${SHOWN}
  order by d.first_seen_at, d.id limit ${PAYMENTS_SHOWN}`;

interface PaymentRow {
  readonly chain: string;
  readonly txid: string;
  readonly asset: string;
  readonly units: string;
  readonly final: boolean;
  readonly block_height: string | null;
  readonly head: string | null;
}

export function checkoutQueries(database: Sql): CheckoutQueries {
  return {
    async liveStates(externalIds) {
      const ids = externalIds.filter(isUuid);
      if (ids.length === 0) return new Map();
      const rows = await database.query<{ external_id: string; state: string }>(LIVE_STATES, [ids]);
      return new Map(rows.map((row) => [row.external_id, row.state]));
    },
    async checkoutPayments(invoiceId) {
      return (await database.query<PaymentRow>(PAYMENTS, [invoiceId])).map(paymentFromRow);
    },
  };
}

function paymentFromRow(row: PaymentRow): CheckoutPayment {
  return {
    chain: row.chain,
    txid: row.txid,
    asset: row.asset,
    units: BigInt(row.units),
    final: row.final,
    height: row.block_height === null ? null : Number(row.block_height),
    head: row.head === null ? null : Number(row.head),
  };
}
