/**
 * `bun run drill:payouts [--chain ethereum,tron] [--payouts 400] [--kills 200] [--seed 1] [--naive]`: payouts on nodes of
 * ethereum, litecoin, bitcoin or bitcoincash, or on the test ledger of tron, solana, xrp or ton, while their two workers are killed
 * again and again. Prints the report as JSON, with the kills that fell on each step; exit 1 when a payout was not paid exactly once, the books are wrong, fewer kills were made
 * than ordered, or a step was never hit (each takes two kills or more).
 * With --naive they are sent by a careless sender, to show that the drill finds it out.
 */
import { parseArgs } from 'node:util';
import { runPayoutDrill } from '../tests/support/payout-drill/drill.ts';
import { DRILL_CHAINS, type DrillChainName } from '../tests/support/payout-drill/drill-chains.ts';
import { STEPS } from '../tests/support/payout-drill/steps.ts';
import { faultsOf } from '../tests/support/payout-drill/verdict.ts';

const { values } = parseArgs({
  options: {
    chain: { type: 'string', default: 'ethereum' },
    payouts: { type: 'string', default: '400' },
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    naive: { type: 'boolean', default: false },
  },
});
const chains = values.chain.split(',');
if (!chains.every((chain) => Object.hasOwn(DRILL_CHAINS, chain))) {
  console.error(`--chain is one or several (a,b) of ${Object.keys(DRILL_CHAINS).join(', ')}`);
  process.exit(2);
}
const kills = Number(values.kills);
/** A kill at a step that is not reached takes eight seconds, and two workers share them. */
const deadlineMs = 60_000 + kills * 5_000;
let failed = false;

for (const chain of chains) {
  const order = {
    chain: chain as DrillChainName,
    payouts: Number(values.payouts),
    kills,
    steps: STEPS,
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
