/**
 * `bun run drill:database`: the service under HTTP load while PostgreSQL is stopped again and
 * again.
 */

import { readNumbers } from '../tests/support/operators/read-command-line.ts';
import { drillDatabase, HUNG_MS } from '../tests/support/postgres/database-drill.ts';

const HELP = `usage: bun run drill:database [--stops COUNT] [--workers COUNT] [--seed SEED]

Puts the service under HTTP load while PostgreSQL is stopped \`immediate\` again and again. Prints the report as JSON.

Options:
  --stops COUNT    how often PostgreSQL is stopped (default: 20)
  --workers COUNT  how many clients send requests (default: 24)
  --seed SEED      the seed of everything that is left to chance (default: 1)
  --help           print this help

Exit codes:
  0  passed
  1  anything acknowledged was lost, hung or went wrong
  2  the command line is wrong; nothing was begun`;

const order = readNumbers(HELP, { stops: 20, workers: 24, seed: 1 });
/** Generous: a stop takes two seconds, and the rest is start-up and checking. */
const deadline = setTimeout(
  () => {
    console.error('the drill did not end in time');
    process.exit(1);
  },
  120_000 + order.stops * 15_000,
);
const uncaught: string[] = [];
process.on('uncaughtException', (error) => uncaught.push(String(error)));
process.on('unhandledRejection', (error) => uncaught.push(`rejection: ${String(error)}`));

const report = await drillDatabase(order);
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
