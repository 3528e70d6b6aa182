/**
 * `bun run drill:create`: clients who repeat POST /invoices while the service is killed again and
 * again.
 */
import { drillCreation } from '../tests/support/create-drill.ts';
import { readNumbers } from '../tests/support/operators/read-command-line.ts';

const HELP = `usage: bun run drill:create [--kills COUNT] [--clients COUNT] [--seed SEED]

Lets clients give up after a moment and repeat POST /invoices with its Idempotency-Key, while the two instances that they ask
are killed in turn. Prints the report as JSON.

Options:
  --kills COUNT    how many kills are made (default: 50)
  --clients COUNT  how many clients there are at once (default: 200)
  --seed SEED      the seed of everything that is left to chance (default: 1)
  --help           print this help

Exit codes:
  0  passed
  1  a key has no invoice or several, its client was told otherwise, or something else was answered
  2  the command line is wrong; nothing was begun`;

const report = await drillCreation(readNumbers(HELP, { kills: 50, clients: 200, seed: 1 }));
console.log(JSON.stringify(report, null, 2));
const passed = report.wrong.length === 0 && report.faults.length === 0 && report.replayed > 0;
console.log(passed ? 'passed' : 'FAILED');
process.exit(passed ? 0 : 1);
