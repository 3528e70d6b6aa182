/**
 * Impossible rows cannot be stored, whatever the code above does: each is a small change of a valid
 * row.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { StatementRefused } from '../../../src/adapters/postgres/client/pg-errors.ts';
import { ledgerRepository } from '../../../src/adapters/postgres/ledger/ledger.ts';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { aDelivery, aKey, aMerchant, anEntry, aPermanentAddress, NOW } from '../../support/builders.ts';
import { type Booked, booked } from '../../support/ledger/booked.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres constraints', () => {
  let opened: TestDatabase;
  let world: Booked;

  beforeAll(async () => {
    opened = await testDatabase();
    const merchant = aMerchant();
    world = await postgresUnitOfWork(opened.database).run(async (repositories) => {
      await repositories.merchants.insert(merchant);
      for (let nth = 0; nth < 3; nth += 1)
        await repositories.merchants.putKey(aKey({ merchantId: merchant.id }), NOW);
      const made = await booked(repositories, merchant.id);
      await repositories.permanentAddresses.insertIfAbsent(aPermanentAddress({ merchantId: merchant.id }));
      await repositories.webhooks.enqueue(aDelivery({ merchantId: merchant.id, invoiceId: made.invoice.id }));
      return made;
    });
  }, 120_000);
  afterAll(() => opened.drop());

  /**
   * The constraint that refuses the statement; null when it is let through, and then it is rolled
   * back.
   */
  async function refusedBy(statement: string): Promise<string | null> {
    const rolledBack = new Error('rolled back');
    try {
      await opened.database.transaction(async (sql) => {
        await sql.script(statement);
        await sql.script('set constraints all immediate');
        throw rolledBack;
      });
    } catch (error) {
      if (error instanceof StatementRefused) return error.constraint;
      if (error !== rolledBack) throw error;
    }
    return null;
  }

  const ONE_INVOICE = `id = (select min(id) from invoices where status = 'success')`;
  const invoice = (change: string) => `update invoices set ${change} where ${ONE_INVOICE}`;

  test('the rows are valid as they are', async () => {
    expect(await refusedBy(invoice('txid = txid'))).toBeNull();
  });

  test.each([
    ['due_units = null', 'invoices_price_complete'],
    ['asset = null', 'invoices_funds_need_price'],
    ['initial_asset = null', 'invoices_price_complete'],
    ['original_units = 5', 'invoices_price_complete'],
    ["due_units = 'NaN'", 'invoices_price'],
    ['base_units = due_units + 1', 'invoices_price'],
    ['base_units = 0', 'invoices_price'],
    ['deferral_units = -1', 'invoices_price'],
    ['pending_units = -1', 'invoices_funds'],
    ["held_units = 'NaN'", 'invoices_funds'],
    ['credited_units = 0', 'invoices_status_needs_funds'],
    ["status = 'created', processed_at = null", 'invoices_status_needs_funds'],
    ["status = 'confirming', processed_at = null", 'invoices_status_needs_funds'],
    ["status = 'high_risk'", 'invoices_status_needs_funds'],
    ["status = 'failed'", 'invoices_status_needs_funds'],
    ['processed_at = null', 'invoices_processed_when_final'],
    ["status = 'partially_paid'", 'invoices_processed_when_final'],
    [
      "status = 'partially_paid', billing_type = 'VARY', processed_at = null",
      'invoices_processed_when_final',
    ],
    ["status = 'paid'", 'invoices_status'],
    ["billing_type = 'static'", 'invoices_billing_type'],
    ["fee_bearer = 'nobody'", 'invoices_fee_bearer'],
    ["webhook_format = 'xml'", 'invoices_webhook_format'],
    ["fiat_currency = 'usd'", 'invoices_fiat_currency'],
    ['initial_fiat_micros = -1', 'invoices_fiat_amount'],
    ['tolerance_ppm = 5', 'invoices_percentages'],
    ['tolerance_given = true, tolerance_ppm = 100001', 'invoices_percentages'],
    ['price_modifier_ppm = -900001', 'invoices_percentages'],
    ['commission_ppm = 1000001', 'invoices_percentages'],
    ['seq = 0', 'invoices_numbers'],
    ['seq = 2', 'invoices_by_seq'],
    ['version = -1', 'invoices_numbers'],
    ["id = 'INV-1'", 'invoices_id'],
    ['binds_permanent_address = true', 'invoices_permanent_address'],
    ["merchant_id = repeat('f', 24)", 'invoices_merchant_id_merchants_id_fk'],
  ])('no invoice with %s', async (change, constraint) => {
    expect(await refusedBy(invoice(change))).toBe(constraint);
  });

  test.each([
    [`update deposits set units = 0`, 'deposits_units'],
    [`update deposits set units = 'NaN'`, 'deposits_units'],
    [`update deposits set block_hash = null`, 'deposits_block'],
    [`update deposits set status = 'arrived' where status = 'stray'`, 'deposits_arrived_for_invoice'],
    [`update deposits set status = 'reversed'`, 'deposits_gone_without_block'],
    [`update deposits set txid = 'same'`, 'deposits_credit_key'],
    [`update deposits set stray_reason = null where status = 'stray'`, 'deposits_stray_reason'],
    [`update deposits set stray_reason = 'in words'`, 'deposits_stray_reason'],
    [`update payouts set held = 'by hand'`, 'payouts_held'],
    [`update payouts set held = 'by hand', held_code = 'by hand'`, 'payouts_held'],
    [`update payouts set processed_at = null where status = 'success'`, 'payouts_processed_when_final'],
    [`update payouts set failure = null where status = 'failed'`, 'payouts_failure'],
    [`update payouts set txid = null where status = 'success'`, 'payouts_txid'],
    [`update payouts set tx_hashes = '{}' where status = 'success'`, 'payouts_txid'],
    [`update payouts set sent_units = amount_units + 1`, 'payouts_amounts'],
    [`update payouts set fee_units = -1`, 'payouts_amounts'],
    [`update payouts set energy_fee_micro_usd = 'NaN'`, 'payouts_amounts'],
    [`update balances set refunds_micro_usd = -1`, 'balances_sums'],
    [`update counters set value = -1`, 'counters_removed'],
    [`update webhook_deliveries set format = 'xml', foreign_body = ''`, 'webhook_deliveries_format'],
    [`update webhook_deliveries set format = 'heleket'`, 'webhook_deliveries_foreign_body'],
    [`update webhook_deliveries set foreign_body = '{}'`, 'webhook_deliveries_foreign_body'],
    [`update webhook_queue set leased_until = now()`, 'webhook_queue_attempts'],
    [
      `update webhook_queue set attempts = 1, leased_until = now(), dead_at = now()`,
      'webhook_queue_dead_not_leased',
    ],
    [
      `update webhook_queue set delivery_id = repeat('f', 24)`,
      'webhook_queue_delivery_id_webhook_deliveries_id_fk',
    ],
    [`update permanent_addresses set active = false`, 'permanent_addresses_active'],
    [`update permanent_addresses set webhook_format = 'xml'`, 'permanent_addresses_webhook_format'],
    [`update permanent_addresses set family = 'usdt_tron'`, 'permanent_addresses_family'],
    [`update merchants set status = 'closed'`, 'merchants_status'],
    ['update api_keys set revoked_at = null where revoked_at = created_at', 'api_keys_one_active'],
    [`update api_keys set lives_until = 'infinity' where revoked_at is not null`, 'api_keys_one_older'],
    [`update api_keys set lives_until = 'infinity' where revoked_at is null`, 'api_keys_older_is_revoked'],
    [
      `insert into webhook_secrets (merchant_id, sandbox, sealed, created_at, older_sealed)
       select id, false, 'new', now(), 'old' from merchants`,
      'webhook_secrets_older_complete',
    ],
    [
      `insert into addresses values ('evm', '0x1', 'evm', 0, repeat('a', 24), false, null, null)`,
      'addresses_purpose',
    ],
    [`insert into derivation_indexes values ('evm', 2147483649)`, 'derivation_indexes_next'],
  ])('not: %s', async (statement, constraint) => {
    expect(await refusedBy(statement)).toBe(constraint);
  });

  test.each([
    [`update ledger_postings set amount = amount * 2`, 'ledger_is_append_only'],
    [`delete from ledger_postings`, 'ledger_is_append_only'],
    [`delete from ledger_entries`, 'ledger_is_append_only'],
    [`update ledger_entries set at = now()`, 'ledger_is_append_only'],
    [`update ledger_entries set reversed_by = id, kind = 'refund'`, 'ledger_is_append_only'],
    [
      `insert into ledger_postings select entry_id, 99, 'fees', 'USD', 1 from ledger_postings limit 1`,
      'ledger_entry_balances',
    ],
    [
      `insert into ledger_entries (id, merchant_id, sandbox, kind, reference_id, ordinal, at)
       select repeat('e', 24), id, false, 'refund', 'r', 1, now() from merchants`,
      'ledger_entry_balances',
    ],
    [
      `insert into ledger_postings select entry_id, 98, 'fees', 'USD', 'NaN' from ledger_postings limit 1`,
      'ledger_postings_amount',
    ],
  ])('the ledger stands: %s', async (statement, constraint) => {
    expect(await refusedBy(statement)).toBe(constraint);
  });

  test('an entry that was reversed once cannot be marked again', async () => {
    const mark = `update ledger_entries set reversed_by = id where reference_id = '${world.stray.id}'`;
    expect(await refusedBy(mark)).toBeNull();
    expect(await refusedBy(`${mark}; ${mark}`)).toBe('ledger_is_append_only');
  });

  test('W3: whether an entry balances is looked up by its index, also by a session that began with a small ledger', async () => {
    await opened.database.query('analyze ledger_postings');
    const { merchantId } = world.invoice;
    const read = await opened.database.transaction(async (sql) => {
      for (let batch = 0; batch < 10; batch += 1) {
        const entries = Array.from({ length: 20 }, () => anEntry({ merchantId }));
        await ledgerRepository(sql).postAll(entries);
      }
      const [row] = await sql.query(
        `select seq_tup_read from pg_stat_xact_user_tables where relname = 'ledger_postings'`,
      );
      return Number(row?.seq_tup_read);
    });
    // Statements of the tests before may be counted with it, each of a handful of rows.
    expect(read).toBeLessThan(200);
  });
});
