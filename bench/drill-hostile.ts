/**
 * `bun run drill:hostile`: merchants with burning, changing, unmineable, slow and bouncing
 * recipients beside an honest one.
 */
import { parseArgs } from 'node:util';
import { named } from '../scripts/support/arguments.ts';
import { oneOf } from '../scripts/support/values.ts';
import { openHostileAnvil } from '../tests/support/hostile-drill/hostile-anvil.ts';
import { runHostileDrill } from '../tests/support/hostile-drill/hostile-drill.ts';
import { openHostileTon } from '../tests/support/hostile-drill/hostile-ton.ts';
import { openHostileTron } from '../tests/support/hostile-drill/hostile-tron.ts';
import { faultsOf } from '../tests/support/hostile-drill/verdict.ts';
import { readCommandLine } from '../tests/support/operators/read-command-line.ts';

const OPEN = { ethereum: openHostileAnvil, tron: openHostileTron, ton: openHostileTon } as const;
const CHAINS = Object.keys(OPEN) as (keyof typeof OPEN)[];

const HELP = `usage: bun run drill:hostile [--chain CHAINS] [--rounds COUNT] [--honest COUNT] [--hostile COUNT] [--seed SEED]

Lets merchants pay burning, changing, unmineable, slow and bouncing recipients beside an honest one, on nodes of their own, with workers
that are killed and started again. Prints the report of each chain as JSON. Chains make their blocks as fast as real ones do: their
time is the workers' time.

Options:
  --chain CHAINS   one or several (a,b) of ${CHAINS.join(', ')} (default: all)
  --rounds COUNT   how many rounds of payouts are made (default: 3)
  --honest COUNT   payouts of the honest merchant in each round (default: 10)
  --hostile COUNT  payouts of each hostile one in each round (default: 5)
  --seed SEED      the seed of everything that is left to chance (default: 1)
  --help           print this help

Exit codes:
  0  passed
  1  the operator lost more than 1 % of what merchants were charged for the networks' fees, an honest payout was not paid within
     90 seconds of the chain's time, the books are wrong, or nobody was hostile or killed
  2  the command line is wrong; nothing was begun`;

const { values, chains } = readCommandLine(HELP, () => {
  const { values } = parseArgs({
    options: {
      chain: { type: 'string', default: CHAINS.join(',') },
      rounds: { type: 'string', default: '3' },
      honest: { type: 'string', default: '10' },
      hostile: { type: 'string', default: '5' },
      seed: { type: 'string', default: '1' },
    },
  });
  return { values, chains: named('--chain', () => values.chain.split(',').map(oneOf(CHAINS))) };
});

let failed = false;
for (const chain of chains) {
  const order = { rounds: Number(values.rounds), honest: Number(values.honest) };
  const report = await runHostileDrill({
    ...order,
    open: OPEN[chain],
    hostile: Number(values.hostile),
    seed: Number(values.seed),
    deadlineMs: 300_000,
  });
  console.log(JSON.stringify(report, null, 2));
  const faults = faultsOf(order, report);
  console.log(faults.length === 0 ? `${chain}: passed` : `${chain}: FAILED: ${faults.join('; ')}`);
  failed ||= faults.length > 0;
}
process.exit(failed ? 1 : 0);
