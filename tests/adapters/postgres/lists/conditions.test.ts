/**
 * Each value that finds rows of a list has an index of its own: EXPLAIN of the service's own
 * statements names it.
 */
import { expect, test } from 'bun:test';
import type { SqlParameter } from '../../../../src/adapters/postgres/client/parameters.ts';
import type { Sql } from '../../../../src/adapters/postgres/client/sql.ts';
import { postgresQueries } from '../../../../src/adapters/postgres/queries.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import type { InvoiceFilter, PayoutFilter } from '../../../../src/ports/list-queries.ts';
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
  [{ extra: 'order-1' }, 'invoice_extras_extra'],
  [{ txids: ['ab', 'AB'] }, 'deposits_credit_key'],
  [{ addresses: ['0xab'] }, 'addresses_pkey'],
  [{ userId: 'user-42' }, 'invoices_by_user'],
  [{ updatedFrom: NOW }, 'Index Only Scan using invoices_by_update'],
  [{ updatedFrom: NOW, status: 'created', asset: 'btc_bitcoin', from: NOW }, 'invoices_by_update'],
];
const PAYOUTS: readonly [Partial<PayoutFilter>, index: string][] = [
  [{ ref: 'withdrawal-7' }, 'payouts_by_ref'],
  [{ txids: ['ab', 'AB'] }, 'payouts_by_transaction'],
  [{ address: '0xab' }, 'payouts_by_address'],
  [{ updatedFrom: NOW }, 'Index Only Scan using payouts_by_update'],
  [{ updatedFrom: NOW, asset: 'btc_bitcoin' }, 'payouts_by_update'],
];

test.skipIf(!needs('postgres', postgresAvailable()))(
  'what finds rows of a list is read by its index, and never the table',
  async () => {
    const { database, drop } = await testDatabase();
    const asked: { text: string; parameters: readonly SqlParameter[] }[] = [];
    const recording = (sql: Sql): Sql => ({
      query(text, parameters = []) {
        asked.push({ text, parameters });
        return sql.query(text, parameters);
      },
    });
    const queries = postgresQueries(database, {
      ...{ ...database, ...recording(database) },
      snapshot: (work) => database.snapshot((sql) => work(recording(sql))),
    });
    const merchant = aMerchant();
    const scope = { merchantId: merchant.id, sandbox: false };
    await postgresUnitOfWork(database).run(async (r) => {
      await r.merchants.insert(merchant);
      const invoice = anInvoice({ ...scope, extra: 'order-1' });
      await r.invoices.insert(invoice);
      await r.deposits.insertAll([aDeposit({ ...scope, invoiceId: invoice.id })]);
      await r.addresses.insert(anIssuedAddress({ ...scope, invoiceId: invoice.id }));
      await r.payouts.insert(aPayout({ ...scope, ref: 'withdrawal-1' }));
      await r.permanentAddresses.insertIfAbsent(aPermanentAddress(scope));
    });
    // Plans as of large tables that were never looked at.
    await database.query(`
      update pg_class set reltuples = 1e6, relpages = 1 where relkind = 'r' and relnamespace = 'public'::regnamespace`);
    const plans = () =>
      database.transaction(async (sql) => {
        // They are one page all the same.
        await sql.script('set local enable_seqscan = off');
        const lines: string[] = [];
        for (const { text, parameters } of asked.splice(0))
          lines.push(...(await sql.query(`explain ${text}`, parameters)).flatMap(Object.values).map(String));
        return lines.join('\n');
      });
    const isReadBy = async (index: string) => {
      const plan = await plans();
      expect(plan).toContain(index);
      expect(plan).not.toContain('Seq Scan');
    };
    for (const [filter, index] of INVOICES) {
      await queries.invoices(scope, { ...ALL, status: null, ...filter }, SORT, PAGE);
      await isReadBy(index);
    }
    for (const [filter, index] of PAYOUTS) {
      await queries.payouts(scope, { ...ALL, ...filter }, SORT, PAGE);
      await isReadBy(index);
    }
    const wanted = { family: null, userId: null, active: null, addresses: ['0xab'] };
    await queries.permanentAddresses(scope, wanted, PAGE);
    await isReadBy('addresses_pkey');
    await drop();
  },
);
