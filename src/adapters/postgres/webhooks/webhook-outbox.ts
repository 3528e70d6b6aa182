/**
 * Webhooks and events are written with the last statement of their transaction, at most one per
 * (invoice, version). So a merchant's counter of events is locked after everything else, in one
 * order, and only for a commit: numbers have the order of commits, and no two transactions can
 * deadlock over them.
 */
import { getTableColumns, sql } from 'drizzle-orm';
import { destinationOf } from '../../../domain/webhooks/webhook-url.ts';
import type { NewDelivery, WebhookOutbox } from '../../../ports/webhooks/webhook-outbox.ts';
import type { SqlParameter } from '../client/parameters.ts';
import type { Sql } from '../client/sql.ts';
import { TAKE_NUMBERS } from '../lists/numbering.ts';
import { counters as n } from '../schema/merchants.ts';
import { webhookDeliveries as d, webhookQueue as q } from '../schema/webhooks.ts';
import { type RowOf, statement } from '../statement.ts';
import { at, columnsOf, encoded, encoderOf, insertSelect, names, records, set } from '../statement-parts.ts';
import { eventsToTellAgain, givenUp, queueAgain } from './events-again.ts';
import { toldIn } from './stored-body.ts';

/** `eventSeq` is the position among the given events. */
const DELIVERY = getTableColumns(d);
const GIVEN = { ...DELIVERY, destination: q.destination, dueAt: q.dueAt };
const G = columnsOf('given', GIVEN);
const ROW = { ...GIVEN, packedBody: encoded(d.packedBody) };
const pack = encoderOf(d.packedBody);
const SCOPE = names(n.merchantId, n.sandbox);

// Existing events take no number. The invoice is locked by this transaction, so no other writes the
// same one meanwhile. A merchant that an older version created has no counter of events: the first
// event creates it. Of two concurrent ones the later waits for the earlier, and continues its
// numbers.
const WRITE = statement({
  given: { deliveries: records('given', ROW) },
  text: ({ deliveries }) => sql`
    with given as materialized (
      select * from ${deliveries} where not exists (
        select from ${d} where ${d.invoiceId} = ${G.invoiceId} and ${d.invoiceVersion} = ${G.invoiceVersion})),
    wanted as materialized (
      select ${SCOPE}, 'events' as ${names(n.stream)}, count(*) as lines, max(${G.eventAt}) as latest
      from given where ${G.eventAt} is not null group by 1, 2),
    ${TAKE_NUMBERS},
    opened as (
      ${insertSelect(n, {
        merchantId: at('wanted', n.merchantId),
        sandbox: at('wanted', n.sandbox),
        stream: at('wanted', n.stream),
        value: sql<bigint>`wanted.lines`,
        lastAt: sql<Date>`wanted.latest`,
      })}
      from wanted where (${SCOPE}) not in (select ${SCOPE} from counter) order by ${SCOPE}
      on conflict (${names(n.merchantId, n.sandbox, n.stream)}) do update set ${set(n, {
        value: sql<bigint>`${n.value} + ${at('excluded', n.value)}`,
        lastAt: sql<Date>`greatest(${n.lastAt}, ${at('excluded', n.lastAt)})`,
      })}
      returning ${n.merchantId}, ${n.sandbox}, ${n.value}, ${n.lastAt}),
    numbers as (
      select ${SCOPE}, ${names(n.value, n.lastAt)} from counter
      union all
      select ${SCOPE}, ${at('opened', n.value)} - wanted.lines, ${at('opened', n.lastAt)}
      from opened join wanted using (${SCOPE})),
    told as (
      select given.*,
        case when ${G.eventAt} is not null then ${at('numbers', n.value)} + row_number() over place else (
          select ${d.eventSeq} from ${d} where ${d.invoiceId} = ${G.invoiceId} and ${d.invoiceVersion} is not null
          order by ${d.invoiceVersion} desc limit 1) end as seq,
        case when ${G.eventAt} is not null then greatest(${at('numbers', n.lastAt)}, max(${G.eventAt}) over place) end as at
      from given left join numbers on ${G.eventAt} is not null
        and ${at('numbers', n.merchantId)} = ${G.merchantId} and ${at('numbers', n.sandbox)} = ${G.sandbox}
      window place as (partition by ${G.merchantId}, ${G.sandbox}, ${G.eventAt} is not null order by ${G.eventSeq})),
    delivery as (
      ${insertSelect(d, {
        ...columnsOf('told', DELIVERY),
        eventSeq: sql<bigint | null>`seq`,
        eventAt: sql<Date | null>`at`,
      })}
      from told)
    ${insertSelect(q, {
      deliveryId: G.id,
      merchantId: G.merchantId,
      sandbox: G.sandbox,
      destination: G.destination,
      dueAt: G.dueAt,
      attempts: sql<number>`0`,
    })}
    from given where ${G.url} is not null`,
});

/** Deliveries that are made into rows at a time. */
const TURN = 16;

/** `flush` writes what was enqueued: the transaction's last statement. */
export function webhookOutbox(on: Sql): { readonly outbox: WebhookOutbox; flush(): Promise<void> } {
  const kept: NewDelivery[] = [];
  const rows: DeliveryRow[] = [];
  let isBusy = false;
  const addRows = (upTo: number): void => {
    for (const delivery of kept.slice(rows.length, upTo)) rows.push(rowOf(delivery, rows.length));
  };

  /** In turns, while the database runs the transaction's earlier statements. */
  function packMeanwhile(): void {
    try {
      addRows(rows.length + TURN);
    } catch {
      // `flush` throws it, to whom it concerns.
      return;
    }
    isBusy = rows.length < kept.length;
    if (isBusy) setImmediate(packMeanwhile);
  }

  return {
    outbox: {
      async enqueue(delivery) {
        kept.push(delivery);
        if (isBusy || kept.length < rows.length + TURN) return;
        isBusy = true;
        setImmediate(packMeanwhile);
      },
      toTellAgain: (scope, wanted, most) => eventsToTellAgain(on, scope, wanted, most),
      givenUp: (scope, of) => givenUp(on, scope, of),
      tellAgain: (deliveries, dueAt) => queueAgain(on, deliveries, dueAt),
    },
    async flush() {
      addRows(kept.length);
      if (rows.length > 0) await WRITE(on, { deliveries: rows });
    },
  };
}

type DeliveryRow = Omit<RowOf<typeof GIVEN>, 'packedBody'> & { readonly packedBody: SqlParameter };

function rowOf({ foreign, dueAt, ...delivery }: NewDelivery, place: number): DeliveryRow {
  return {
    ...delivery,
    body: null,
    packedBody: pack(delivery.body),
    ...toldIn(delivery.body),
    format: foreign?.format ?? 'native_v2',
    foreignBody: foreign?.body ?? null,
    eventSeq: BigInt(place),
    // Without a URL it is not queued.
    destination: delivery.url === null ? '' : destinationOf(delivery.url),
    dueAt,
  };
}
