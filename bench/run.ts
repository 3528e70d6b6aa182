/**
 * `bun run bench`: measures all rows, or those named, and writes bench/results.md after a whole
 * run.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { named } from '../scripts/support/arguments.ts';
import { oneOf, wholeNumber } from '../scripts/support/values.ts';
import { readCommandLine } from '../tests/support/operators/read-command-line.ts';
import { startBenchDatabase } from './harness/database.ts';
import { reached } from './harness/finding.ts';
import type { Rounds } from './harness/legs.ts';
import { type MachineFact, machineFacts } from './harness/machine.ts';
import { releaseMillionInvoices } from './harness/million-invoices.ts';
import { findPgbench } from './harness/pgbench.ts';
import { runToEnd } from './harness/processes.ts';
import { findingLine, markdown, type ReportedRow, withRows } from './harness/report.ts';
import type { Row } from './harness/row.ts';
import { findNode } from './harness/webhook-workshop.ts';
import { measureProviders, PROVIDED_CHAINS } from './providers.ts';
import { backlogs } from './rows/backlogs.ts';
import { blockMatch } from './rows/block-match.ts';
import { checkout } from './rows/checkout.ts';
import { checkoutViews } from './rows/checkout-views.ts';
import { consolePagesRow } from './rows/console.ts';
import { createBesideLists } from './rows/create-beside-lists.ts';
import { createInvoice, createInvoiceHot } from './rows/create-invoice.ts';
import { createOnce } from './rows/create-once.ts';
import { createPayout, createPayoutHot } from './rows/create-payout.ts';
import { csv } from './rows/csv.ts';
import { derivation } from './rows/derivation.ts';
import { embeddedDatabase } from './rows/embedded-database.ts';
import { getInvoice } from './rows/get-invoice.ts';
import { growth } from './rows/growth.ts';
import { listFilters } from './rows/list-filters.ts';
import { listPages } from './rows/list-pages.ts';
import { memory } from './rows/memory.ts';
import { openLatencies } from './rows/open-latencies.ts';
import { payments } from './rows/payments.ts';
import { payoutCosts } from './rows/payout-costs.ts';
import { payouts } from './rows/payouts.ts';
import { reconciliation } from './rows/reconciliation.ts';
import { settlePayouts } from './rows/settle-payouts.ts';
import { severalProcesses } from './rows/several-processes.ts';
import { startUp } from './rows/start-up.ts';
import { sweepCosts } from './rows/sweep-costs.ts';
import { webhookDispatcher } from './rows/webhook-dispatcher.ts';
import { webhookNeighbours } from './rows/webhook-neighbours.ts';
import { webhookReceivers } from './rows/webhook-receivers.ts';
import { webhookTransport } from './rows/webhook-transport.ts';

const ROWS: readonly Row[] = [
  // first: what the others leave to be written to disk would weigh on a cold start
  embeddedDatabase,
  startUp,
  createInvoice,
  createInvoiceHot,
  severalProcesses,
  openLatencies,
  createOnce,
  createPayout,
  createPayoutHot,
  getInvoice,
  webhookDispatcher,
  webhookTransport,
  webhookReceivers,
  webhookNeighbours,
  memory,
  checkout,
  checkoutViews,
  derivation,
  payments,
  payouts,
  settlePayouts,
  payoutCosts,
  sweepCosts,
  backlogs,
  growth,
  reconciliation,
  // last: their million invoices would weigh on what comes after
  listPages,
  listFilters,
  csv,
  createBesideLists,
  blockMatch,
  // fills the million invoices' history
  consolePagesRow,
];

/** Needs no database, and writes a section of the results of its own. */
const PROVIDERS = 'providers';
const NAMES = [...ROWS.map(({ name }) => name), PROVIDERS];
const RESULTS = join(import.meta.dir, 'results.md');
const PROVIDERS_SECTION = '\n## Providers\n';
const HELP = `usage: bun run bench [<row>]... [--quick] [--write] [--invoices N] [--chain NAME]...

Measures all rows, or those named. A whole run writes bench/results.md; providers writes its own section there.

Rows:
  ${NAMES.join('\n  ')}

Options:
  --quick       everything once and small: shows that it runs, and its figures mean little
  --write       puts the rows that are named into bench/results.md, instead of their former ones
  --invoices N  the merchant of the long lists has so many (1000000; up to 10000000)
  --chain NAME  providers measures this chain alone, and writes nothing; may be repeated:
                ${PROVIDED_CHAINS.join(', ')}
  --help        print this help

Exit codes:
  0  every target reached
  1  a target was missed, or a row failed
  2  the command line is wrong; nothing was begun`;

const { names, options, chains, invoices } = readCommandLine(HELP, () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      invoices: { type: 'string', default: '1000000' },
      chain: { type: 'string', multiple: true, default: [] },
    },
  });
  return {
    options: values,
    invoices: named('--invoices', () => wholeNumber(20_000, 10_000_000)(values.invoices)),
    names: named('<row>', () => positionals.map(oneOf(NAMES))),
    chains: named('--chain', () => values.chain.map(oneOf(PROVIDED_CHAINS))),
  };
});

const began = performance.now();
const all = names.length === 0;
const rows = ROWS.filter(({ name }) => all || names.includes(name));
let missed = rows.length === 0 ? 0 : await measureRows();
if (all || names.includes(PROVIDERS)) missed += await measurePlans();
console.log(`\n${missed === 0 ? 'every target reached' : `${missed} missed`} in ${minutes()} minutes`);
process.exit(missed === 0 ? 0 : 1);

/** How many were missed. */
async function measureRows(): Promise<number> {
  const pgbench = findPgbench();
  const pgbenchVersion =
    pgbench === null ? 'missing' : (await runToEnd([pgbench, '--version'], { timeoutMs: 10_000 })).trim();
  const database = await startBenchDatabase();
  // an interrupted bench leaves no server behind
  process.once('SIGINT', () => void database.stop().finally(() => process.exit(130)));
  const facts = machineFacts(database.settings, pgbenchVersion);
  for (const { name, value } of facts) console.log(`${name}: ${value}`);

  const rounds = options.quick ? { rounds: 3, seconds: 2 } : { rounds: 5, seconds: 3 };
  const reported: ReportedRow[] = [];
  const skipped: string[] = [];
  const failed: string[] = [];
  try {
    for (const row of rows) {
      if ((row.needs === 'pgbench' && pgbench === null) || (row.needs === 'node' && findNode() === null)) {
        console.log(`skipped: ${row.name} needs ${row.needs}`);
        skipped.push(row.name);
        continue;
      }
      console.log(`\n${row.name}`);
      try {
        const findings = await row.run({ database, pgbench, quick: options.quick, invoices, ...rounds });
        reported.push({ name: row.name, findings });
        for (const finding of findings) console.log(findingLine(finding));
      } catch (cause) {
        // the others are measured all the same: a whole run takes most of an hour
        console.error(cause);
        failed.push(row.name);
      }
    }
  } finally {
    await releaseMillionInvoices(database);
    await database.stop();
  }
  if (!options.quick) writeRows(reported, failed, { isWhole: all && skipped.length === 0, rounds, facts });
  const findings = reported.flatMap((row) => row.findings);
  return findings.filter((finding) => !reached(finding)).length + failed.length;
}

function writeRows(
  reported: readonly ReportedRow[],
  failed: readonly string[],
  run: {
    readonly isWhole: boolean;
    readonly rounds: Rounds;
    readonly facts: readonly MachineFact[];
  },
): void {
  const { isWhole, facts } = run;
  if (isWhole) {
    const { rounds, seconds } = run.rounds;
    const method =
      `The legs of a comparison take turns: ${rounds} rounds of about ${seconds} s each, all on one PostgreSQL` +
      ` with fsync on; a ratio is the median of the rounds' ratios. The run took ${minutes()} minutes.`;
    writeFileSync(RESULTS, markdown(reported, failed, facts, method) + resultsParts().providers);
  } else if (options.write) {
    writeFileSync(RESULTS, withRows(readFileSync(RESULTS, 'utf8'), reported, NAMES));
  }
}

/** How many were missed. */
async function measurePlans(): Promise<number> {
  const measured = await measureProviders(options.quick, chains);
  console.log(measured.markdown);
  if (!options.quick && chains.length === 0)
    writeFileSync(RESULTS, `${resultsParts().rows}\n${measured.markdown}`);
  return measured.missed;
}

function minutes(): string {
  return ((performance.now() - began) / 60_000).toFixed(1);
}

/** The two parts of the results that are written apart. */
function resultsParts(): { readonly rows: string; readonly providers: string } {
  const text = readFileSync(RESULTS, 'utf8');
  const at = text.indexOf(PROVIDERS_SECTION);
  return at === -1 ? { rows: text, providers: '' } : { rows: text.slice(0, at), providers: text.slice(at) };
}
