/** The service's work on many rows at once, against plain SQL that writes the same in sets. */
import type { SQL } from 'bun';
import type { Spread } from './finding.ts';
import { alternate, type MeasuredLeg, ratio } from './legs.ts';
import { type Cost, costOfEach, costText, ownSessionSeconds, sessionSeconds } from './process-figures.ts';
import type { RowContext } from './row.ts';

export interface SetWork<Given> {
  /** Of each round. */
  readonly count: number;
  /** Brings what a round works on, for the service's leg or the other. */
  prepare(leg: 'service' | 'plain SQL'): Promise<Given>;
  ours(given: Given): Promise<unknown>;
  /** On the connection of the bench. */
  plain(given: Given): Promise<unknown>;
  /** Throws unless all is done. */
  check(given: Given): Promise<void>;
  /** Tables of which both must write as many rows. */
  readonly tables?: readonly string[];
}

export interface SetComparison {
  /** How many times as fast the service is. */
  readonly measured: Spread;
  /** Rates and processor time. */
  readonly ours: string;
  readonly plain: string;
}

interface Round {
  readonly rate: number;
  readonly cost: Cost;
  readonly latency: { readonly p50: number; readonly p99: number };
}

/** Rounds before those that count: what a service does all day long is compiled. */
const WARM_UPS = 4;

/** How many sets a comparison prepares: both legs' in each round, and those that warm up. */
export const setsPrepared = ({ rounds }: Pick<RowContext, 'rounds'>): number => 2 * (WARM_UPS + rounds);

/** `what`: the noun of the service's rate. */
export async function compareWithSets<Given>(
  sql: SQL,
  { rounds }: Pick<RowContext, 'rounds'>,
  work: SetWork<Given>,
  what = '',
): Promise<SetComparison> {
  const { count, tables = [] } = work;
  const written = new Set<string>();
  const round = async (
    leg: 'service' | 'plain SQL',
    run: (given: Given) => Promise<unknown>,
    sessions: typeof sessionSeconds,
  ): Promise<Round> => {
    const given = await work.prepare(leg);
    await sql.unsafe('vacuum analyze');
    const before = await rowsOf(sql, tables);
    const cost = await costOfEach(count, sql, () => run(given), sessions);
    const after = await rowsOf(sql, tables);
    await work.check(given);
    written.add(after.map((rows, place) => rows - before[place]!).join(' '));
    return { rate: 1 / cost.elapsed, cost, latency: { p50: Number.NaN, p99: Number.NaN } };
  };
  const legs = [
    { name: 'service', run: () => round('service', work.ours, sessionSeconds) },
    { name: 'plain SQL', run: () => round('plain SQL', work.plain, ownSessionSeconds) },
  ];
  for (let nth = 1; nth < WARM_UPS; nth += 1) for (const { run } of legs) await run();
  const [service, plain] = await alternate<Round>(legs, { rounds, seconds: 0 });
  if (!service || !plain) throw new Error('unreachable: two legs went in');
  if (written.size !== 1) throw new Error(`the legs wrote different rows: ${[...written].join('; ')}`);
  return { measured: ratio(service, plain), ours: costs(service, what), plain: costs(plain) };
}

function costs(leg: MeasuredLeg<Round>, what = ''): string {
  return costText(
    leg.rounds.map(({ cost }) => cost),
    what,
  );
}

/** The rows of each table, in their order. */
async function rowsOf(sql: SQL, tables: readonly string[]): Promise<readonly number[]> {
  if (tables.length === 0) return [];
  const [row] = await sql.unsafe(
    `select ${tables.map((table) => `(select count(*)::int from ${table}) as ${table}`).join(', ')}`,
  );
  return tables.map((table) => row[table]);
}
