/**
 * A merchant with a million invoices, each with an address, loaded once a run, by SQL, with its
 * counters right; and some with none.
 */
import type { SQL } from 'bun';
import { withoutIndexes } from './bulk-load.ts';
import type { BenchDatabase } from './database.ts';
import { type PreparedService, prepareService } from './prepared-service.ts';

export interface MillionInvoices extends PreparedService {
  readonly count: number;
}

const QUICK_INVOICES = 20_000;
/** The first has the invoices. */
const MERCHANTS = 5;
const loaded = new WeakMap<BenchDatabase, Promise<MillionInvoices>>();

/** The rows of a run share it; ended with the run. */
export function millionInvoices(context: {
  database: BenchDatabase;
  quick: boolean;
  invoices: number;
}): Promise<MillionInvoices> {
  const known = loaded.get(context.database);
  if (known) return known;
  const count = context.quick ? QUICK_INVOICES : context.invoices;
  const prepared = prepareService(context.database, {
    name: 'bench_million',
    merchants: MERCHANTS,
    fill: (sql, [merchant]) => loadInvoices(sql, merchant?.id ?? '', count),
  }).then((service) => ({ ...service, count }));
  loaded.set(context.database, prepared);
  return prepared;
}

export async function releaseMillionInvoices(database: BenchDatabase): Promise<void> {
  await (await loaded.get(database))?.stop();
  loaded.delete(database);
}

/** For one merchant of an empty database. */
export async function loadInvoices(sql: SQL, merchantId: string, count: number): Promise<void> {
  // Foreign keys hold by construction.
  await sql.unsafe(`set session_replication_role = replica; set synchronous_commit = off`);
  await withoutIndexes(sql, ['invoices', 'addresses'], async () => {
    await sql.unsafe(INSERT_INVOICES, [merchantId, count]);
    await sql.unsafe(INSERT_ADDRESSES);
    await sql.unsafe(COUNT, [merchantId]);
    await sql.unsafe(`reset session_replication_role; reset synchronous_commit`);
  });
  for (const table of ['invoices', 'addresses', 'counters', 'list_counts', 'list_count_changes'])
    await sql.unsafe(`vacuum (analyze) ${table}`);
  await sql.unsafe('checkpoint');
}

/**
 * One invoice each half minute; seven of ten paid, the rest expired, open or partly paid; six
 * assets. None is over while it is measured.
 */
const INSERT_INVOICES = `
  insert into invoices (id, external_id, merchant_id, sandbox, seq, status, version, billing_type, tolerance_ppm,
    tolerance_given, asset, due_units, base_units, deferral_units, pending_units, credited_units, held_units, expires_at,
    processed_at, fiat_currency, initial_fiat_micros, fee_bearer, commission_ppm, initial_asset, address_to, extra, title,
    description, metadata, payer_info, on_paid_url, on_cancel_url, notify_url, webhook_format, binds_permanent_address,
    created_at)
  select lpad(to_hex(n), 24, '0'), gen_random_uuid(), $1, true, n, status, 1, 'STATIC', 5000, true, asset, 12625000,
    12500000, 2000000, 0, case when status in ('success', 'partially_paid') then 12625000 else 0 end, 0,
    case when status in ('created', 'partially_paid') then now() + interval '1 day' else at + interval '1 hour' end,
    case when status in ('success', 'expired') then at + interval '10 minutes' end, 'USD',
    1000000 + n::bigint * 7919 % 100000 * 10000, 'client', 10000, asset, '0x' || substr(md5(n::text) || md5('a' || n), 1, 40),
    'order-' || n, 'Order ' || n, 'Two tickets and a cup of tea', '{"order":"1001","seats":[7,8]}',
    '{"email":"payer@example.com"}', 'https://shop.example/paid', 'https://shop.example/cancelled',
    'https://shop.example/webhooks', 'native_v2', false, at
  from (
    select n, now() - make_interval(secs => ($2::int - n + 1) * 30.0) as at,
      (array['success', 'success', 'success', 'success', 'success', 'success', 'success', 'expired', 'created',
        'partially_paid'])[1 + n * 7 % 10] as status,
      (array['usdt_ethereum', 'usdt_tron', 'btc_bitcoin', 'eth_ethereum', 'ltc_litecoin', 'ton_ton'])[1 + n * 13 % 6] as asset
    from generate_series(1, $2::int) n) made`;
const INSERT_ADDRESSES = `
  insert into addresses (family, address, deriver, derivation_index, merchant_id, sandbox, invoice_id)
  select 'evm', address_to, 'evm', seq, merchant_id, sandbox, id from invoices order by address_to`;
const COUNT = `
  update counters c set value = stored.count, last_at = stored.latest
  from (select count(*) as count, max(created_at) as latest from invoices) stored
  where c.merchant_id = $1 and c.sandbox and c.stream = 'invoices'`;
