/**
 * What the worker does in sets, in one process on one database: ending invoices that all expire at
 * once, and crediting payments that come in one block, each with its webhook. The first is held
 * against the database's processor time, which is nearly all of it and does not depend on what else
 * the machine does.
 */
import { insertManyInvoices } from '../../tests/support/postgres/many-invoices.ts';
import {
  ASSET,
  CHAIN,
  CONFIRMATIONS,
  type FakeChainService,
  onFakeChain,
  orderInvoices,
  UNITS,
} from '../harness/fake-chain-service.ts';
import { atMost, type Finding } from '../harness/finding.ts';
import { type Cost, costOfEach, costText } from '../harness/process-figures.ts';
import type { Row, RowContext } from '../harness/row.ts';
import { spread } from '../harness/statistics.ts';

export const backlogs: Row = {
  name: 'backlogs',
  async run(context) {
    const databaseUrl = await context.database.createDatabase('bench_backlogs');
    return onFakeChain(databaseUrl, async (bench) => [
      await expired(bench, context),
      await credited(bench, context),
    ]);
  },
};

async function expired(bench: FakeChainService, { quick, rounds }: RowContext): Promise<Finding> {
  const count = quick ? 2_000 : 20_000;
  const taken: Cost[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { id: merchantId } = await bench.it.merchant();
    const expiresAt = new Date(Date.now() - 1_000);
    await insertManyInvoices(bench.it.databaseUrl, { merchantId, count, status: 'created', expiresAt });
    await bench.sql.unsafe('vacuum analyze');
    // Nothing ends before its chain was read past its time.
    bench.chain.mine(1);
    await bench.it.run(`chain:${CHAIN}`);
    taken.push(await costOfEach(count, bench.sql, () => bench.it.run('expire-invoices')));
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

async function credited(bench: FakeChainService, { quick, rounds }: RowContext): Promise<Finding> {
  const count = quick ? 100 : 1_000;
  const taken: Cost[] = [];
  const recorded: Cost[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { id: merchantId, live } = await bench.it.merchant({ callbackUrl: 'https://shop.example/hook' });
    const { addresses } = await orderInvoices(bench, [live], count);
    for (const to of addresses) bench.chain.pay({ to, asset: ASSET, units: UNITS });
    await bench.sql.unsafe('vacuum analyze');
    bench.chain.mine(1);
    recorded.push(await costOfEach(count, bench.sql, () => bench.it.run(`chain:${CHAIN}`)));
    bench.chain.mine(CONFIRMATIONS);
    taken.push(
      await costOfEach(count, bench.sql, async () => {
        await bench.it.run(`chain:${CHAIN}`);
        await bench.it.run('screen-deposits');
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

async function expectCount(
  { sql }: FakeChainService,
  query: string,
  merchantId: string,
  count: number,
): Promise<void> {
  const { length } = await sql.unsafe(query, [merchantId]);
  if (length !== count) throw new Error(`${length} of ${count} are through`);
}
