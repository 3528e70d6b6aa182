/**
 * `bun run drill:failover`: the service under load, with money in and out, while the primary of a
 * synchronous pair under Patroni is lost again and again.
 */
import { parseArgs } from 'node:util';
import { named } from '../scripts/support/arguments.ts';
import { oneOf, wholeNumber } from '../scripts/support/values.ts';
import {
  drillFailovers,
  type FailoverReport,
  missingFor,
  WAYS,
} from '../tests/support/failover-drill/drill.ts';
import { readCommandLine } from '../tests/support/operators/read-command-line.ts';

const HELP = `usage: bun run drill:failover [--way WAYS] [--failovers COUNT] [--workers COUNT] [--seed SEED]

Forces failovers of two PostgreSQL servers under Patroni and etcd, on loopback: the server is killed, the places are
changed, the whole machine dies, in turn. Merchants are paid and pay out on a fake chain meanwhile. It needs Debian's
patroni, etcd-server, postgresql and pgbouncer.

Options:
  --way WAYS         one or several (a,b) of ${WAYS.join(', ')}: how the service finds the primary (default: both)
  --failovers COUNT  how many are forced, each way (default: 20)
  --workers COUNT    how many merchants send requests (default: 12)
  --seed SEED        the seed of everything that is left to chance (default: 1)
  --help             print this help

Exit codes:
  0  passed
  1  anything acknowledged was lost, hung or went wrong, or a program is missing
  2  the command line is wrong; nothing was begun`;

const order = readCommandLine(HELP, () => {
  const { values } = parseArgs({
    options: {
      way: { type: 'string', default: WAYS.join(',') },
      failovers: { type: 'string', default: '20' },
      workers: { type: 'string', default: '12' },
      seed: { type: 'string', default: '1' },
    },
  });
  const number = (name: 'failovers' | 'workers' | 'seed') =>
    named(`--${name}`, () => wholeNumber(1, 1_000_000)(values[name]));
  return {
    ways: named('--way', () => values.way.split(',').map(oneOf(WAYS))),
    ...{ failovers: number('failovers'), workers: number('workers'), seed: number('seed') },
  };
});
const missing = new Set(order.ways.flatMap(missingFor));
if (missing.size > 0) {
  console.error(`this machine lacks ${[...missing].join(', ')}`);
  process.exit(1);
}
/** Generous: a failover takes ten seconds until the pair is whole again, and the end is checked. */
const deadline = setTimeout(
  () => {
    console.error('the drill did not end in time');
    process.exit(1);
  },
  order.ways.length * (300_000 + order.failovers * 60_000),
);
const uncaught: string[] = [];
/** What ends the drill itself: a failover that did not happen, for example. */
function giveUp(error: unknown): never {
  console.error(error);
  process.exit(1);
}
process.on('uncaughtException', (error) => uncaught.push(String(error)));
process.on('unhandledRejection', (error) => uncaught.push(`rejection: ${String(error)}`));

const reports: FailoverReport[] = [];
for (const way of order.ways)
  reports.push(await drillFailovers({ ...order, way, tell: (line) => console.error(line) }).catch(giveUp));
clearTimeout(deadline);

console.log(
  '| way | failovers | requests | answered | refused | slowest, s | paid in | paid out | gap, s: median, worst | lost | wrong | faults |',
);
console.log(`|${' --- |'.repeat(12)}`);
for (const report of reports) console.log(rowOf(report));
const faults = reports.flatMap((report) => faultsOf(report));
for (const fault of [...faults, ...uncaught]) console.log(fault);
const passed = faults.length === 0 && uncaught.length === 0;
console.log(passed ? 'passed' : 'FAILED');
process.exit(passed ? 0 : 1);

function rowOf(report: FailoverReport): string {
  const gaps = report.each.map(({ gapMs }) => gapMs).toSorted((a, b) => a - b);
  const seconds = (ms = 0): string => (ms / 1000).toFixed(1);
  const cells = [
    ...[report.way, report.failovers, report.requests, report.acknowledged, report.refused],
    ...[seconds(report.slowestMs), report.paid, report.payouts],
    `${seconds(gaps[gaps.length >> 1])}, ${seconds(gaps.at(-1))}`,
    ...[report.lost.length, report.wrong.length, report.faults.length],
  ];
  return `| ${cells.join(' | ')} |`;
}

function faultsOf({ way, lost, wrong, hung, faults, failovers }: FailoverReport): readonly string[] {
  return [
    ...lost.map((what) => `lost: ${what}`),
    ...wrong.map((what) => `wrong: ${what}`),
    ...faults.map((what) => `books: ${JSON.stringify(what)}`),
    ...(hung > 0 ? [`${hung} requests took longer than 5 s`] : []),
    ...(failovers < order.failovers ? [`${failovers} failovers of ${order.failovers}`] : []),
  ].map((what) => `${way}: ${what}`);
}
