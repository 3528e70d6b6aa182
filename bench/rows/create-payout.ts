/**
 * POST /payouts over HTTP against pgbench doing the same writes, one statement a payout, on as many
 * connections. Once for many merchants, and once for a single hot one, whose balance serialises its
 * payouts. Meanwhile the service settles sandbox payouts in the background, whichever leg runs.
 */
import { type BenchMerchant, fundMerchants } from '../harness/composed.ts';
import { atLeast, type Finding, type Target } from '../harness/finding.ts';
import { httpLeg } from '../harness/http-load.ts';
import { alternate, latencyOf, rateText, ratio } from '../harness/legs.ts';
import { PGBENCH_REF, payoutScript } from '../harness/payout-scripts.ts';
import { pgbenchLeg } from '../harness/pgbench.ts';
import { type PreparedService, prepareService } from '../harness/prepared-service.ts';
import { createPayoutRequest, send } from '../harness/requests.ts';
import type { Row, RowContext } from '../harness/row.ts';

const CONNECTIONS = 32;
const MERCHANTS = 100;
/** More than any run pays out. */
const BALANCE_MICRO_USD = 1_000_000_000_000_000n;

export const createPayout: Row = {
  name: 'create-payout',
  needs: 'pgbench',
  run: (context) =>
    compare(context, {
      database: 'bench_payout',
      merchants: MERCHANTS,
      what: `POST /payouts, ${MERCHANTS} merchants`,
      target: atLeast(0.6),
    }),
};

export const createPayoutHot: Row = {
  name: 'create-payout-hot',
  needs: 'pgbench',
  run: (context) =>
    compare(context, {
      database: 'bench_payout_hot',
      merchants: 1,
      what: 'POST /payouts, one hot merchant',
      target: null,
    }),
};

async function compare(
  context: RowContext,
  row: { database: string; merchants: number; what: string; target: Target | null },
): Promise<Finding[]> {
  const prepared = await prepareService(context.database, {
    name: row.database,
    merchants: row.merchants,
    fill: (_, merchants, environment) => fundMerchants(environment, merchants, BALANCE_MICRO_USD),
  });
  try {
    const { service, databaseUrl, merchants, sql } = prepared;
    const requests = merchants.map(createPayoutRequest);
    const sample = await send(service.port, createPayoutRequest(first(merchants)));
    const script = await payoutScript(sql, {
      sampleId: String(sample.order_id),
      merchantIds: merchants.map(({ id }) => id),
    });
    let answered = 1;
    const order = { port: service.port, connections: CONNECTIONS, requests, status: 201 };
    const [ours, theirs] = await alternate(
      [
        httpLeg('HTTP', order, (count) => {
          answered += count;
        }),
        pgbenchLeg({
          name: 'pgbench',
          script,
          program: context.pgbench ?? '',
          databaseUrl,
          connections: CONNECTIONS,
        }),
      ],
      context,
    );
    if (!ours || !theirs) throw new Error('unreachable: two legs went in');
    await assertAllStored(sql, answered);
    return [
      {
        what: `${row.what} / pgbench, one statement a payout, ${CONNECTIONS} connections`,
        target: row.target,
        unit: 'x',
        measured: ratio(ours, theirs),
        absolute: `${rateText(ours)}, ${rateText(theirs)}`,
        latencies: [latencyOf(ours), latencyOf(theirs)],
      },
    ];
  } finally {
    await prepared.stop();
  }
}

/** Every answer stands for a stored payout, and whoever wrote them, the books agree. */
async function assertAllStored(sql: PreparedService['sql'], answered: number): Promise<void> {
  const [stored] = await sql.unsafe(`
    select (select count(*) from payouts where ref <> '${PGBENCH_REF}')::int as by_http,
      (select count(*) from (select currency from ledger_postings group by currency having sum(amount) <> 0) off)::int
        as unbalanced,
      (select count(*) from payouts p where not exists (select from uniq_ids u where u.order_id = p.id)
        or (select count(*) from ledger_entries e join ledger_postings x on x.entry_id = e.id
            where e.reference_id = p.id and e.kind = 'payout_reserved') <> 2)::int as incomplete,
      (select count(*) from balances b left join (
          select merchant_id, sandbox, sum(reserved_micro_usd) as reserved, count(*) as payouts, max(seq) as last
          from payouts group by 1, 2) p using (merchant_id, sandbox)
        join counters c using (merchant_id, sandbox)
        where c.stream = 'payouts' and (b.payouts_micro_usd <> coalesce(p.reserved, 0)
          or c.value <> coalesce(p.payouts, 0) or c.value <> coalesce(p.last, 0)))::int as wrong`);
  const { by_http, unbalanced, incomplete, wrong } = stored;
  if (by_http !== answered || unbalanced + incomplete + wrong > 0) {
    throw new Error(
      `${answered} payouts were answered, ${by_http} are stored; ${incomplete} are incomplete, ${wrong} balances or` +
        ` counters are wrong, ${unbalanced} currencies do not sum to zero`,
    );
  }
}

function first(merchants: readonly BenchMerchant[]): BenchMerchant {
  const [merchant] = merchants;
  if (!merchant) throw new Error('a row needs a merchant');
  return merchant;
}
