/**
 * `bun run drill [--stops 20] [--workers 24] [--seed 1]`: the service under HTTP load while PostgreSQL is stopped
 * `immediate` again and again. Prints the report as JSON; exit 1 when anything acknowledged was lost, hung or went wrong.
 */
import { parseArgs } from 'node:util';
import { drillDatabase, HUNG_MS } from '../tests/support/database-drill.ts';

const { values } = parseArgs({
  options: {
    stops: { type: 'string', default: '20' },
    workers: { type: 'string', default: '24' },
    seed: { type: 'string', default: '1' },
  },
});
const stops = Number(values.stops);
/** Generous: a stop takes two seconds, and the rest is start-up and checking. */
const deadline = setTimeout(
  () => {
    console.error('the drill did not end in time');
    process.exit(1);
  },
  120_000 + stops * 15_000,
);
const uncaught: string[] = [];
process.on('uncaughtException', (error) => uncaught.push(String(error)));
process.on('unhandledRejection', (error) => uncaught.push(`rejection: ${String(error)}`));

const report = await drillDatabase({ stops, workers: Number(values.workers), seed: Number(values.seed) });
clearTimeout(deadline);
const worstBackMs = Math.max(...report.backMs);
console.log(JSON.stringify({ ...report, worstBackMs, uncaught }, null, 2));
const passed =
  report.wrong.length === 0 &&
  report.hung === 0 &&
  report.lost.length === 0 &&
  report.faults.length === 0 &&
  uncaught.length === 0 &&
  worstBackMs < HUNG_MS;
console.log(passed ? 'passed' : 'FAILED');
process.exit(passed ? 0 : 1);
