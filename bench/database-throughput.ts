/**
 * Throughput of the driver candidates: a prepared single-row insert and a prepared primary-key
 * select, as many callers as connections, candidates alternating within each round. Prints the
 * median rate and the ratios of the rounds to the first candidate.
 *
 *   bun bench/database-throughput.ts [--rounds 5] [--seconds 1] [--connections 16,32] [--callers-each 1]
 */
import { parseArgs } from 'node:util';
import { createPostgresServer } from '../tests/support/postgres/postgres-server.ts';
import { type Candidate, candidates } from './database-candidates.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '16,32' },
    'callers-each': { type: 'string', default: '1' },
  },
});
const rounds = Number(options.rounds);
const roundMs = Number(options.seconds) * 1_000;
const callersEach = Number(options['callers-each']);
const ROWS = 10_000;

const server = await createPostgresServer({ durable: true, tcp: true, settings: ['max_connections=300'] });
const url = new URL(server.tcpUrl('postgres'));
const target = {
  host: url.hostname,
  port: Number(url.port),
  user: url.username,
  password: decodeURIComponent(url.password),
  database: 'postgres',
};
let nextId = 0;
const insert = (database: Candidate) =>
  database.query('insert into written (id, merchant, units, at) values ($1, $2, $3, $4)', [
    `row-${nextId++}`,
    'merchant-1',
    '1000000000000000000',
    new Date(1_700_000_000_000),
  ]);
const select = (database: Candidate) =>
  database.query('select id, merchant, units, at from stored where id = $1', [`row-${nextId++ % ROWS}`]);

for (const connections of options.connections.split(',').map(Number)) {
  const opened = Object.entries(candidates).map(([name, open]) => ({
    name,
    database: open(target, connections),
  }));
  const [setUp] = opened;
  if (setUp === undefined) break;
  await setUp.database.query('drop table if exists written, stored');
  for (const table of ['written', 'stored'])
    await setUp.database.query(
      `create table ${table} (id text primary key, merchant text, units numeric(78,0), at timestamptz)`,
    );
  await setUp.database.query(
    `insert into stored select 'row-' || n, 'merchant-1', 1000000000000000000, now() from generate_series(0, ${ROWS - 1}) n`,
  );
  for (const [what, operation] of [
    ['insert', insert],
    ['select', select],
  ] as const) {
    const rates = new Map<string, number[]>();
    for (let round = -1; round < rounds; round++) {
      const order = round % 2 === 0 ? opened : opened.toReversed();
      for (const { name, database } of order) {
        const rate = await measure(() => operation(database), connections * callersEach);
        if (round >= 0) rates.set(name, [...(rates.get(name) ?? []), rate]);
      }
    }
    const base = rates.get(setUp.name) ?? [];
    for (const [name, all] of rates) {
      const ratios = all.map((rate, round) => rate / (base[round] ?? Number.NaN));
      const range = `[${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}]`;
      console.log(
        `${what} @${connections} ${name}: ${Math.round(median(all))}/s, ratio ${median(ratios).toFixed(2)} ${range}`,
      );
    }
  }
  for (const { database } of opened) await database.close();
}
await server.destroy();
process.exit(0);

async function measure(operation: () => Promise<unknown>, callers: number): Promise<number> {
  const started = performance.now();
  let done = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() - started < roundMs) {
      await operation();
      done++;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return done / ((performance.now() - started) / 1_000);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
