/**
 * What chains cost at hosted providers, in virtual time (tests/support/providers): calls and bytes
 * of a day at the tip, blocks a second while catching up, and a day that was missed behind a real
 * plan. Part of `bun run bench`, and alone `bun run bench providers`.
 */
import { type ChainOnPlan, EVERY_CHAIN } from '../tests/support/providers/chains/all.ts';
import { follow } from '../tests/support/providers/followed.ts';
import { UNLIMITED } from '../tests/support/providers/plans.ts';
import { electrumDay } from './electrum.ts';
import { solanaForms } from './solana-forms.ts';

const ROUND_TRIP_MS = 50;
const DAY_MS = 86_400_000;
const OPEN_INVOICES = [0, 100, 10_000];
/** Payments of a day to open invoices. */
const PAID_A_DAY = 1_440;
/**
 * What is looked at for a figure: polls and blocks at the tip at least, and blocks that are caught
 * up with at most.
 */
interface Measure {
  readonly polls: number;
  readonly blocks: number;
  readonly missed: number;
}
const WHOLE: Measure = { polls: 30, blocks: 6, missed: 600 };
const QUICK: Measure = { polls: 5, blocks: 1, missed: 40 };
/**
 * More where a range has hundreds of blocks, or few polls see one; less where a block has
 * megabytes.
 */
const OTHERWISE: Readonly<Record<string, Partial<Measure>>> = {
  ethereum: { polls: 150 },
  ton: { missed: 4_000 },
  xrp: { missed: 21_600 },
  solana: { polls: 8, missed: 150 },
  bitcoin: { blocks: 24 },
  litecoin: { blocks: 48 },
};
/** The first looks find out which chain it is. */
const WARM_UP_POLLS = 15;
const MB = 1_000_000;

/** Calls of a day at the commit before this was begun (issue 14), and what they were to become. */
const BEFORE: Readonly<Record<string, number>> = {
  ethereum: 95_000,
  bsc: 613_000,
  arbitrum: 564_000,
  tron: 188_000,
  solana: 569_000,
  ton: 1_400_000,
  xrp: 66_000,
};
const GOALS: Readonly<Record<string, number>> = {
  ethereum: 20_000,
  bsc: 100_000,
  arbitrum: 100_000,
  tron: 60_000,
  solana: 250_000,
  ton: 450_000,
  bitcoin: 3_000,
  litecoin: 5_000,
};

export interface ProvidersMeasured {
  /** A section of bench/results.md. */
  readonly markdown: string;
  readonly missed: number;
}

export const PROVIDED_CHAINS: readonly string[] = [...new Set(EVERY_CHAIN.map(({ chain }) => chain))];

/** Of all chains and the Electrum server, or of some chains alone. */
export async function measureProviders(
  quick: boolean,
  chains: readonly string[] = [],
): Promise<ProvidersMeasured> {
  const atTip: string[] = [];
  const catchingUp: string[] = [];
  let missed = 0;
  const isAll = chains.length === 0;
  for (const on of EVERY_CHAIN.filter(({ chain }) => isAll || chains.includes(chain))) {
    const name = on.label ?? on.chain;
    const measure = quick ? QUICK : { ...WHOLE, ...OTHERWISE[on.chain] };
    for (const open of OPEN_INVOICES) {
      const day = await dayAtTip(on, open, measure);
      const goal = GOALS[on.chain] ?? null;
      const isMissed = goal !== null && day.calls > goal;
      if (isMissed) missed += 1;
      const before = BEFORE[on.chain] ?? null;
      atTip.push(
        line([
          ...[name, count(open), day.callsABlock.toFixed(2), bytes(day.bytesABlock)],
          `${count(day.calls)}${isMissed ? ' **missed**' : ''}`,
          ...[bytes(day.bytes), before === null ? '' : count(before), goal === null ? '' : count(goal)],
        ]),
      );
    }
    catchingUp.push(line([name, ...(await caughtUp(on, measure))]));
    console.error(`${name}: measured`);
  }
  const electrum = isAll ? await electrumDay(quick) : { lines: ['not measured'], missed: 0 };
  return {
    markdown: section({ atTip, catchingUp, electrum: electrum.lines }),
    missed: missed + electrum.missed,
  };
}

const paidEvery = (on: ChainOnPlan): number => Math.max(1, Math.round(DAY_MS / PAID_A_DAY / on.blockMs));

/** What a day at the tip takes, from as many blocks as asked for. */
async function dayAtTip(on: ChainOnPlan, open: number, { polls, blocks }: Measure) {
  const payEvery = open === 0 ? 0 : paidEvery(on);
  const followed = await follow({
    ...{ make: on.make({ watched: Math.max(1, open), payEvery, busy: true }), plan: UNLIMITED },
    ...{ latencyMs: ROUND_TRIP_MS, behind: 2, watching: open, settings: on.settings ?? {} },
  });
  await followed.catchUp(DAY_MS);
  await followed.stay(WARM_UP_POLLS * followed.pollMs);
  const stay = await followed.stay(Math.max(polls * followed.pollMs, blocks * on.blockMs));
  await followed.close();
  const [ofBlock, ofDay] = [1 / stay.blocks, DAY_MS / stay.ms];
  return {
    ...{ callsABlock: stay.calls * ofBlock, bytesABlock: stay.bytes * ofBlock },
    ...{ calls: stay.calls * ofDay, bytes: stay.bytes * ofDay },
  };
}

/** Without a plan's limit, and behind a plan after a day; cells of the table. */
async function caughtUp(on: ChainOnPlan, { missed }: Measure): Promise<readonly string[]> {
  const ofDay = Math.round(DAY_MS / on.blockMs);
  const behind = Math.min(ofDay, missed);
  const watched = { watched: 100, payEvery: paidEvery(on), busy: true };
  const free = await follow({ make: on.make(watched), plan: UNLIMITED, latencyMs: ROUND_TRIP_MS, behind });
  const without = await free.catchUp(DAY_MS);
  await free.close();
  const limited = await follow({ make: on.make(watched), plan: on.plan, latencyMs: ROUND_TRIP_MS, behind });
  const first = limited.chain.tip() - behind + 1;
  const { seconds, blocks } = await limited.catchUp(DAY_MS);
  const { calls, refused } = limited.provider.counts;
  const paid = limited.chain.paid(first, first + blocks - 1);
  const recorded = new Set(limited.recorded());
  const lost = paid.filter((key) => !recorded.has(key)).length;
  await limited.close();
  const rate = blocks / seconds;
  // Blocks go on coming meanwhile.
  const hours = ofDay / (rate - 1_000 / on.blockMs) / 3_600;
  return [
    (without.blocks / without.seconds).toFixed(1),
    ...[on.plan.name, count(blocks), rate.toFixed(1), hours < 0 ? 'never' : `${hours.toFixed(1)} h`],
    ...[(calls / blocks).toFixed(2), count(refused), `${count(paid.length - lost)} of ${count(paid.length)}`],
  ];
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const count = (value: number): string => Math.round(value).toLocaleString('en');
const bytes = (value: number): string =>
  value >= 100 * MB ? `${count(value / MB)} MB` : `${(value / MB).toPrecision(2)} MB`;

function section(rows: {
  atTip: readonly string[];
  catchingUp: readonly string[];
  electrum: readonly string[];
}): string {
  return `## Providers

Written by \`bun run bench providers\`, in virtual time: the real scanner and watcher read a chain that is made in the process, as busy as the real one, over round trips of ${ROUND_TRIP_MS} ms. Every open invoice expects the coin and every token of its chain; ${count(PAID_A_DAY)} payments come in a day. Bytes are those of the answers, not compressed. The time that the processor takes is not in these figures. "Before" is commit 135dc25, with nobody watched.

A day at the tip, at a provider without limits:

| chain | open invoices | calls a block | bytes a block | calls a day | bytes a day | before | goal |
| --- | --- | --- | --- | --- | --- | --- | --- |
${rows.atTip.join('\n')}

An EVM chain with open invoices costs more since they expect the coin: balances are compared (a call for each 5,000 addresses; on Ethereum each tenth block, elsewhere at each look), a block that pays is read with its receipts, and while a payment waits the node is asked what is final. Where Ethereum's node traces, contracts pay all that comes in the coin, 240 payments a day: the block of each is looked for by balances, and traced. UTXO chains are read over JSON-RPC as from a node of a plan, which is not asked for what waits.

Catching up, without limits and after a day's outage behind a plan (measured over the blocks told; the time is that of a whole day's blocks, while new ones come). Before, no chain caught up behind its plan:

| chain | blocks a second | plan | blocks read | blocks a second | a day is made up in | calls a block | refused | payments recorded |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.catchingUp.join('\n')}

${solanaForms()}

Bitcoin by an Electrum server, on a regtest node, in real time:

${rows.electrum.map((each) => `- ${each}`).join('\n')}
`;
}
