/**
 * `bun run simulate`: plays histories of the composed service, one for each seed, and tells which
 * law each broke (world/history.ts). The same seed plays the same history on every serial tier.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { named } from '../../scripts/support/arguments.ts';
import { oneOf, wholeNumber } from '../../scripts/support/values.ts';
import { readCommandLine } from '../support/operators/read-command-line.ts';
import { openTier } from './run/open-tier.ts';
import { playParts } from './run/parts.ts';
import { added, NOTHING, playSeed, type SeedResult, type Totals } from './run/seeds.ts';
import { shrink } from './run/shrink.ts';
import { shortened, toldStory } from './run/told-story.ts';
import { CHAINS, TURNS } from './run/usual.ts';
import { type HistoryOrder, type Played, playHistory } from './world/history.ts';
import { TIERS } from './world/storages.ts';
import { shown } from './world/story.ts';

const PROGRESS_MS = 5_000;

const HELP = `usage: bun run simulate [--histories COUNT] [--from SEED] [--tier TIER] [--turns COUNT] [--chains CHAIN,CHAIN]

Plays histories of the service on fake chains, with faults: deaths, lost answers, reorganisations and others. A seed decides
everything that happens. Tells what each history broke; the first that breaks a law is shrunk to the fewest turns, and its story is printed.

Options:
  --histories COUNT     how many (default: 1000 in memory, 20 on PostgreSQL)
  --from SEED           the first seed (default: 1)
  --tier TIER           where the books are (default: memory)
                          memory       the repositories in memory
                          postgres     PostgreSQL, one transaction after the other: a seed plays what it plays in memory
                          connections  PostgreSQL, with transactions open at the same time: locks, deadlocks, and what a
                                       statement sees of others. A seed plays a history of its own here
  --turns COUNT         most turns of each; a seed draws its own number (default: ${TURNS})
  --chains CHAIN,CHAIN  one to three of them are drawn (default: ${CHAINS.join(',')})
  --processes COUNT     that play beside each other (default: one for each core)
  --stop                ends at the first history that breaks a law
  --story               prints the story of the first seed, whatever it breaks
  --quiet               prints neither progress nor a story
  --whole               neither shrinks a history nor shortens ids in its story
  --help                print this help

Exit codes:
  0  every law held
  1  a history broke a law
  2  the command line is wrong; nothing was begun`;

const SEEDS_MOST = 999_999_999;

const { values, tier, count, from, turns, processes } = readCommandLine(HELP, () => {
  const { values } = parseArgs({
    options: {
      histories: { type: 'string' },
      from: { type: 'string', default: '1' },
      tier: { type: 'string', default: 'memory' },
      turns: { type: 'string', default: String(TURNS) },
      chains: { type: 'string', default: CHAINS.join(',') },
      processes: { type: 'string', default: String(availableParallelism()) },
      stop: { type: 'boolean', default: false },
      story: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
      whole: { type: 'boolean', default: false },
      /** Of a process of a run: which seeds are its own, and that it prints them as JSON. */
      part: { type: 'string' },
    },
  });
  const whole = (name: string, text: string) => named(`--${name}`, () => wholeNumber(0, SEEDS_MOST)(text));
  const tier = named('--tier', () => oneOf(TIERS)(values.tier));
  return {
    ...{ values, tier, from: whole('from', values.from), turns: whole('turns', values.turns) },
    count: whole('histories', values.histories ?? (tier === 'memory' ? '1000' : '20')),
    processes: whole('processes', values.processes),
  };
});
const order: Omit<HistoryOrder, 'seed'> = {
  ...{ turns, chains: values.chains.split(','), faults: true, told: false },
};

/** Plays the seeds of one part of a run, and prints a line of JSON for each. */
async function playPart(part: string): Promise<number> {
  const [nth = 0, parts = 1] = part.split('/').map(Number);
  const { storage, close } = await openTier(tier);
  for (let seed = from + nth; seed < from + count; seed += parts)
    process.stdout.write(`${JSON.stringify(await playSeed({ ...order, seed }, storage))}\n`);
  await close();
  return 0;
}

async function playRun(): Promise<number> {
  const began = performance.now();
  let totals = NOTHING;
  let told = began;
  let first: SeedResult | null = null;
  const run = playParts(process.argv.slice(2), processes);
  for await (const one of run.results) {
    totals = added(totals, one);
    for (const { law, what } of one.broken)
      console.log(`seed ${one.seed} broke: ${law}: ${shortened(what).slice(0, 600)}`);
    if (one.broken.length > 0) first = first === null || one.seed < first.seed ? one : first;
    if (first !== null && values.stop) run.end();
    if (values.quiet || performance.now() - told < PROGRESS_MS) continue;
    told = performance.now();
    process.stderr.write(
      `${totals.histories} of ${count} histories, ${rateOf(totals, began)} a second, ${totals.broken} broken\n`,
    );
  }
  console.log(summaryOf(totals, began));
  if (first !== null && !values.quiet) await tellBroken(first);
  return first === null ? 0 : 1;
}

const rateOf = ({ histories }: Totals, began: number): string =>
  ((histories * 1_000) / (performance.now() - began)).toFixed(1);

function summaryOf(totals: Totals, began: number): string {
  const { histories, broken, steps, deaths, faults } = totals;
  const kinds = [...faults]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([kind, times]) => `  ${times} ${kind}`);
  return [
    `${histories} histories, ${broken} broken, ${steps} steps, ${deaths} deaths, ${rateOf(totals, began)} a second`,
    ...kinds,
  ].join('\n');
}

async function tellBroken({ seed, broken }: SeedResult): Promise<void> {
  const { storage, close } = await openTier(tier);
  const laws = new Set(broken.map(({ law }) => law));
  const plays = values.whole ? 0 : tier === 'memory' ? 300 : 60;
  const { played, turns: left } = await shrink({ ...order, seed }, storage, { laws, plays });
  // Fewer turns give other ids than those that the run told.
  console.log(`\nThe story of seed ${seed} in ${left.length} of ${turns} turns (${left.join(', ')}):\n`);
  print(played);
  await close();
}

function print({ story, broken }: Played): void {
  for (const { law, what } of broken) console.log(`broken: ${law}\n  ${shortened(shown(what))}\n`);
  for (const line of toldStory(story)) console.log(line);
}

async function tellStory(): Promise<number> {
  const { storage, close } = await openTier(tier);
  await storage.empty();
  const played = await playHistory({ ...order, seed: from, told: true }, storage);
  print(played);
  await close();
  return played.broken.length === 0 ? 0 : 1;
}

process.exit(
  await (values.part !== undefined ? playPart(values.part) : values.story ? tellStory() : playRun()),
);
