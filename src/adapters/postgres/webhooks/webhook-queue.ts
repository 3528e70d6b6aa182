/**
 * The dispatcher's side of the webhook outbox, in batches: one statement claims up to hundreds of
 * deliveries, one logs as many attempts and updates their deliveries (performance.md, "Webhooks").
 * An expired lease frees its delivery.
 */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { AttemptOutcome, ClaimedDelivery, WebhookQueue } from '../../../ports/webhooks/webhook-queue.ts';
import { byIndex } from '../client/by-index.ts';
import { type Database, DatabaseUnavailable } from '../client/client.ts';
import { isUniqueViolation } from '../client/pg-errors.ts';
import { theOnly } from '../client/statements.ts';
import { COUNTER, TAKE_NUMBERS } from '../lists/numbering.ts';
import { SIGNING_KEYS, signingJoins, signingKeysFromRow } from '../merchants/signing-keys.ts';
import { counters as n } from '../schema/merchants.ts';
import {
  webhookAttempts as a,
  webhookCircuits as c,
  webhookDeliveries as d,
  webhookQueue as q,
} from '../schema/webhooks.ts';
import { type RowOf, statement } from '../statement.ts';
import {
  type Asked,
  at,
  columnsOf,
  insertSelect,
  like,
  listOf,
  names,
  notNull,
  nullable,
  records,
  set,
  value,
} from '../statement-parts.ts';
import { readableBodyOf } from './stored-body.ts';
import { holdsBack } from './webhook-circuits.ts';
import { dueIn, dueLanes, isFree } from './webhook-lanes.ts';

const CLAIMED = {
  id: d.id,
  invoiceId: d.invoiceId,
  eventSeq: sql<number | null>`${d.eventSeq}`.mapWith(Number),
  merchantId: d.merchantId,
  destination: at('claimed', q.destination),
  sandbox: d.sandbox,
  url: notNull(d.url),
  format: d.format,
  ...{ foreignBody: d.foreignBody, body: d.body },
  // Unpacked one by one, so that a damaged one fails alone.
  packedBody: sql<Uint8Array | null>`${d.packedBody}`,
  attempt: at('claimed', q.attempts),
  ...SIGNING_KEYS,
};
const LEASE = { now: value<Date>('timestamptz'), leaseSeconds: value<number>('float8') };
const LANE = columnsOf('lane', { merchantId: q.merchantId, destination: q.destination });
const anyOf = (from: 'free' | 'held' | 'oldest'): SQL =>
  sql`any (array(select ${names(q.deliveryId)} from ${sql.raw(from)}))`;

// The queue grows and shrinks faster than its statistics, so the plans do not depend on them: rows
// are found by arrays of ids, whose length the planner guesses alike for every table. The keys are
// joined at the end, not looked up row by row.
const claim = ({ now, leaseSeconds }: Record<keyof typeof LEASE, SQL>, select: SQL): SQL => sql`
  claimed as (
    update ${q} set ${set(q, {
      attempts: sql<number>`${q.attempts} + 1`,
      leasedUntil: sql<Date>`${now} + make_interval(secs => ${leaseSeconds})`,
    })}
    where ${q.deliveryId} = ${anyOf('free')}
    returning ${q.deliveryId}, ${q.destination}, ${q.attempts}, ${q.dueAt})
  select ${select}
  from claimed join ${d} on ${d.id} = ${at('claimed', q.deliveryId)} and ${d.id} = ${anyOf('free')}
  ${signingJoins(d, now)}
  order by ${at('claimed', q.dueAt)}, ${at('claimed', q.deliveryId)}`;
const CLAIM_LANES = statement({
  given: {
    ...LEASE,
    merchantIds: listOf(q.merchantId),
    destinations: listOf(q.destination),
    most: value<readonly number[]>('bigint[]'),
    trials: value<readonly boolean[]>('boolean[]'),
  },
  selects: CLAIMED,
  text: ({ merchantIds, destinations, most, trials, ...lease }, select) => sql`
    with oldest as materialized (
      select due.delivery_id
      from unnest(${merchantIds}, ${destinations}, ${most}, ${trials})
        as lane (${names(q.merchantId, q.destination)}, most, trial)
      left join ${c} on ${c.destination} = ${LANE.destination}
      cross join lateral (${dueIn(LANE.merchantId, LANE.destination, lease.now)} limit lane.most) due
      where lane.trial or ${holdsBack(LANE.merchantId)} is not true),
    free as materialized (
      select ${q.deliveryId} from ${q}
      where ${q.deliveryId} = ${anyOf('oldest')} and ${q.deadAt} is null and ${isFree(lease.now)}
      for no key update skip locked),
    ${claim(lease, select)}`,
});
const CLAIM_ONE = statement({
  given: { ...LEASE, deliveryId: q.deliveryId },
  selects: CLAIMED,
  text: ({ deliveryId, ...lease }, select) => sql`
    with free as materialized (
      select ${q.deliveryId} from ${q}
      where ${q.deliveryId} = ${deliveryId} and ${q.deadAt} is null and ${isFree(lease.now)}
      for no key update skip locked),
    ${claim(lease, select)}`,
});

const RENEW = statement({
  given: { ids: listOf(q.deliveryId), attempts: listOf(q.attempts), until: q.leasedUntil },
  text: ({ ids, attempts, until }) => sql`
    update ${q} set ${set(q, { leasedUntil: until })}
    from unnest(${ids}, ${attempts}) as held (${names(q.deliveryId, q.attempts)})
    where ${q.deliveryId} = any (${ids}) and ${q.deliveryId} = ${at('held', q.deliveryId)}
      and ${q.attempts} = ${at('held', q.attempts)} and ${q.leasedUntil} is not null`,
});
// Deliveries that are overdue by a day, by the index on due_at; usually there is none.
const GIVE_UP = statement({
  given: { now: q.deadAt, before: q.dueAt, limit: value<number>('bigint') },
  selects: { deliveryId: q.deliveryId },
  text: ({ now, before, limit }, select) => sql`
    with held as materialized (
      select ${q.deliveryId} from ${q} join ${c} on ${c.destination} = ${q.destination}
      where ${q.deadAt} is null and ${isFree(now)} and ${q.dueAt} < ${before} and ${holdsBack(q.merchantId)}
      order by ${q.dueAt}, ${q.deliveryId} limit ${limit} for no key update of ${q} skip locked)
    update ${q} set ${set(q, { deadAt: now, leasedUntil: sql<null>`null` })}
    where ${q.deliveryId} = ${anyOf('held')}
    returning ${select}`,
});

const ATTEMPT = getTableColumns(a);
/**
 * `seq` is the position among the given outcomes. `state` and the next attempt belong to the
 * delivery, if there is one.
 */
const OUTCOME = {
  ...ATTEMPT,
  state: value<AttemptOutcome['next']['state'] | null>('text'),
  dueAt: nullable(q.dueAt),
};
type OutcomeRow = Omit<{ readonly [Name in keyof typeof OUTCOME]: Asked<(typeof OUTCOME)[Name]> }, 'seq'>;
const G = columnsOf('given', ATTEMPT);
/**
 * A delivery is updated only if it is still at the recorded attempt: a lost lease has moved it to a
 * further one.
 */
const movesBy = (condition: SQL): SQL => sql`
  ${q.deliveryId} = any (array(select ${names(a.deliveryId)} from given where ${condition}))
    and ${q.deliveryId} = ${G.deliveryId} and ${q.attempts} = ${G.attempt} and ${q.deadAt} is null`;
const RECORD = statement({
  given: { outcomes: records('given', OUTCOME) },
  text: ({ outcomes }) => sql`
    with given as materialized (select * from ${outcomes}),
    wanted as materialized (
      select ${names(a.merchantId, a.sandbox)}, 'notifications' as ${names(n.stream)}, count(*) as lines,
        max(${G.sentAt}) as latest
      from given group by 1, 2),
    ${TAKE_NUMBERS},
    logged as (
      ${insertSelect(a, {
        ...G,
        seq: sql<bigint>`${COUNTER.value}
          + row_number() over (partition by ${G.merchantId}, ${G.sandbox} order by ${G.sentAt}, ${G.seq})`,
      })}
      from given join counter using (${names(n.merchantId, n.sandbox)})),
    delivered as (delete from ${q} using given where ${movesBy(sql`state = 'delivered'`)})
    update ${q} set ${set(q, {
      dueAt: sql<Date>`coalesce(${at('given', q.dueAt)}, ${q.dueAt})`,
      leasedUntil: sql<null>`null`,
      deadAt: like(q.deadAt, sql`case when given.state = 'dead' then ${G.sentAt} end`),
    })}
    from given where ${movesBy(sql`state <> 'delivered'`)}`,
});

export function postgresWebhookQueue(database: Database): WebhookQueue {
  const recordTogether = (rows: readonly OutcomeRow[]) =>
    RECORD(database, { outcomes: rows.map((row, place) => ({ ...row, seq: BigInt(place) })) });

  async function record(rows: readonly OutcomeRow[]): Promise<void> {
    if (rows.length === 0) return;
    try {
      await recordTogether(rows);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      if (rows.length === 1) {
        // The batch is recorded again because its first outcome was unknown: it had been written.
        if (isUniqueViolation(error, 'webhook_attempts_pkey')) return;
        throw error;
      }
      // One of them was refused and nothing was written: the others must not be sent again because
      // of it.
      const results = await Promise.allSettled(rows.map((row) => record([row])));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    }
  }

  return {
    dueLanes: dueLanes(database),

    async claim({ lanes, now, leaseSeconds }) {
      if (lanes.length === 0) return [];
      const rows = await byIndex(database, (on) =>
        CLAIM_LANES(on, {
          now,
          leaseSeconds,
          merchantIds: lanes.map(({ merchantId }) => merchantId),
          destinations: lanes.map(({ destination }) => destination),
          most: lanes.map(({ most }) => most),
          trials: lanes.map(({ trial }) => trial),
        }),
      );
      return rows.map(claimedFromRow);
    },

    async claimOne(deliveryId, { now, leaseSeconds }) {
      const rows = await CLAIM_ONE(database, { now, leaseSeconds, deliveryId });
      return rows.length === 0 ? null : claimedFromRow(theOnly(rows, `claim of ${deliveryId}`));
    },

    async renew(deliveries, until) {
      if (deliveries.length === 0) return;
      const ids = deliveries.map(({ id }) => id);
      await RENEW(database, { ids, attempts: deliveries.map(({ attempt }) => attempt), until });
    },

    record: (outcomes) => record(outcomes.map(outcomeRow)),

    giveUpHeldBack: async (request) => (await GIVE_UP(database, request)).length,

    logTest: ({ responseBody, ...attempt }) =>
      record([
        {
          ...attempt,
          responseBody: storable(responseBody),
          deliveryId: null,
          invoiceId: null,
          attempt: 1,
          state: null,
          dueAt: null,
        },
      ]),
  };
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
    deliveryId: delivery.id,
    invoiceId: delivery.invoiceId,
    merchantId: delivery.merchantId,
    sandbox: delivery.sandbox,
    url: delivery.url,
    statusCode,
    responseBody: storable(responseBody),
    attempt: delivery.attempt,
    sentAt,
    state: next.state,
    dueAt: next.state === 'pending' ? next.dueAt : null,
  };
}

/** Text that was cut by length may end in half a character, which PostgreSQL refuses, like NUL. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

function claimedFromRow(row: RowOf<typeof CLAIMED>): ClaimedDelivery {
  return {
    id: row.id,
    invoiceId: row.invoiceId,
    eventSeq: row.eventSeq,
    merchantId: row.merchantId,
    destination: row.destination,
    sandbox: row.sandbox,
    url: row.url,
    format: row.format,
    body: row.foreignBody ?? readableBodyOf(row, row.eventSeq),
    attempt: row.attempt,
    keys: signingKeysFromRow(row),
  };
}
