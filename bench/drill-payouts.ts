/**
 * `bun run drill:payouts [--payouts 400] [--kills 200] [--seed 1] [--naive]`: payouts on a real node while their two workers are
 * killed again and again. Prints the report as JSON; exit 1 when a payout was not paid exactly once or the books are wrong.
 * With --naive they are sent by a careless sender, to show that the drill finds it out.
 */
import { parseArgs } from 'node:util';
import { runPayoutDrill } from '../tests/support/payout-drill/drill.ts';
import { STEPS } from '../tests/support/payout-drill/steps.ts';

const { values } = parseArgs({
  options: {
    payouts: { type: 'string', default: '400' },
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    naive: { type: 'boolean', default: false },
  },
});
const kills = Number(values.kills);
/** A kill at a step that is not reached takes eight seconds, and two workers share them. */
const deadlineMs = 60_000 + kills * 5_000;

const report = await runPayoutDrill({
  payouts: Number(values.payouts),
  kills,
  steps: STEPS,
  seed: Number(values.seed),
  naive: values.naive,
  deadlineMs,
});
console.log(JSON.stringify(report, null, 2));
const passed = report.payments.length === 0 && report.books.length === 0;
console.log(passed ? 'passed' : 'FAILED');
process.exit(passed ? 0 : 1);
