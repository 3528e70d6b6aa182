/** What the hosted checkout asks: the live states of all open pages in one statement, and the payments of one. */
import { CHAINS } from '../../../domain/catalog/chain.ts';
import {
  type CheckoutPayment,
  type CheckoutQueries,
  CONFIRMATIONS_TOLD,
  PAYMENTS_SHOWN,
} from '../../../ports/checkout/checkout-queries.ts';
import type { Sql } from '../client/sql.ts';
import { isUuid, theOnly } from '../client/statements.ts';
import { isThere } from '../deposits/deposit-row.ts';

// domain/deposits/deposit.ts: seen and not final, or gone; everything else is final.
const SHOWN = isThere('d');
const FINAL = `d.status <> 'confirming'`;

// A frozen address is one of its chain; of the invoice's addresses only the present choice's is on it.
const ADDRESS_GONE = `(
  exists (select from permanent_addresses p where p.id = i.permanent_address_id and not p.active)
  or exists (
    select from addresses a join frozen_addresses f on f.address = a.address
    where a.invoice_id = i.id and a.retired = 0 and f.chain = split_part(i.asset, '_', 2))
  or exists (
    select from addresses a join frozen_addresses f on f.address = a.address
    where a.permanent_address_id = i.permanent_address_id and f.chain = split_part(i.asset, '_', 2)))`;

// While the page may say so, or what to choose from depends on it.
const LATE = `(case when i.sandbox or i.status not in ('created', 'confirming', 'partially_paid', 'failed', 'high_risk') then null
  when i.asset is null then nullif(array_to_string($2::text[], ','), '')
  when i.asset = any ($2::text[]) then 'late' end)`;

// By the unique index of external_id, and for each invoice by deposits_of_invoice: the payments that the page shows, since thousands
// may have been sent. The others are in the sum of what was received. A digest, which the id that customers do not know keeps from
// being guessed: statuses such as high_risk are the merchant's.
const LIVE_STATES = `
  select i.external_id,
    md5(concat_ws(':', i.id, i.version, i.status, coalesce(i.asset, ''), coalesce(i.due_units, 0),
      i.pending_units + i.credited_units + i.held_units, paid.state,
      case when i.status in ('created', 'partially_paid') and ${ADDRESS_GONE} then 'gone' end, ${LATE})) as state
  from unnest($1::uuid[]) as wanted (external_id)
  join invoices i on i.external_id = wanted.external_id
  left join lateral (
    select md5(string_agg(concat_ws(',', d.id, d.units, case
        when ${FINAL} then 'final'
        when d.block_height is null then 'waiting'
        else least(c.height - d.block_height + 1, ${CONFIRMATIONS_TOLD})::text
      end), ';' order by d.first_seen_at, d.id)) as state
    from (
      select * from deposits d where d.invoice_id = i.id and ${SHOWN}
      order by d.first_seen_at, d.id limit ${PAYMENTS_SHOWN}
    ) d left join chain_cursors c on c.chain = d.chain
  ) paid on true`;

const PAYMENTS = `
  select d.chain, d.txid, d.asset, d.units, ${FINAL} as final, d.block_height, c.height as head
  from deposits d left join chain_cursors c on c.chain = d.chain
  where d.invoice_id = $1 and ${SHOWN}
  order by d.first_seen_at, d.id limit ${PAYMENTS_SHOWN}`;

const STANDING = `
  select ${ADDRESS_GONE} as gone,
    exists (select from deposits d where d.invoice_id = i.id and ${SHOWN})
    or exists (
      select from addresses a join deposits d on d.chain = any($2::text[]) and d.address = a.address
      where a.invoice_id = i.id and ${SHOWN}) as arrivals
  from invoices i where i.id = $1`;
const CHAIN_NAMES = CHAINS.map(({ name }) => name);

interface PaymentRow {
  readonly chain: string;
  readonly txid: string;
  readonly asset: string;
  readonly units: string;
  readonly final: boolean;
  readonly block_height: string | null;
  readonly head: string | null;
}

/** The states of thousands of open pages at once are read where lists are. */
export function checkoutQueries(database: Sql, lists: Sql): CheckoutQueries {
  return {
    async liveStates(externalIds, seenLate) {
      const ids = externalIds.filter(isUuid);
      if (ids.length === 0) return new Map();
      const rows = await lists.query<{ external_id: string; state: string }>(LIVE_STATES, [
        ids,
        [...seenLate],
      ]);
      return new Map(rows.map((row) => [row.external_id, row.state]));
    },
    async checkoutPayments(invoiceId) {
      return (await database.query<PaymentRow>(PAYMENTS, [invoiceId])).map(paymentFromRow);
    },
    async checkoutStanding(invoiceId) {
      type Row = { gone: boolean; arrivals: boolean };
      const rows = await database.query<Row>(STANDING, [invoiceId, CHAIN_NAMES]);
      const { gone, arrivals } = theOnly(rows, `invoice ${invoiceId}`);
      return { arrivals, addressGone: gone };
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
