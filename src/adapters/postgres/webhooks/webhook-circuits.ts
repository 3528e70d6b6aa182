/**
 * The circuits of webhooks' destinations, one row each. The domain decides their changes, under the
 * row's lock.
 */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import {
  type Circuit,
  type CircuitState,
  decideCircuit,
  MERCHANTS_MOST,
  TRIAL_TURN_SECONDS,
} from '../../../domain/webhooks/receiver-circuit.ts';
import type {
  CircuitChange,
  MetDestination,
  ReceiverCircuits,
} from '../../../ports/webhooks/receiver-circuits.ts';
import type { Database } from '../client/client.ts';
import type { Sql } from '../client/sql.ts';
import { equals } from '../schema/columns.ts';
import { webhookCircuits as c, webhookQueue as q } from '../schema/webhooks.ts';
import { statement } from '../statement.ts';
import {
  at,
  columnsOf,
  insertSelect,
  listOf,
  names,
  records,
  set,
  toExcluded,
  value,
} from '../statement-parts.ts';

const CIRCUIT = {
  state: c.state,
  silences: c.silences,
  failedTrials: c.failedTrials,
  tryAt: c.tryAt,
  merchants: c.merchants,
};
const KEPT = {
  ...CIRCUIT,
  destination: c.destination,
  silentSince: c.silentSince,
  changedAt: c.changedAt,
  reason: c.reason,
};
export const IS_SHUT = sql`not ${equals(c.state, 'closed')}`;

// In the order of the destinations, here and below, so that two batches cannot wait for each other.
const LOCK = statement({
  given: { destinations: listOf(c.destination) },
  selects: { destination: c.destination, ...CIRCUIT },
  text: ({ destinations }, select) => sql`
    select ${select} from ${c} where ${c.destination} = any (${destinations})
    order by ${c.destination} for no key update`,
});
const KEEP = statement({
  given: { circuits: records('given', KEPT) },
  text: ({ circuits }) => sql`
    ${insertSelect(c, columnsOf('given', KEPT))} from ${circuits} order by ${at('given', c.destination)}
    on conflict (${names(c.destination)}) do update set
      ${toExcluded(...Object.values(CIRCUIT), c.changedAt, c.reason)}`,
});
const CLOSE = statement({
  given: { destinations: listOf(c.destination) },
  text: ({ destinations }) => sql`delete from ${c} where ${c.destination} = any (${destinations})`,
});
// The second process skips locked rows: the first one makes the attempt.
const BEGIN_TRIALS = statement({
  given: { destinations: listOf(c.destination), now: c.changedAt, until: c.tryAt },
  selects: { destination: c.destination },
  text: ({ destinations, now, until }, select) => sql`
    with due as materialized (
      select ${c.destination} from ${c}
      where ${c.destination} = any (${destinations}) and ${IS_SHUT} and ${c.tryAt} <= ${now}
      order by ${c.destination} for no key update skip locked)
    update ${c} set ${set(c, { state: sql<CircuitState>`'half_open'`, tryAt: until, changedAt: now })}
    where ${c.destination} = any (array(select ${names(c.destination)} from due))
    returning ${select}`,
});
const FORGET = statement({
  given: { before: c.changedAt },
  text: ({ before }) => sql`delete from ${c} where ${c.changedAt} < ${before}`,
});

const { merchants: _, ...OPENED } = CIRCUIT;
const OPEN = statement({
  given: { limit: value<number>('bigint') },
  selects: {
    ...OPENED,
    destination: c.destination,
    silentSince: c.silentSince,
    reason: c.reason,
    waiting: sql`coalesce(queued.waiting, 0)`.mapWith(Number),
    merchants: sql`coalesce(queued.owners, 0)`.mapWith(Number),
  },
  text: ({ limit }, select) => sql`
    with page as materialized (
      select * from ${c} where ${IS_SHUT} order by ${c.silentSince}, ${c.destination} limit ${limit})
    select ${select} from page ${c} left join (
      select ${q.destination}, count(*) as waiting, count(distinct ${q.merchantId}) as owners from ${q}
      where ${q.deadAt} is null and ${q.destination} = any (array(select ${names(c.destination)} from page))
      group by ${q.destination}) queued on ${at('queued', q.destination)} = ${c.destination}
    order by ${c.silentSince}, ${c.destination}`,
});

/** As holdsBack in domain/webhooks/receiver-circuit.ts; null without a circuit. */
export const holdsBack = (merchantId: SQLWrapper): SQL => sql`
  (${IS_SHUT} and (cardinality(${c.merchants}) >= ${sql.raw(String(MERCHANTS_MOST))}
    or ${merchantId} = any (${c.merchants})))`;

/** As isTurnToTry in domain/webhooks/receiver-circuit.ts. */
export const isTurnToTry = (merchantId: SQLWrapper, now: SQL): SQL => sql`
  ${c.tryAt} + make_interval(secs => ${sql.raw(String(TRIAL_TURN_SECONDS))} *
    coalesce(array_position(${c.merchants}, ${merchantId}) - 1, cardinality(${c.merchants}))) <= ${now}`;

export function postgresReceiverCircuits(database: Database): ReceiverCircuits {
  return {
    async note(met) {
      if (met.length === 0) return [];
      return database.transaction((on) => noteOn(on, met));
    },

    async beginTrials(destinations, { now, until }) {
      if (destinations.length === 0) return [];
      return (await BEGIN_TRIALS(database, { destinations, now, until })).map(
        ({ destination }) => destination,
      );
    },

    async forget(before) {
      await FORGET(database, { before });
    },

    open: (limit) => OPEN(database, { limit }),
  };
}

async function noteOn(on: Sql, met: readonly MetDestination[]): Promise<readonly CircuitChange[]> {
  const rows = await LOCK(on, { destinations: met.map(({ destination }) => destination) });
  const known = new Map(rows.map(({ destination, ...circuit }) => [destination, circuit]));
  const decided = met.map((one) => {
    const before = known.get(one.destination) ?? null;
    const after = decideCircuit(
      before,
      one.answered
        ? { type: 'answered' }
        : { type: 'silent', attempts: one.silent, merchants: one.merchants, at: one.at },
    );
    return { ...one, before, after };
  });
  const circuits = decided.flatMap(({ destination, after, at, reason }) =>
    after === null ? [] : [{ ...after, destination, silentSince: at, changedAt: at, reason }],
  );
  if (circuits.length > 0) await KEEP(on, { circuits });
  const closed = decided.filter(({ before, after }) => before !== null && after === null);
  if (closed.length > 0) await CLOSE(on, { destinations: closed.map(({ destination }) => destination) });
  return decided
    .filter(({ before, after }) => isShut(before) !== isShut(after))
    .map(({ destination, after, reason }) => ({
      destination,
      isOpen: isShut(after),
      tryAt: after?.tryAt ?? null,
      reason,
    }));
}

const isShut = (circuit: Circuit | null): boolean => circuit !== null && circuit.state !== 'closed';
