/**
 * Payments that come in one block, from the block until they are credited and their webhooks
 * queued, against plain SQL that writes the same in sets of 500. Once for many merchants and once
 * for one, whose balance and numbers all of them change.
 */
import type { SQL } from 'bun';
import { openCountingRelay } from '../../tests/support/postgres/counting-relay.ts';
import {
  ASSET,
  CHAIN,
  CONFIRMATIONS,
  type FakeChainService,
  onFakeChain,
  orderInvoices,
  UNITS,
} from '../harness/fake-chain-service.ts';
import { atLeast, atMost, type Finding } from '../harness/finding.ts';
import { creditInSets } from '../harness/payment-sets.ts';
import type { Row, RowContext } from '../harness/row.ts';
import { compareWithSets } from '../harness/set-comparison.ts';
import { spread } from '../harness/statistics.ts';

const MERCHANTS = 50;
const BATCH = 100;
const HOOK = 'https://shop.example/hook';
const TABLES = ['deposits', 'ledger_entries', 'ledger_postings', 'webhook_deliveries', 'webhook_queue'];

export const payments: Row = {
  name: 'payments',
  async run(context) {
    const compare = await context.database.createDatabase('bench_payments');
    const count = await context.database.createDatabase('bench_payments_counted');
    return [
      ...(await onFakeChain(compare, async (bench) => [
        await compared(bench, context, MERCHANTS),
        await compared(bench, context, 1),
      ])),
      ...(await counted(count)),
    ];
  },
};

/** Statements and fsyncs of a payment; nothing is timed. */
async function counted(databaseUrl: string): Promise<readonly Finding[]> {
  const relay = await openCountingRelay(databaseUrl);
  try {
    return await onFakeChain(relay.url, async (bench) => {
      const keys = await shops(bench, MERCHANTS);
      const pay = async () => payAll(bench, (await orderInvoices(bench, keys, BATCH)).addresses);
      // The first ones prepare what the second ones run.
      await pay();
      await credit(bench);
      await pay();
      const before = await fsyncsOf(bench.sql);
      const sent = relay.statements;
      await credit(bench);
      const statements = (relay.statements - sent) / BATCH;
      const fsyncs = ((await fsyncsOf(bench.sql)) - before) / BATCH;
      const what = `of a payment, ${BATCH} payments of ${MERCHANTS} merchants in one block`;
      return [
        counting(`statements ${what}`, statements, 5),
        counting(`fsyncs of the WAL ${what}`, fsyncs, 0.1),
      ];
    });
  } finally {
    relay.close();
  }
}

async function compared(bench: FakeChainService, context: RowContext, merchants: number): Promise<Finding> {
  const { sql } = bench;
  const count = context.quick ? 100 : 1_000;
  const keys = await shops(bench, merchants);
  let body = '';
  const { measured, ours, plain } = await compareWithSets<readonly string[]>(
    sql,
    context,
    {
      ...{ count, tables: TABLES },
      async prepare(leg) {
        const { ids, addresses } = await orderInvoices(bench, keys, count);
        if (leg === 'service') payAll(bench, addresses);
        return ids;
      },
      async ours(ids) {
        await credit(bench);
        body ||= await bodyOf(sql, ids[0]!);
      },
      plain: (ids) => creditInSets(sql, { ids, url: HOOK, body }),
      check: (ids) => expectCredited(sql, ids),
    },
    ' payments',
  );
  return {
    what: `payments of one block, ${merchants} merchants, from the block to the queued webhook / plain SQL in sets of 500`,
    target: atLeast(0.7),
    unit: 'x',
    measured,
    absolute: `${ours}; plain SQL ${plain}`,
    latencies: [],
  };
}

/** The API keys of as many merchants. */
async function shops({ it }: FakeChainService, merchants: number): Promise<readonly string[]> {
  const made = await Promise.all(Array.from({ length: merchants }, () => it.merchant({ callbackUrl: HOOK })));
  return made.map(({ live }) => live);
}

/** All in one block. */
function payAll(bench: FakeChainService, addresses: readonly string[]): void {
  for (const to of addresses) bench.chain.pay({ to, asset: ASSET, units: UNITS });
  bench.chain.mine(1);
}

/** From the block until everything is credited and its webhooks are queued. */
async function credit(bench: FakeChainService): Promise<void> {
  await bench.it.run(`chain:${CHAIN}`);
  bench.chain.mine(CONFIRMATIONS);
  await bench.it.run(`chain:${CHAIN}`);
  await bench.it.run('screen-deposits');
}

function counting(what: string, measured: number, most: number): Finding {
  const of = { unit: 'each', absolute: '', latencies: [] } as const;
  return { ...of, what, target: atMost(most, 'each'), measured: spread([measured]) };
}

/** Sessions that have nothing to do tell of their fsyncs within ten seconds. */
const TOLD_AFTER_MS = 11_000;

/** Of all sessions, and of the server's own processes. */
async function fsyncsOf(sql: SQL): Promise<number> {
  await Bun.sleep(TOLD_AFTER_MS);
  const [row] = await sql.unsafe(
    `select coalesce(sum(fsyncs), 0)::int as fsyncs from pg_stat_io where object = 'wal'`,
  );
  return row.fsyncs;
}

async function bodyOf(sql: SQL, invoiceId: string): Promise<string> {
  const [row] = await sql.unsafe(
    `select encode(packed_body, 'hex') as body from webhook_deliveries where invoice_id = $1 limit 1`,
    [invoiceId],
  );
  return row.body;
}

async function expectCredited(sql: SQL, ids: readonly string[]): Promise<void> {
  const [row] = await sql.unsafe(
    `select count(*)::int as through from webhook_deliveries d join invoices i on i.id = d.invoice_id
     where i.id = any (string_to_array($1, ',')) and i.status = 'success' and d.invoice_version = i.version`,
    [ids.join(',')],
  );
  if (row.through !== ids.length) throw new Error(`${row.through} of ${ids.length} are through`);
}
