/**
 * The laws that hold whatever happened, asked of the tables directly and of the API: each answers
 * what breaks it.
 */
import type { Database } from '../../../src/adapters/postgres/client/client.ts';
import { totalsOf } from '../../../src/app/console/statement.ts';
import { FIAT_DECIMALS } from '../../../src/domain/catalog/fiat.ts';
import { monthOf, monthText } from '../../../src/domain/console/statement.ts';
import { formatUnits } from '../../../src/domain/money/decimal.ts';
import type { TestService } from '../test-service.ts';
import type { PlayedHistory } from './ledger-world.ts';

export const LAWS: Readonly<Record<string, string>> = {
  'the postings of an entry sum to zero in every currency': `
    select entry_id, currency, sum(amount)::text from ledger_postings group by 1, 2 having sum(amount) <> 0`,

  'credited + fee = received, for every deposit': `
    select d.id, d.units::text, e.feed_amount_units::text, e.feed_fee_units::text
    from ledger_entries e join deposits d on d.id = e.deposit_id
    where e.kind = 'income' and e.reversed_by is null and e.feed_amount_units + e.feed_fee_units <> d.units`,

  'no deposit is credited twice': `
    select deposit_id from ledger_entries where kind in ('income', 'hold') and reversed_by is null
    group by 1 having count(*) > 1
    union all
    select deposit_id from ledger_entries group by 1
    having deposit_id is not null
      and count(*) filter (where kind = 'income') - count(*) filter (where kind = 'income_reversed') not in (0, 1)`,

  'a deposit is credited exactly when an income entry stands for it': `
    select d.id, d.status from deposits d
    where (d.status = 'credited') <> exists (
      select from ledger_entries e where e.deposit_id = d.id and e.kind = 'income' and e.reversed_by is null)`,

  'balance = income - payouts - refunds, by the postings and by the feed': `
    select b.merchant_id, b.sandbox from balances b
    left join lateral (
      select coalesce(-sum(p.amount), 0) as owed from ledger_postings p join ledger_entries e on e.id = p.entry_id
      where p.account = 'merchant' and e.merchant_id = b.merchant_id and e.sandbox = b.sandbox) posted on true
    left join lateral (
      select coalesce(sum(feed_micro_usd) filter (where feed_type = 'income'), 0) as income,
        coalesce(sum(feed_micro_usd) filter (where feed_type = 'payout'), 0) as payouts,
        coalesce(sum(feed_micro_usd) filter (where feed_type = 'refund'), 0) as refunds
      from ledger_entries e where e.merchant_id = b.merchant_id and e.sandbox = b.sandbox) feed on true
    where posted.owed <> b.income_micro_usd - b.payouts_micro_usd - b.refunds_micro_usd
      or (feed.income, feed.payouts, feed.refunds)
        is distinct from (b.income_micro_usd, b.payouts_micro_usd, b.refunds_micro_usd)`,

  'an invoice received what its deposits say': `
    select i.id, i.status from invoices i
    left join lateral (
      select coalesce(sum(units), 0) as units from deposits d
      where d.invoice_id = i.id and d.status not in ('dropped', 'reversed')) paid on true
    where i.pending_units + i.credited_units + i.held_units <> paid.units`,

  'what an invoice was paid is in its asset': `
    select d.id, d.status, d.asset, i.asset from deposits d join invoices i on i.id = d.invoice_id
    where d.status <> 'dropped' and d.asset is distinct from i.asset`,

  'the suspense account owes what waits for its credit': `
    with owed as (
      select p.currency as asset, -sum(p.amount) as units from ledger_postings p
      where p.account = 'suspense' group by 1),
    waiting as (
      select asset, sum(units) as units from deposits where status in ('arrived', 'stray') group by 1)
    select coalesce(o.asset, w.asset), o.units::text, w.units::text from owed o full join waiting w on w.asset = o.asset
    where coalesce(o.units, 0) <> coalesce(w.units, 0)`,

  'at most one webhook for each version of an invoice, and none for a version it never had': `
    select d.invoice_id, d.invoice_version from webhook_deliveries d join invoices i on i.id = d.invoice_id
    where d.invoice_version is not null
    group by 1, 2, i.version having count(*) > 1 or d.invoice_version > i.version`,

  'the last status that merchants are told of was told': `
    select i.id, i.status from invoices i
    where i.status in ('confirming', 'partially_paid', 'paid_over', 'success', 'failed', 'high_risk', 'cancelled')
      and not i.sandbox and not exists (
        select from webhook_deliveries d where d.invoice_id = i.id and d.invoice_version = i.version)`,

  'a delivery leaves the queue only when its receiver took it': `
    select d.id from webhook_deliveries d
    where d.url is not null and not exists (select from webhook_queue q where q.delivery_id = d.id) and not exists (
      select from webhook_attempts a where a.delivery_id = d.id and a.status_code between 200 and 299)`,

  'the sums of days equal the postings': `
    with kept as (
      select merchant_id, sandbox, day, figure, label, sum(count) as count, sum(units) as units,
        sum(micro_usd) as micro_usd, sum(fee_micro_usd) as fee
      from (select * from day_figures union all select * from day_figure_changes) stored group by 1, 2, 3, 4, 5),
    posted as (
      select e.merchant_id, e.sandbox, date_trunc('day', e.at at time zone 'UTC')::date as day, e.kind, p.*
      from ledger_entries e join ledger_postings p on p.entry_id = e.id where e.merchant_id is not null),
    wanted as (
      select merchant_id, sandbox, day, 'balance' as figure, '' as label, null::bigint as count, 0 as units,
        -sum(amount) as micro_usd, 0 as fee from posted where account = 'merchant' group by 1, 2, 3
      union all
      select merchant_id, sandbox, day, 'received', currency,
        count(*) filter (where amount > 0) - count(*) filter (where amount < 0), sum(amount), null, null
      from posted where account = 'suspense' and kind in ('income', 'income_reversed') group by 1, 2, 3, 5
      union all
      select merchant_id, sandbox, day, 'received in all', '', null, null,
        -coalesce(sum(amount) filter (where account = 'merchant'), 0), -coalesce(sum(amount) filter (where account = 'fees'), 0)
      from posted where kind in ('income', 'income_reversed') group by 1, 2, 3
      union all
      select merchant_id, sandbox, day, 'sent', currency,
        count(*) filter (where amount < 0) - count(*) filter (where amount > 0), -sum(amount), null, null
      from posted where account = 'treasury' and kind in ('payout_settled', 'payout_unsettled') group by 1, 2, 3, 5
      union all
      select merchant_id, sandbox, day, 'sent in all', '', null, null,
        coalesce(sum(amount) filter (where account = 'payouts_in_flight'), 0), -coalesce(sum(amount) filter (where account = 'network_fees'), 0)
      from posted where kind in ('payout_settled', 'payout_unsettled') group by 1, 2, 3
      union all
      select merchant_id, sandbox, day, 'refunded', '', null, 0, sum(amount), null
      from posted where account = 'merchant' and kind in ('refund', 'refund_reversed') group by 1, 2, 3),
    compared as (
      select * from kept union all
      select merchant_id, sandbox, day, figure || ' in all', '', 0, 0, sum(micro_usd), sum(fee) from kept
      where figure in ('received', 'sent') group by 1, 2, 3, 4)
    select w.*, c.count, c.units, c.micro_usd, c.fee from wanted w
    left join compared c using (merchant_id, sandbox, day, figure, label)
    where coalesce(w.count, c.count, 0) <> coalesce(c.count, 0) or coalesce(w.units, c.units, 0) <> coalesce(c.units, 0)
      or coalesce(w.micro_usd, c.micro_usd, 0) <> coalesce(c.micro_usd, 0) or coalesce(w.fee, c.fee, 0) <> coalesce(c.fee, 0)
    union all
    select k.*, null, null, null, null from kept k
    left join wanted w using (merchant_id, sandbox, day, figure, label)
    where w.day is null and k.figure in ('balance', 'received', 'sent') and (k.count, k.units, k.micro_usd, k.fee) <> (0, 0, 0, 0)`,

  'the sums of days equal the invoices': `
    select k.* from (
      select merchant_id, sandbox, day, label, sum(count) as count
      from (select * from day_figures union all select * from day_figure_changes) stored
      where figure = 'invoices' and label <> 'removed' group by 1, 2, 3, 4) k
    full join (
      select merchant_id, sandbox, date_trunc('day', created_at at time zone 'UTC')::date as day, status as label,
        count(*) as count from invoices where status <> 'created' group by 1, 2, 3, 4) i
    using (merchant_id, sandbox, day, label) where coalesce(k.count, 0) <> coalesce(i.count, 0)`,
};

/** Every broken law with what broke it; empty when all hold. */
export async function brokenLaws(
  world: { it: TestService; database: Database },
  history: PlayedHistory,
): Promise<readonly unknown[]> {
  const broken: unknown[] = [];
  for (const [law, text] of Object.entries(LAWS)) {
    const rows = await world.database.query(text);
    if (rows.length > 0) broken.push({ law, rows: [...rows].slice(0, 5) });
  }
  const faults = await world.it.service.dependencies.operatorQueries.reconciliationFaults();
  if (faults.length > 0) broken.push({ law: 'reconciliation finds nothing', faults: faults.slice(0, 5) });
  for (const sandbox of [false, true]) {
    broken.push(...(await wrongBalance(world, history, sandbox)));
    broken.push(...(await wrongStatement(world, history, sandbox)));
  }
  return broken;
}

/** GET /balance says what the table says. */
async function wrongBalance(
  world: { it: TestService; database: Database },
  { merchant }: PlayedHistory,
  sandbox: boolean,
): Promise<readonly unknown[]> {
  const key = sandbox ? merchant.sandbox : merchant.live;
  const answer = (await world.it.call(key, 'GET', '/api/v2/balance')).body.result;
  const [row] = await world.database.query<Record<'income' | 'payouts' | 'available', string>>(
    `select income_micro_usd as income, payouts_micro_usd as payouts,
       income_micro_usd - payouts_micro_usd - refunds_micro_usd as available
     from balances where merchant_id = $1 and sandbox = $2`,
    [merchant.id, sandbox],
  );
  // The answer's number, read from the same exact decimal.
  const usd = (micros = '0') => Number(formatUnits(BigInt(micros), FIAT_DECIMALS));
  const same =
    answer.available === usd(row?.available) &&
    answer.total_income === usd(row?.income) &&
    answer.total_payouts === usd(row?.payouts);
  return same ? [] : [{ law: 'GET /balance equals the books', sandbox, answer, row }];
}

/** The statement of this month leads to the balance, by its lines and by its totals. */
async function wrongStatement(
  world: { it: TestService; database: Database },
  { merchant }: PlayedHistory,
  sandbox: boolean,
): Promise<readonly unknown[]> {
  const { application, dependencies } = world.it.service;
  const month = monthOf(dependencies.clock.now());
  const statement = await application.console.statement({ merchantId: merchant.id, sandbox }, month);
  if (statement === null) return [{ law: 'there is a statement', sandbox }];
  const { openingMicroUsd, closingMicroUsd } = statement;
  const totals = await totalsOf(statement);
  const net = totals.reduce((sum, { netMicroUsd }) => sum + netMicroUsd, 0n);
  const whole = totals.every((one) => one.grossMicroUsd - one.feeMicroUsd === one.netMicroUsd);
  const [row] = await world.database.query<{ owed: string; fees: string }>(
    `select coalesce(-sum(amount) filter (where account = 'merchant'), 0) as owed,
       coalesce(-sum(amount) filter (where account = 'fees' and kind = 'income'
         and to_char(at at time zone 'UTC', 'YYYY-MM') = $3), 0) as fees
     from ledger_postings p join ledger_entries e on e.id = p.entry_id where merchant_id = $1 and sandbox = $2`,
    [merchant.id, sandbox, monthText(month)],
  );
  const leads = openingMicroUsd + net === closingMicroUsd && closingMicroUsd === BigInt(row?.owed ?? 0n);
  const hasFees = totals.find(({ kind }) => kind === 'income')?.feeMicroUsd === BigInt(row?.fees ?? 0n);
  return leads && hasFees && whole
    ? []
    : [{ law: 'the statement leads to the balance', sandbox, totals, row }];
}

/** After everything came to rest: what is on the chain is somebody's, what is not is nobody's. */
export async function paymentsOutOfSight(
  world: { it: TestService; database: Database },
  history: PlayedHistory,
): Promise<readonly unknown[]> {
  const scanner = world.it.service.chains.fakes?.get('ethereum')?.scanner;
  const rows = await world.database.query<{ txid: string; status: string }>(
    'select txid, status from deposits where merchant_id = $1 and not sandbox',
    [history.merchant.id],
  );
  const statusOf = new Map(rows.map(({ txid, status }) => [txid, status]));
  const wrong: unknown[] = [];
  for (const txid of history.txids) {
    const onChain = (await scanner?.lookup(txid))?.state === 'mined';
    const status = statusOf.get(txid) ?? 'unknown';
    const ours = ['arrived', 'credited', 'held', 'rejected', 'stray'].includes(status);
    if (onChain !== ours)
      wrong.push({ law: 'money is ours exactly while it is on the chain', txid, status, onChain });
  }
  return wrong;
}
