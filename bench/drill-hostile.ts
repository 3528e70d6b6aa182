/**
 * `bun run drill:hostile [--chain ethereum,tron,ton] [--rounds 3] [--honest 10] [--hostile 5] [--seed 1]`: merchants with burning,
 * changing, unmineable, slow and bouncing recipients beside an honest one, on nodes of their own, with workers that are killed and
 * started again. Prints the report as JSON; exit 1 when the operator lost more than 1 % of what merchants were charged for the
 * networks' fees, an honest payout was not paid within 90 seconds of the chain's time, the books are wrong,
 * or nobody was hostile or killed. Chains make their blocks as fast as real ones do: their time is the workers' time.
 */
import { parseArgs } from 'node:util';
import { openHostileAnvil } from '../tests/support/hostile-drill/hostile-anvil.ts';
import { runHostileDrill } from '../tests/support/hostile-drill/hostile-drill.ts';
import { openHostileTon } from '../tests/support/hostile-drill/hostile-ton.ts';
import { openHostileTron } from '../tests/support/hostile-drill/hostile-tron.ts';
import { faultsOf } from '../tests/support/hostile-drill/verdict.ts';

const CHAINS = { ethereum: openHostileAnvil, tron: openHostileTron, ton: openHostileTon } as const;

const { values } = parseArgs({
  options: {
    chain: { type: 'string', default: Object.keys(CHAINS).join(',') },
    rounds: { type: 'string', default: '3' },
    honest: { type: 'string', default: '10' },
    hostile: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
  },
});
const chains = values.chain.split(',');
if (!chains.every((chain) => Object.hasOwn(CHAINS, chain))) {
  console.error(`--chain is one or several (a,b) of ${Object.keys(CHAINS).join(', ')}`);
  process.exit(2);
}

let failed = false;
for (const chain of chains) {
  const order = { rounds: Number(values.rounds), honest: Number(values.honest) };
  const report = await runHostileDrill({
    ...order,
    open: CHAINS[chain as keyof typeof CHAINS],
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
