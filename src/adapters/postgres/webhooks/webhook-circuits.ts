/** The circuits of webhooks' destinations, a row each. What happens to one is decided by the domain, under its row's lock. */
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

// In the order of the destinations, here and below, so that two batches cannot wait for each other.
const LOCK = `
  select destination, state, silences, failed_trials, try_at, merchants from webhook_circuits
  where destination = any ($1) order by destination for no key update`;
const COLUMNS = [
  'destination text',
  'state text',
  'silences integer',
  'failed_trials integer',
  'try_at timestamptz',
  'merchants text[]',
  'silent_since timestamptz',
  'changed_at timestamptz',
  'reason text',
];
const NAMES = COLUMNS.map((column) => column.split(' ')[0]).join(', ');
const KEEP = `
  insert into webhook_circuits (${NAMES})
  select ${NAMES} from json_to_recordset($1::json) as given (${COLUMNS.join(', ')}) order by destination
  on conflict (destination) do update set
    state = excluded.state, silences = excluded.silences, failed_trials = excluded.failed_trials,
    try_at = excluded.try_at, merchants = excluded.merchants, changed_at = excluded.changed_at, reason = excluded.reason`;
const CLOSE = 'delete from webhook_circuits where destination = any ($1)';
// Who comes second waits for nobody: another one makes the attempt.
const BEGIN_TRIALS = `
  with due as materialized (
    select destination from webhook_circuits
    where destination = any ($1) and state <> 'closed' and try_at <= $2 for no key update skip locked)
  update webhook_circuits set state = 'half_open', try_at = $3, changed_at = $2
  where destination = any (array(select destination from due))
  returning destination`;
const FORGET = 'delete from webhook_circuits where changed_at < $1';

const OPEN = `
  with page as materialized (
    select * from webhook_circuits where state <> 'closed' order by silent_since, destination limit $1)
  select page.*, coalesce(w.waiting, 0) as waiting, coalesce(w.owners, 0) as owners
  from page left join (
    select destination, count(*) as waiting, count(distinct merchant_id) as owners from webhook_queue
    where dead_at is null and destination = any (array(select destination from page)) group by destination) w
  using (destination) order by silent_since, destination`;

/** As holdsBack in domain/webhooks/receiver-circuit.ts; null where there is no circuit. */
export const holdsBack = (circuit: string, merchantId: string): string =>
  `(${circuit}.state <> 'closed' and (cardinality(${circuit}.merchants) >= ${MERCHANTS_MOST} or ${merchantId} = any (${circuit}.merchants)))`;

/** As isTurnToTry in domain/webhooks/receiver-circuit.ts, at $1. */
export const isTurnToTry = (circuit: string, merchantId: string): string =>
  `${circuit}.try_at + make_interval(secs => ${TRIAL_TURN_SECONDS} *
    coalesce(array_position(${circuit}.merchants, ${merchantId}) - 1, cardinality(${circuit}.merchants))) <= $1`;

interface CircuitRow {
  readonly destination: string;
  readonly state: CircuitState;
  readonly silences: number;
  readonly failed_trials: number;
  readonly try_at: Date | null;
  readonly merchants: readonly string[];
}

interface OpenRow extends CircuitRow {
  readonly silent_since: Date;
  readonly reason: string;
  readonly waiting: string;
  readonly owners: string;
}

export function postgresReceiverCircuits(database: Database): ReceiverCircuits {
  return {
    async note(met) {
      if (met.length === 0) return [];
      return database.transaction((sql) => noteOn(sql, met));
    },

    async beginTrials(destinations, { now, until }) {
      if (destinations.length === 0) return [];
      const rows = await database.query<{ destination: string }>(BEGIN_TRIALS, [
        [...destinations],
        now,
        until,
      ]);
      return rows.map(({ destination }) => destination);
    },

    async forget(before) {
      await database.query(FORGET, [before]);
    },

    async open(limit) {
      const rows = await database.query<OpenRow>(OPEN, [limit]);
      return rows.map((row) => ({
        ...circuitFromRow(row),
        destination: row.destination,
        silentSince: row.silent_since,
        reason: row.reason,
        waiting: Number(row.waiting),
        merchants: Number(row.owners),
      }));
    },
  };
}

async function noteOn(sql: Sql, met: readonly MetDestination[]): Promise<readonly CircuitChange[]> {
  const rows = await sql.query<CircuitRow>(LOCK, [met.map(({ destination }) => destination)]);
  const known = new Map(rows.map((row) => [row.destination, circuitFromRow(row)]));
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
  const kept = decided.flatMap(({ destination, after, at, reason }) =>
    after === null
      ? []
      : [
          {
            destination,
            state: after.state,
            silences: after.silences,
            failed_trials: after.failedTrials,
            try_at: after.tryAt,
            merchants: after.merchants,
            silent_since: at,
            changed_at: at,
            reason,
          },
        ],
  );
  if (kept.length > 0) await sql.query(KEEP, [JSON.stringify(kept)]);
  const closed = decided.filter(({ before, after }) => before !== null && after === null);
  if (closed.length > 0) await sql.query(CLOSE, [closed.map(({ destination }) => destination)]);
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

function circuitFromRow(row: CircuitRow): Circuit {
  const { state, silences, failed_trials: failedTrials, try_at: tryAt, merchants } = row;
  return { state, silences, failedTrials, tryAt, merchants };
}
