/**
 * The dispatcher's side of the webhook outbox, in batches: one statement claims up to hundreds of deliveries, one logs as
 * many attempts and moves their deliveries (performance.md, "Webhooks"). A lease that runs out frees its delivery.
 */
import type { AttemptOutcome, ClaimedDelivery, WebhookQueue } from '../../ports/webhook-queue.ts';
import { type Database, DatabaseUnavailable } from './client.ts';
import { isUniqueViolation } from './pg-errors.ts';
import { theOnly } from './statements.ts';

// The queue grows and drains faster than statistics follow, so the plans are made independent of them: rows are found by
// arrays of ids, whose number is guessed alike for every table. The keys are joined at the end, not looked up row by row.
const FREE = '(leased_until is null or leased_until <= $1)';
const CLAIM = `
  claimed as (
    update webhook_queue q
    set attempts = q.attempts + 1, leased_until = $1::timestamptz + make_interval(secs => $2)
    where q.delivery_id = any (array(select delivery_id from free))
    returning q.delivery_id, q.attempts, q.due_at)
  select d.id, d.invoice_id, d.merchant_id, d.sandbox, d.url, d.body, c.attempts, k.sealed as sealed_key
  from claimed c
  join webhook_deliveries d on d.id = c.delivery_id and d.id = any (array(select delivery_id from free))
  left join api_keys k on k.merchant_id = d.merchant_id and k.sandbox = d.sandbox and k.revoked_at is null
  order by c.due_at, c.delivery_id`;
const CLAIM_DUE = `
  with free as materialized (
    select delivery_id from webhook_queue where dead_at is null and ${FREE} and due_at <= $1
    order by due_at, delivery_id limit $3 for no key update skip locked),
  ${CLAIM}`;
// With merchants to spare, those that have something pending are walked through by the index, one look-up each: however
// long the backlog of one of them is, the rest of the statement does not see it. Only what is taken is locked.
const CLAIM_DUE_SPARING = `
  with recursive merchant (id) as (
    (select merchant_id from webhook_queue where dead_at is null order by merchant_id limit 1)
    union all
    select (
      select w.merchant_id from webhook_queue w
      where w.dead_at is null and w.merchant_id > merchant.id order by w.merchant_id limit 1)
    from merchant where merchant.id is not null),
  oldest as materialized (
    select due.delivery_id from merchant
    left join unnest($4::text[], $5::int8[]) as sparing (merchant_id, most) on sparing.merchant_id = merchant.id
    cross join lateral (
      select w.delivery_id, w.due_at from webhook_queue w
      where w.dead_at is null and ${FREE} and w.due_at <= $1 and w.merchant_id = merchant.id
      order by w.due_at, w.delivery_id limit coalesce(sparing.most, $3)) due
    where merchant.id is not null
    order by due.due_at, due.delivery_id limit $3),
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

// Attempts get dense numbers under their merchants' counters, locked in merchant order. A delivery moves only while it is
// at the attempt that is recorded: a lost lease has given it a further one.
const RECORD = `
  with given as materialized (select * from json_to_recordset($1::json) as g (${OUTCOME})),
  per_merchant as materialized (
    select merchant_id, sandbox, count(*) as attempts, max(sent_at) as latest from given group by 1, 2),
  counter as materialized (
    select c.merchant_id, c.sandbox, c.value, c.last_at, m.attempts, m.latest
    from counters c join per_merchant m using (merchant_id, sandbox)
    where c.stream = 'notifications' order by c.merchant_id, c.sandbox for no key update of c),
  counted as (
    update counters c set value = k.value + k.attempts, last_at = greatest(k.last_at, k.latest)
    from counter k
    where c.merchant_id = k.merchant_id and c.sandbox = k.sandbox and c.stream = 'notifications'),
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

interface ClaimedRow {
  readonly id: string;
  readonly invoice_id: string;
  readonly merchant_id: string;
  readonly sandbox: boolean;
  readonly url: string;
  readonly body: string;
  readonly attempts: number;
  readonly sealed_key: string | null;
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
    async claim({ limit, now, leaseSeconds, sparing }) {
      const rows =
        sparing.size === 0
          ? await database.query<ClaimedRow>(CLAIM_DUE, [now, leaseSeconds, limit])
          : await database.query<ClaimedRow>(CLAIM_DUE_SPARING, [
              now,
              leaseSeconds,
              limit,
              [...sparing.keys()],
              [...sparing.values()].map(String),
            ]);
      return rows.map(claimedFromRow);
    },

    async claimOne(deliveryId, { now, leaseSeconds }) {
      const rows = await database.query<ClaimedRow>(CLAIM_ONE, [now, leaseSeconds, deliveryId]);
      return rows.length === 0 ? null : claimedFromRow(theOnly(rows, `claim of ${deliveryId}`));
    },

    record: (outcomes) => record(outcomes.map(outcomeRow)),

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
    merchantId: row.merchant_id,
    sandbox: row.sandbox,
    url: row.url,
    body: row.body,
    attempt: row.attempts,
    sealedKey: row.sealed_key,
  };
}
