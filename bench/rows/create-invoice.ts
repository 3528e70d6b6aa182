/**
 * POST /invoices over HTTP against pgbench doing the same writes on as many connections: one
 * statement for an invoice, and BEGIN to COMMIT. Once for many merchants, and once for a single hot
 * one, whose counter row serialises its invoices.
 */

import type { BenchMerchant } from '../harness/composed.ts';
import { atLeast, type Finding } from '../harness/finding.ts';
import { httpLeg } from '../harness/http-load.ts';
import { invoiceScripts } from '../harness/invoice-scripts.ts';
import { alternate, latencyOf, type MeasuredLeg, rateText, ratio } from '../harness/legs.ts';
import { pgbenchLeg } from '../harness/pgbench.ts';
import { type PreparedService, prepareService } from '../harness/prepared-service.ts';
import { createInvoiceRequest, send } from '../harness/requests.ts';
import type { Row, RowContext } from '../harness/row.ts';

const CONNECTIONS = 32;
const MERCHANTS = 100;

interface Targets {
  readonly oneStatement: number;
  readonly transaction: number;
}

export const createInvoice: Row = {
  name: 'create-invoice',
  needs: 'pgbench',
  run: (context) =>
    compare(context, {
      database: 'bench_create',
      merchants: MERCHANTS,
      what: `POST /invoices, ${MERCHANTS} merchants`,
      targets: { oneStatement: 1.5, transaction: 1.3 },
    }),
};

export const createInvoiceHot: Row = {
  name: 'create-invoice-hot',
  needs: 'pgbench',
  run: (context) =>
    compare(context, {
      database: 'bench_create_hot',
      merchants: 1,
      what: 'POST /invoices, one hot merchant',
      targets: { oneStatement: 2, transaction: 2 },
    }),
};

async function compare(
  context: RowContext,
  row: { database: string; merchants: number; what: string; targets: Targets },
): Promise<Finding[]> {
  const prepared = await prepareService(context.database, { name: row.database, merchants: row.merchants });
  try {
    const { ours, oneStatement, transaction } = await measured(context, prepared);
    const finding = (theirs: MeasuredLeg, how: string, target: number): Finding => ({
      what: `${row.what} / pgbench, ${how}, ${CONNECTIONS} connections`,
      target: atLeast(target),
      unit: 'x',
      measured: ratio(ours, theirs),
      absolute: `${rateText(ours)}, ${rateText(theirs)}`,
      latencies: [latencyOf(ours), latencyOf(theirs)],
    });
    return [
      finding(oneStatement, 'one statement an invoice', row.targets.oneStatement),
      finding(transaction, 'BEGIN to COMMIT', row.targets.transaction),
    ];
  } finally {
    await prepared.stop();
  }
}

async function measured(context: RowContext, { service, databaseUrl, merchants, sql }: PreparedService) {
  const requests = merchants.map(createInvoiceRequest);
  const sample = await send(service.port, createInvoiceRequest(first(merchants)));
  const scripts = await invoiceScripts(sql, {
    sampleId: String(sample.order_id),
    merchantIds: merchants.map(({ id }) => id),
  });
  let answered = 1;
  const order = { port: service.port, connections: CONNECTIONS, requests, status: 201 };
  const pgbench = (name: string, script: string) =>
    pgbenchLeg({ name, script, program: context.pgbench ?? '', databaseUrl, connections: CONNECTIONS });
  const [ours, oneStatement, transaction] = await alternate(
    [
      httpLeg('HTTP', order, (count) => {
        answered += count;
      }),
      pgbench('pgbench', scripts.oneStatement),
      pgbench('pgbench', scripts.transaction),
    ],
    context,
  );
  if (!ours || !oneStatement || !transaction) throw new Error('unreachable: three legs went in');
  await assertAllStored({ sql, answered });
  return { ours, oneStatement, transaction };
}

/**
 * Every answer stands for a stored invoice, and the numbers of a merchant have no gaps, whoever
 * wrote the invoice.
 */
async function assertAllStored({
  sql,
  answered,
}: {
  sql: PreparedService['sql'];
  answered: number;
}): Promise<void> {
  const [stored] = await sql.unsafe(`
    select (select count(*) from invoices i join addresses a on a.invoice_id = i.id
            where a.address not like '0x%5fb8a1c0d9e37264b1f0a8d3')::int as by_http,
      (select count(*) from (select merchant_id, max(seq) - count(*) as gap, c.value - count(*) as behind
         from invoices join counters c using (merchant_id, sandbox) where c.stream = 'invoices'
         group by merchant_id, sandbox, c.value) numbers where gap <> 0 or behind <> 0)::int as wrong`);
  if (stored.by_http !== answered || stored.wrong !== 0) {
    throw new Error(
      `${answered} invoices were answered, ${stored.by_http} are stored; ${stored.wrong} counters are wrong`,
    );
  }
}

function first(merchants: readonly BenchMerchant[]): BenchMerchant {
  const [merchant] = merchants;
  if (!merchant) throw new Error('a row needs a merchant');
  return merchant;
}
