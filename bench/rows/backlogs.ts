/**
 * What the worker does in sets, in one process on one database: ending invoices that all expire at
 * once, and crediting payments that come in one block, each with its webhook. The first is held
 * against the database's processor time, which is nearly all of it and does not depend on what else
 * the machine does.
 */
import { SQL } from 'bun';
import { insertManyInvoices } from '../../tests/support/postgres/many-invoices.ts';
import { startTestService, type TestService } from '../../tests/support/test-service.ts';
import { atMost, type Finding } from '../harness/finding.ts';
import { type Cost, costOfEach, costText } from '../harness/process-figures.ts';
import type { Row, RowContext } from '../harness/row.ts';
import { spread } from '../harness/statistics.ts';

const CHAIN = 'ethereum';
const ASSET = 'usdt_ethereum';
const CONFIRMATIONS = 12;

interface Bench {
  readonly it: TestService;
  readonly sql: SQL;
}

export const backlogs: Row = {
  name: 'backlogs',
  async run(context) {
    const databaseUrl = await context.database.createDatabase('bench_backlogs');
    const it = await startTestService({
      databaseUrl,
      env: { CHAINS: 'fake', LOG_LEVEL: 'silent' },
      chains: [CHAIN],
    });
    const sql = new SQL({ url: databaseUrl, adapter: 'postgres', max: 1 });
    try {
      await it.settle();
      return [await expired({ it, sql }, context), await credited({ it, sql }, context)];
    } finally {
      await sql.close();
      await it.stop();
    }
  },
};

async function expired(bench: Bench, { quick, rounds }: RowContext): Promise<Finding> {
  const count = quick ? 2_000 : 20_000;
  const taken: Cost[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { id: merchantId } = await bench.it.merchant();
    const expiresAt = new Date(Date.now() - 1_000);
    await insertManyInvoices(bench.it.databaseUrl, { merchantId, count, status: 'created', expiresAt });
    await bench.sql.unsafe('vacuum analyze');
    // Nothing ends before its chain was read past its time.
    chain(bench).mine(1);
    await job(bench, `chain:${CHAIN}`);
    taken.push(await costOfEach(count, bench.sql, () => job(bench, 'expire-invoices')));
    await expectCount(
      bench,
      `select from invoices where merchant_id = $1 and status = 'expired'`,
      merchantId,
      count,
    );
  }
  return {
    what: `the database's processor time for 10,000 of ${count.toLocaleString('en')} invoices that expire at once`,
    target: atMost(1, 's'),
    unit: 's',
    measured: spread(taken.map(({ database }) => database * 10_000)),
    absolute: `one worker, ${costText(taken, ' invoices')}`,
    latencies: [],
  };
}

async function credited(bench: Bench, { quick, rounds }: RowContext): Promise<Finding> {
  const count = quick ? 100 : 1_000;
  const taken: Cost[] = [];
  const recorded: Cost[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { id: merchantId, live } = await bench.it.merchant({ callbackUrl: 'https://shop.example/hook' });
    for (let made = 0; made < count; made += 50) {
      const order = { amount: 25, fiat_currency: 'USD', asset: ASSET };
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => bench.it.call(live, 'POST', '/api/v2/invoices', order)),
      );
      for (const { body } of answers)
        chain(bench).pay({ to: body.result.address_to, asset: ASSET, units: 25_250_000n });
    }
    await bench.sql.unsafe('vacuum analyze');
    chain(bench).mine(1);
    recorded.push(await costOfEach(count, bench.sql, () => job(bench, `chain:${CHAIN}`)));
    chain(bench).mine(CONFIRMATIONS);
    taken.push(
      await costOfEach(count, bench.sql, async () => {
        await job(bench, `chain:${CHAIN}`);
        await job(bench, 'screen-deposits');
      }),
    );
    const told = `select from webhook_deliveries d join invoices i on i.id = d.invoice_id
      where i.merchant_id = $1 and i.status = 'success' and d.invoice_version = i.version`;
    await expectCount(bench, told, merchantId, count);
  }
  return {
    what: 'time of 1,000 payments of one block and merchant, from their finality until they are credited and their webhooks queued',
    target: null,
    unit: 's',
    measured: spread(taken.map(({ elapsed }) => elapsed * 1_000)),
    absolute: `one worker, ${costText(taken, ' payments')}; when they are seen and recorded: one worker, ${costText(recorded, ' payments')}`,
    latencies: [],
  };
}

function chain({ it }: Bench) {
  const fake = it.service.chains.fakes?.get(CHAIN);
  if (!fake) throw new Error('the fake chains are not there');
  return fake.control;
}

async function job({ it }: Bench, name: string): Promise<void> {
  const found = it.service.jobs.find((each) => each.name === name);
  if (!found) throw new Error(`no job ${name}`);
  await found.run();
}

async function expectCount({ sql }: Bench, query: string, merchantId: string, count: number): Promise<void> {
  const { length } = await sql.unsafe(query, [merchantId]);
  if (length !== count) throw new Error(`${length} of ${count} are through`);
}
