/** The consoles read by indexes: EXPLAIN of the service's own statements names them. */
import { expect, test } from 'bun:test';
import type { SqlParameter } from '../../../../src/adapters/postgres/client/parameters.ts';
import type { Sql } from '../../../../src/adapters/postgres/client/sql.ts';
import { postgresConsoleQueries } from '../../../../src/adapters/postgres/console/console-queries.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { ATTENTION_CODES } from '../../../../src/domain/console/attention.ts';
import { dayOf } from '../../../../src/domain/console/day-figure.ts';
import type { SearchTerms } from '../../../../src/domain/console/search-terms.ts';
import { aDeposit, aMerchant, anInvoice, anIssuedAddress, aPayout, NOW } from '../../../support/builders.ts';
import { postgresAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

const TERMS: SearchTerms = {
  text: '12.5',
  id: '0'.repeat(24),
  externalId: '00000000-0000-4000-8000-000000000001',
  txids: ['ab', 'AB'],
  addresses: ['0xab'],
  email: 'ann@example.org',
  fiat: { micros: 12_500_000n, currency: 'USD' },
  coins: [{ asset: 'usdt_ethereum', units: 12_500_000n }],
};
const INDEXES = [
  ...['invoices_pkey', 'invoices_external_id', 'invoice_extras_extra', 'invoice_emails_email'],
  ...[
    'invoices_by_user',
    'invoices_by_amount',
    'deposits_by_amount',
    'deposits_by_sender',
    'invoices_asked',
    'deposits_credit_key',
    'addresses_family_address_pk',
  ],
  ...['payouts_pkey', 'payouts_by_transaction', 'payouts_by_ref', 'payouts_by_address', 'payouts_by_amount'],
  ...['deposits_pkey', 'permanent_addresses_by_user'],
];

const onPostgres = test.skipIf(!needs('postgres', postgresAvailable()));

/** What only the attention, the time lines and the figures read. */
const MORE_INDEXES = [
  ...['invoices_partly_paid', 'invoices_paid_over', 'deposits_waiting_of_merchant'],
  'webhook_queue_dead_of_merchant',
  ...[
    'payouts_held_of_merchant',
    'payouts_failed_of_merchant',
    'deposits_of_invoice',
    'addresses_of_invoice',
  ],
  ...['webhook_deliveries_one_per_transition', 'webhook_attempts_of_invoice', 'customer_mails_of_invoice'],
  ...[
    'ledger_of_reference',
    'outgoing_transfers_of_payout',
    'webhook_deliveries_of_payout',
    'invoices_by_time',
  ],
  ...[
    'payouts_of_invoice',
    'day_figures_merchant_id',
    'day_figure_changes_of_merchant',
    'list_counts_merchant_id',
  ],
];

async function stage() {
  const { database, drop } = await testDatabase();
  const asked: { text: string; parameters: readonly SqlParameter[] }[] = [];
  const recording = (sql: Sql): Sql => ({
    query(text, parameters = []) {
      asked.push({ text, parameters });
      return sql.query(text, parameters);
    },
  });
  const queries = postgresConsoleQueries({
    ...recording(database),
    snapshot: (work) => database.snapshot((sql) => work(recording(sql))),
  });
  const merchant = aMerchant();
  const scope = { merchantId: merchant.id, sandbox: false };
  const invoice = anInvoice({ ...scope, extra: 'order-1', payerInfo: { email: 'ann@example.org' } });
  const payout = aPayout({ ...scope, ref: 'withdrawal-1' });
  await postgresUnitOfWork(database).run(async (r) => {
    await r.merchants.insert(merchant);
    await r.invoices.insert(invoice);
    await r.deposits.insertAll([aDeposit({ ...scope, invoiceId: invoice.id })]);
    await r.addresses.insert(anIssuedAddress({ ...scope, invoiceId: invoice.id }));
    await r.payouts.insert(payout);
  });
  // Of others. Among few the planner has no choice to make.
  await database.script(`
    set session_replication_role = replica;
    insert into webhook_queue (delivery_id, merchant_id, sandbox, destination, due_at, attempts, dead_at)
    select lpad(to_hex(n), 24, '0'), 'other', false, '-', now(), 9, '${NOW.toISOString()}' from generate_series(1, 5000) n;
    reset session_replication_role;
    analyze webhook_queue`);
  // Plans as of large tables that were never looked at.
  await database.query(`
    update pg_class set reltuples = 1e6, relpages = 1
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'merchants';
    update pg_class set reltuples = 1000, relpages = 1 where oid = 'merchants'::regclass`);
  /** Of all statements since the last call. */
  const plans = () =>
    database.transaction(async (sql) => {
      // They are one page all the same.
      await sql.script('set local enable_seqscan = off');
      const lines: string[] = [];
      for (const { text, parameters } of asked.splice(0))
        lines.push(...(await sql.query(`explain ${text}`, parameters)).flatMap(Object.values).map(String));
      return lines.join('\n');
    });
  return { queries, scope, invoice, payout, plans, drop };
}

onPostgres('a search reads indexes, and never a table, of one merchant as of all', async () => {
  const { queries, scope, plans, drop } = await stage();
  for (const searched of [scope, null]) {
    await queries.findPayments(searched, TERMS);
    const plan = await plans();
    expect(INDEXES.filter((index) => !plan.includes(index))).toEqual([]);
    // Of an address all payments, or those of them that are unmatched.
    expect(plan).toMatch(/deposits_at_address|deposits_waiting_of_merchant|deposits_strays_by_amount/);
    // By its amount an unmatched deposit is looked up, not looked for among all unmatched ones.
    expect(plan).toMatch(
      searched === null
        ? /deposits_by_amount/
        : /deposits_strays_by_amount [^\n]*\n *Index Cond: [^\n]*units/,
    );
    // Of many merchants a join of another kind would read the table.
    expect(plan).not.toMatch(/(?:Hash|Merge) Join/);
    expect(plan.replaceAll(/Seq Scan on (?:merchants|counters)/g, '')).not.toContain('Seq Scan');
  }
  await drop();
});

onPostgres('so do the attention, the time lines and the figures', async () => {
  const { queries, scope, invoice, payout, plans, drop } = await stage();
  await queries.attention(scope, { from: NOW, code: null }, { page: 1, perPage: 20 });
  for (const code of ATTENTION_CODES)
    await queries.attention(scope, { from: NOW, code }, { page: 1, perPage: 20 });
  expect(await queries.invoiceFacts(scope, invoice.id)).not.toBeNull();
  expect(await queries.payoutFacts(scope, payout.id)).not.toBeNull();
  const days = { first: dayOf(NOW), last: dayOf(NOW) };
  await queries.daySums(scope, days);
  await queries.createdPerDay(scope, days);
  await queries.invoicesByStatus(scope);
  await queries.balanceBefore(scope, days.first);
  const plan = await plans();
  expect(MORE_INDEXES.filter((index) => !plan.includes(index))).toEqual([]);
  expect(plan).not.toContain('Seq Scan');
  // Counted without their rows.
  for (const index of ['invoices_partly_paid', 'invoices_paid_over'])
    expect(plan).toContain(`Index Only Scan using ${index}`);
  await drop();
});

onPostgres('what needs attention is counted without the rows of the table', async () => {
  const { queries, scope, plans, drop } = await stage();
  await queries.attentionCounts(scope, NOW);
  const plan = await plans();
  for (const index of ['invoices_partly_paid', 'invoices_paid_over', 'deposits_waiting_of_merchant'])
    expect(plan).toContain(`Index Only Scan using ${index}`);
  await drop();
});

onPostgres(
  'a payer_info that PostgreSQL cannot read has no e-mail address, and harms no insert',
  async () => {
    const { database, drop } = await testDatabase();
    const found = async (text: string) =>
      (await database.query<{ email: string | null }>('select email_of($1) as email', [text]))[0]?.email;
    expect(await found('{"email":" Ann@Example.org "}')).toBe('ann@example.org');
    expect(await found('{"email":"a@b.de","n":1e999999}')).toBe('a@b.de');
    for (const odd of [
      '{"email":"a@b.de\\u0000"}',
      '{"email":["a@b.de"',
      '{"mail":"a@b.de"}',
      '{"email":"ann"}',
    ])
      expect([odd, await found(odd)]).toEqual([odd, null]);
    await drop();
  },
);
