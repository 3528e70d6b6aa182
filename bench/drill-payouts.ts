/** `bun run drill:payouts`: payouts whose workers are killed again and again. */
import { parseArgs } from 'node:util';
import { named } from '../scripts/support/arguments.ts';
import { oneOf } from '../scripts/support/values.ts';
import { readCommandLine } from '../tests/support/operators/read-command-line.ts';
import { runPayoutDrill } from '../tests/support/payout-drill/drill.ts';
import { DRILL_CHAINS, type DrillChainName } from '../tests/support/payout-drill/drill-chains.ts';
import { EVERY_MOMENT } from '../tests/support/payout-drill/steps.ts';
import { faultsOf } from '../tests/support/payout-drill/verdict.ts';

const CHAINS = Object.keys(DRILL_CHAINS) as DrillChainName[];
const HELP = `usage: bun run drill:payouts [--chain CHAINS] [--payouts COUNT] [--kills COUNT] [--seed SEED] [--naive]

Makes payouts on nodes of ethereum, litecoin, bitcoin or bitcoincash, or on the test ledger of tron, solana, xrp or ton, while their
two workers are killed again and again. Prints the report of each chain as JSON, with the kills that fell on each step.

Options:
  --chain CHAINS   one or several (a,b) of ${CHAINS.join(', ')} (default: ethereum)
  --payouts COUNT  how many payouts are made (default: 400)
  --kills COUNT    how many kills are made; half of them at the steps, in turn (default: 200)
  --seed SEED      the seed of everything that is left to chance (default: 1)
  --naive          sends by a careless sender, to show that the drill finds it out
  --help           print this help

Exit codes:
  0  passed
  1  a payout was not paid exactly once, the books are wrong, fewer kills were made than ordered, or a step was never hit
  2  the command line is wrong; nothing was begun`;

const { values, chains } = readCommandLine(HELP, () => {
  const { values } = parseArgs({
    options: {
      chain: { type: 'string', default: 'ethereum' },
      payouts: { type: 'string', default: '400' },
      kills: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      naive: { type: 'boolean', default: false },
    },
  });
  return { values, chains: named('--chain', () => values.chain.split(',').map(oneOf(CHAINS))) };
});
const kills = Number(values.kills);
/** A kill at a step that is not reached takes eight seconds, and two workers share them. */
const deadlineMs = 60_000 + kills * 5_000;
let failed = false;

for (const chain of chains) {
  const order = {
    chain,
    payouts: Number(values.payouts),
    kills,
    moments: EVERY_MOMENT,
    seed: Number(values.seed),
    naive: values.naive,
    deadlineMs,
  };
  const report = await runPayoutDrill(order);
  console.log(JSON.stringify(report, null, 2));
  const faults = faultsOf(order, report);
  console.log(faults.length === 0 ? `${chain}: passed` : `${chain}: FAILED: ${faults.join('; ')}`);
  failed ||= faults.length > 0;
}
process.exit(failed ? 1 : 0);
