/**
 * `bun run simulate`: plays histories of the composed service, one for each seed, and tells which
 * law each broke (world/history.ts). The same seed plays the same history.
 */
import { parseArgs } from 'node:util';
import { readCommandLine } from '../support/operators/read-command-line.ts';
import { type HistoryOrder, playHistory } from './world/history.ts';
import { ownPostgres, postgresStorage } from './world/postgres-storage.ts';

const CHAINS = ['ethereum', 'tron', 'solana', 'xrp', 'ton', 'bitcoin', 'litecoin'];

const HELP = `usage: bun run simulate [--histories COUNT] [--from SEED] [--turns COUNT] [--chains CHAIN,CHAIN] [--story]

Plays histories of the service on fake chains and a PostgreSQL of its own, with faults: deaths, lost answers, reorganisations. A seed
decides everything that happens. Prints what each history broke.

Options:
  --histories COUNT     how many (default: 20)
  --from SEED           the first seed (default: 1)
  --turns COUNT         turns of each (default: 60)
  --chains CHAIN,CHAIN  one to three of them are drawn (default: ${CHAINS.join(',')})
  --story               prints what happened, line by line
  --help                print this help

Exit codes:
  0  every law held
  1  a history broke a law
  2  the command line is wrong; nothing was begun`;

const { values } = readCommandLine(HELP, () =>
  parseArgs({
    options: {
      histories: { type: 'string', default: '20' },
      from: { type: 'string', default: '1' },
      turns: { type: 'string', default: '60' },
      chains: { type: 'string', default: CHAINS.join(',') },
      story: { type: 'boolean', default: false },
    },
  }),
);

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));

const [from, count, turns] = [Number(values.from), Number(values.histories), Number(values.turns)];
const order: Omit<HistoryOrder, 'seed'> = {
  ...{ turns, chains: values.chains.split(','), faults: true, told: values.story },
};
const server = await ownPostgres();
const storage = await postgresStorage(server.url);
const began = performance.now();
let [broken, steps, deaths] = [0, 0, 0];
for (let seed = from; seed < from + count; seed += 1) {
  await storage.empty();
  const played = await playHistory({ ...order, seed }, storage);
  steps += played.steps;
  deaths += played.deaths;
  for (const line of played.story) console.log(line);
  for (const { law, what } of played.broken) console.log(`seed ${seed} broke: ${law}: ${shown(what)}`);
  if (played.broken.length > 0) broken += 1;
}
const seconds = (performance.now() - began) / 1_000;
console.log(
  `${count} histories, ${broken} broken, ${steps} steps, ${deaths} deaths, ${(count / seconds).toFixed(2)} a second`,
);
await storage.close();
await server.destroy();
process.exit(broken === 0 ? 0 : 1);
