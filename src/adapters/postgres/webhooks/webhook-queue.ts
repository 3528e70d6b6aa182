/**
 * The dispatcher's side of the webhook outbox, in batches: one statement claims up to hundreds of deliveries, one logs as
 * many attempts and moves their deliveries (performance.md, "Webhooks"). A lease that runs out frees its delivery.
 */
import type { WebhookFormat } from '../../../domain/invoices/invoice-record.ts';
import type { AttemptOutcome, ClaimedDelivery, WebhookQueue } from '../../../ports/webhooks/webhook-queue.ts';
import { byIndex } from '../client/by-index.ts';
import { type Database, DatabaseUnavailable } from '../client/client.ts';
import { isUniqueViolation } from '../client/pg-errors.ts';
import { theOnly } from '../client/statements.ts';
import { TAKE_NUMBERS } from '../lists/numbering.ts';
import { type SigningRow, signingKeysFromRow, signingKeysOf } from '../merchants/signing-keys.ts';
import { asText } from '../statement.ts';
import { holdsBack } from './webhook-circuits.ts';
import { dueIn, dueLanes } from './webhook-lanes.ts';

// The queue grows and drains faster than statistics follow, so the plans are made independent of them: rows are found by
// arrays of ids, whose number is guessed alike for every table. The keys are joined at the end, not looked up row by row.
const FREE = '(leased_until is null or leased_until <= $1)';
const SIGNING = signingKeysOf('d', '$1::timestamptz');
const CLAIM = `
  claimed as (
    update webhook_queue q
    set attempts = q.attempts + 1, leased_until = $1::timestamptz + make_interval(secs => $2)
    where q.delivery_id = any (array(select delivery_id from free))
    returning q.delivery_id, q.destination, q.attempts, q.due_at)
  select d.id, d.invoice_id, d.event_seq, d.merchant_id, c.destination, d.sandbox, d.url, d.format,
    coalesce(d.foreign_body, d.body) as body, c.attempts, ${SIGNING.columns}
  from claimed c
  join webhook_deliveries d on d.id = c.delivery_id and d.id = any (array(select delivery_id from free))
  ${SIGNING.joins}
  order by c.due_at, c.delivery_id`;
const CLAIM_LANES = `
  with oldest as materialized (
    select due.delivery_id
    from unnest($3::text[], $4::text[], $5::int8[], $6::boolean[]) as lane (merchant_id, destination, most, trial)
    left join webhook_circuits c on c.destination = lane.destination
    cross join lateral (${dueIn('lane.merchant_id', 'lane.destination')} limit lane.most) due
    where lane.trial or ${holdsBack('c', 'lane.merchant_id')} is not true),
  free as materialized (
    select delivery_id from webhook_queue
    where delivery_id = any (array(select delivery_id from oldest)) and dead_at is null and ${FREE}
    for no key update skip locked),
  ${CLAIM}`;
const CLAIM_ONE = `
  with free as materialized (
    select delivery_id from webhook_queue where delivery_id = $3 and dead_at is null and ${FREE}
    for no key update skip locked),
  ${CLAIM}`;

const RENEW = `
  update webhook_queue q set leased_until = $3
  from unnest($1::text[], $2::int8[]) as held (delivery_id, attempt)
  where q.delivery_id = any ($1) and q.delivery_id = held.delivery_id and q.attempts = held.attempt
    and q.leased_until is not null`;
// What is overdue by a day is looked at by the index on due_at; usually there is none.
const GIVE_UP = `
  with held as materialized (
    select w.delivery_id from webhook_queue w join webhook_circuits c using (destination)
    where w.dead_at is null and ${FREE} and w.due_at < $2 and ${holdsBack('c', 'w.merchant_id')}
    order by w.due_at, w.delivery_id limit $3 for no key update of w skip locked)
  update webhook_queue set dead_at = $1, leased_until = null
  where delivery_id = any (array(select delivery_id from held))
  returning delivery_id`;

const OUTCOME = [
  'position integer',
  'id text',
  'delivery_id text',
  'invoice_id text',
  'merchant_id text',
  'sandbox boolean',
  'url text',
  'status_code integer',
  'response_body text',
  'attempt integer',
  'sent_at timestamptz',
  'state text',
  'due_at timestamptz',
].join(', ');

// A delivery moves only while it is at the attempt that is recorded: a lost lease has given it a further one.
const RECORD = `
  with given as materialized (select * from json_to_recordset($1::json) as g (${OUTCOME})),
  wanted as materialized (
    select merchant_id, sandbox, 'notifications' as stream, count(*) as lines, max(sent_at) as latest
    from given group by 1, 2),
  ${asText(TAKE_NUMBERS)},
  logged as (
    insert into webhook_attempts
      (id, delivery_id, invoice_id, merchant_id, sandbox, seq, url, status_code, response_body, attempt, sent_at)
    select g.id, g.delivery_id, g.invoice_id, g.merchant_id, g.sandbox,
      c.value + row_number() over (partition by g.merchant_id, g.sandbox order by g.sent_at, g.position),
      g.url, g.status_code, g.response_body, g.attempt, g.sent_at
    from given g join counter c using (merchant_id, sandbox)),
  delivered as (
    delete from webhook_queue q using given g
    where q.delivery_id = any (array(select delivery_id from given where state = 'delivered'))
      and q.delivery_id = g.delivery_id and q.attempts = g.attempt and q.dead_at is null)
  update webhook_queue q set
    due_at = coalesce(g.due_at, q.due_at),
    leased_until = null,
    dead_at = case when g.state = 'dead' then g.sent_at end
  from given g
  where q.delivery_id = any (array(select delivery_id from given where state <> 'delivered'))
    and q.delivery_id = g.delivery_id and q.attempts = g.attempt and q.dead_at is null`;

interface ClaimedRow extends SigningRow {
  readonly id: string;
  readonly invoice_id: string | null;
  readonly event_seq: string | null;
  readonly merchant_id: string;
  readonly destination: string;
  readonly sandbox: boolean;
  readonly url: string;
  readonly format: WebhookFormat;
  readonly body: string;
  readonly attempts: number;
}

export function postgresWebhookQueue(database: Database): WebhookQueue {
  const recordTogether = (rows: readonly OutcomeRow[]) =>
    database.query(RECORD, [JSON.stringify(rows.map((row, position) => ({ position, ...row })))]);

  async function record(rows: readonly OutcomeRow[]): Promise<void> {
    if (rows.length === 0) return;
    try {
      await recordTogether(rows);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      if (rows.length === 1) {
        // Its batch is recorded again, because the first outcome was unknown: it had been written.
        if (isUniqueViolation(error, 'webhook_attempts_pkey')) return;
        throw error;
      }
      // One of them was refused and nothing was written: the others must not be sent again because of it.
      const results = await Promise.allSettled(rows.map((row) => record([row])));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    }
  }

  return {
    dueLanes: dueLanes(database),

    async claim({ lanes, now, leaseSeconds }) {
      if (lanes.length === 0) return [];
      const rows = await byIndex<ClaimedRow>(database, CLAIM_LANES, [
        now,
        leaseSeconds,
        lanes.map(({ merchantId }) => merchantId),
        lanes.map(({ destination }) => destination),
        lanes.map(({ most }) => String(most)),
        lanes.map(({ trial }) => trial),
      ]);
      return rows.map(claimedFromRow);
    },

    async claimOne(deliveryId, { now, leaseSeconds }) {
      const rows = await database.query<ClaimedRow>(CLAIM_ONE, [now, leaseSeconds, deliveryId]);
      return rows.length === 0 ? null : claimedFromRow(theOnly(rows, `claim of ${deliveryId}`));
    },

    async renew(deliveries, until) {
      if (deliveries.length === 0) return;
      const ids = deliveries.map(({ id }) => id);
      await database.query(RENEW, [ids, deliveries.map(({ attempt }) => String(attempt)), until]);
    },

    record: (outcomes) => record(outcomes.map(outcomeRow)),

    async giveUpHeldBack({ before, now, limit }) {
      return (await database.query(GIVE_UP, [now, before, limit])).length;
    },

    logTest: ({ id, merchantId, sandbox, url, statusCode, responseBody, sentAt }) =>
      record([
        {
          id,
          delivery_id: null,
          invoice_id: null,
          merchant_id: merchantId,
          sandbox,
          url,
          status_code: statusCode,
          response_body: storable(responseBody),
          attempt: 1,
          sent_at: sentAt,
          state: null,
          due_at: null,
        },
      ]),
  };
}

interface OutcomeRow {
  readonly id: string;
  readonly delivery_id: string | null;
  readonly invoice_id: string | null;
  readonly merchant_id: string;
  readonly sandbox: boolean;
  readonly url: string;
  readonly status_code: number | null;
  readonly response_body: string;
  readonly attempt: number;
  readonly sent_at: Date;
  readonly state: string | null;
  readonly due_at: Date | null;
}

function outcomeRow({
  attemptId,
  delivery,
  statusCode,
  responseBody,
  sentAt,
  next,
}: AttemptOutcome): OutcomeRow {
  return {
    id: attemptId,
    delivery_id: delivery.id,
    invoice_id: delivery.invoiceId,
    merchant_id: delivery.merchantId,
    sandbox: delivery.sandbox,
    url: delivery.url,
    status_code: statusCode,
    response_body: storable(responseBody),
    attempt: delivery.attempt,
    sent_at: sentAt,
    state: next.state,
    due_at: next.state === 'pending' ? next.dueAt : null,
  };
}

/** Text cut by length may end in half a character, which PostgreSQL refuses as it does NUL. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

function claimedFromRow(row: ClaimedRow): ClaimedDelivery {
  return {
    id: row.id,
    invoiceId: row.invoice_id,
    eventSeq: row.event_seq === null ? null : Number(row.event_seq),
    merchantId: row.merchant_id,
    destination: row.destination,
    sandbox: row.sandbox,
    url: row.url,
    format: row.format,
    body: row.body,
    attempt: row.attempts,
    keys: signingKeysFromRow(row),
  };
}
