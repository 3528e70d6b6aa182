/** What a search looks up is read by indexes: EXPLAIN of the service's own statements names them. */
import { expect, test } from 'bun:test';
import type { SqlParameter } from '../../../../src/adapters/postgres/client/parameters.ts';
import type { Sql } from '../../../../src/adapters/postgres/client/sql.ts';
import { postgresConsoleQueries } from '../../../../src/adapters/postgres/console/console-queries.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import type { SearchTerms } from '../../../../src/domain/console/search-terms.ts';
import { aDeposit, aMerchant, anInvoice, anIssuedAddress, aPayout } from '../../../support/builders.ts';
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
  ...['invoices_pkey', 'invoices_external_id', 'invoice_extras_merchant_id', 'invoice_emails_merchant_id'],
  ...[
    'invoices_by_user',
    'invoices_by_amount',
    'deposits_by_amount',
    'deposits_credit_key',
    'addresses_pkey',
  ],
  ...['payouts_pkey', 'payouts_by_transaction', 'payouts_by_ref', 'payouts_by_address', 'payouts_by_amount'],
  ...['deposits_pkey', 'deposits_at_address', 'permanent_addresses_pkey', 'permanent_addresses_by_user'],
];

const onPostgres = test.skipIf(!needs('postgres', postgresAvailable()));

onPostgres('a search reads indexes, and never a table, of one merchant as of all', async () => {
  const { database, drop } = await testDatabase();
  const asked: { text: string; parameters: readonly SqlParameter[] }[] = [];
  const recording: Sql = {
    query(text, parameters = []) {
      asked.push({ text, parameters });
      return database.query(text, parameters);
    },
  };
  const queries = postgresConsoleQueries({ ...database, ...recording });
  const merchant = aMerchant();
  const scope = { merchantId: merchant.id, sandbox: false };
  await postgresUnitOfWork(database).run(async (r) => {
    await r.merchants.insert(merchant);
    const invoice = anInvoice({ ...scope, extra: 'order-1', payerInfo: { email: 'ann@example.org' } });
    await r.invoices.insert(invoice);
    await r.deposits.insertOrLock(aDeposit({ ...scope, invoiceId: invoice.id }));
    await r.addresses.insert(anIssuedAddress({ ...scope, invoiceId: invoice.id }));
    await r.payouts.insert(aPayout({ ...scope, ref: 'withdrawal-1' }));
  });
  // Plans as of large tables that were never looked at.
  await database.query(`
    update pg_class set reltuples = 1e6, relpages = 1
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'merchants'`);
  for (const searched of [scope, null]) {
    await queries.findPayments(searched, TERMS);
    const plan = await database.transaction(async (sql) => {
      // They are one page all the same.
      await sql.script('set local enable_seqscan = off');
      const lines: string[] = [];
      for (const { text, parameters } of asked.splice(0))
        lines.push(...(await sql.query(`explain ${text}`, parameters)).flatMap(Object.values).map(String));
      return lines.join('\n');
    });
    expect(INDEXES.filter((index) => !plan.includes(index))).toEqual([]);
    expect(plan.replaceAll(/Seq Scan on merchants/g, '')).not.toContain('Seq Scan');
  }
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
