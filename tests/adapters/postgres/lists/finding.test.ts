/** Each value that finds rows of a list has an index of its own: EXPLAIN of the service's own statements names it. */
import { expect, test } from 'bun:test';
import type { SqlParameter } from '../../../../src/adapters/postgres/client/parameters.ts';
import type { Sql } from '../../../../src/adapters/postgres/client/sql.ts';
import { postgresQueries } from '../../../../src/adapters/postgres/queries.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import type { InvoiceFilter, PayoutFilter } from '../../../../src/ports/queries.ts';
import {
  aDeposit,
  aMerchant,
  anInvoice,
  anIssuedAddress,
  aPayout,
  aPermanentAddress,
  NOW,
} from '../../../support/builders.ts';
import { postgresAvailable, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

const SORT = { by: 'created_at', order: 'desc' } as const;
const PAGE = { page: 1, perPage: 20 };
const ALL = { from: null, to: null, asset: null, ids: null };
const INVOICES: readonly [Partial<InvoiceFilter>, index: string][] = [
  [{ externalId: '00000000-0000-4000-8000-000000000001' }, 'invoices_external_id'],
  [{ extra: 'order-1' }, 'invoice_extras_merchant_id'],
  [{ txids: ['ab', 'AB'] }, 'deposits_credit_key'],
  [{ addresses: ['0xab'] }, 'addresses_pkey'],
  [{ userId: 'user-42' }, 'invoices_by_user'],
  [{ updatedFrom: NOW }, 'invoices_by_update'],
  [{ updatedFrom: NOW, status: 'created', asset: 'btc_bitcoin', from: NOW }, 'invoices_by_update'],
];
const PAYOUTS: readonly [Partial<PayoutFilter>, index: string][] = [
  [{ ref: 'withdrawal-7' }, 'payouts_by_ref'],
  [{ txids: ['ab', 'AB'] }, 'payouts_by_transaction'],
  [{ address: '0xab' }, 'payouts_by_address'],
  [{ updatedFrom: NOW, asset: 'btc_bitcoin' }, 'payouts_by_update'],
];

test.skipIf(!needs('postgres', postgresAvailable()))(
  'what finds rows of a list is read by its index, and never the table',
  async () => {
    const { database, drop } = await testDatabase();
    let asked: { text: string; parameters: readonly SqlParameter[] } | null = null;
    const recording: Sql = {
      query(text, parameters = []) {
        asked = { text, parameters };
        return database.query(text, parameters);
      },
      rows: database.rows,
    };
    const queries = postgresQueries(database, { ...database, ...recording });
    const merchant = aMerchant();
    const scope = { merchantId: merchant.id, sandbox: false };
    await postgresUnitOfWork(database).run(async (r) => {
      await r.merchants.insert(merchant);
      const invoice = anInvoice({ ...scope, extra: 'order-1' });
      await r.invoices.insert(invoice);
      await r.deposits.insertOrLock(aDeposit({ ...scope, invoiceId: invoice.id }));
      await r.addresses.insert(anIssuedAddress({ ...scope, invoiceId: invoice.id }));
      await r.payouts.insert(aPayout({ ...scope, ref: 'withdrawal-1' }));
      await r.permanentAddresses.insertIfAbsent(aPermanentAddress(scope));
    });
    // Plans as of large tables that were never looked at.
    await database.query(`
      update pg_class set reltuples = 1e6, relpages = 1 where relkind = 'r' and relnamespace = 'public'::regnamespace`);
    const plan = () =>
      database.transaction(async (sql) => {
        if (asked === null) throw new Error('the list asked the database nothing');
        // They are one page all the same.
        await sql.script('set local enable_seqscan = off');
        return (await sql.rows(`explain ${asked.text}`, asked.parameters)).join('\n');
      });
    for (const [filter, index] of INVOICES) {
      await queries.invoices(scope, { ...ALL, status: null, ...filter }, SORT, PAGE);
      expect(await plan()).toContain(index);
      expect(await plan()).not.toContain('Seq Scan');
    }
    for (const [filter, index] of PAYOUTS) {
      await queries.payouts(scope, { ...ALL, ...filter }, SORT, PAGE);
      expect(await plan()).toContain(index);
      expect(await plan()).not.toContain('Seq Scan');
    }
    const wanted = { family: null, userId: null, active: null, addresses: ['0xab'] };
    await queries.permanentAddresses(scope, wanted, PAGE);
    expect(await plan()).toContain('addresses_pkey');
    expect(await plan()).not.toContain('Seq Scan');
    await drop();
  },
);
