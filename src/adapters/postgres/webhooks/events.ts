/** The merchants' events in order, read by dense number, so that any position costs the same. */
import { sql } from 'drizzle-orm';
import type { MerchantEvent, Queries, Scope } from '../../../ports/list-queries.ts';
import type { Sql } from '../client/sql.ts';
import { equals } from '../schema/columns.ts';
import { counters as c } from '../schema/merchants.ts';
import { webhookDeliveries as d } from '../schema/webhooks.ts';
import { statement } from '../statement.ts';
import { columnsOf, ifThere, names, value } from '../statement-parts.ts';
import { eventTold, readableBodyOf } from './stored-body.ts';

const COLUMNS = {
  ...{ eventSeq: d.eventSeq, eventAt: d.eventAt, payoutId: d.payoutId, body: d.body },
  ...{ packedBody: d.packedBody, toldStatus: d.toldStatus, toldEvent: d.toldEvent },
};
const PAGE = columnsOf('page', COLUMNS);

// One statement is one snapshot: with a committed number all smaller ones are visible
// (webhook-outbox.ts).
const AFTER = statement({
  given: {
    merchantId: d.merchantId,
    sandbox: d.sandbox,
    after: value<number>('bigint'),
    limit: value<number>('bigint'),
  },
  selects: {
    last: sql`${c.value}`.mapWith(Number),
    seq: sql<number | null>`${PAGE.eventSeq}`.mapWith(Number),
    type: eventTold(PAGE),
    createdAt: PAGE.eventAt,
    body: PAGE.body,
    packedBody: sql<Uint8Array | null>`${PAGE.packedBody}`,
    toldStatus: PAGE.toldStatus,
  },
  text: ({ merchantId, sandbox, after, limit }, select) => sql`
    with page as materialized (
      select ${names(...Object.values(COLUMNS))} from ${d}
      where ${d.merchantId} = ${merchantId} and ${d.sandbox} = ${sandbox} and ${d.eventSeq} > ${after}
        and ${d.eventAt} is not null
      order by ${d.eventSeq} limit ${limit})
    select ${select} from ${c} left join page on true
    where ${c.merchantId} = ${merchantId} and ${c.sandbox} = ${sandbox} and ${equals(c.stream, 'events')}
    order by ${PAGE.eventSeq}`,
});

export async function eventsAfter(
  on: Sql,
  { merchantId, sandbox }: Scope,
  { after, limit }: Parameters<Queries['events']>[1],
): ReturnType<Queries['events']> {
  const rows = await AFTER(on, { merchantId, sandbox, after, limit });
  // An empty page has one row, which carries the last number.
  const events = rows.flatMap((row) => {
    const { last: _, body, packedBody, toldStatus, ...event } = row;
    const there = ifThere<Omit<MerchantEvent, 'body'>>(event, 'seq');
    if (!there) return [];
    // A damaged body keeps no other event from its merchant: it has what its columns say.
    const told = { status: toldStatus, event_seq: there.seq };
    return { ...there, body: readableBodyOf({ body, packedBody }, there.seq) ?? JSON.stringify(told) };
  });
  return { events, last: rows[0]?.last ?? 0 };
}
