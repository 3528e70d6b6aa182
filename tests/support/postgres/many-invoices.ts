/**
 * Thousands of invoices of a merchant at once, by SQL, with the counter of their list right: for
 * backlogs and for long lists.
 */
import { SQL } from 'bun';

export interface ManyInvoices {
  readonly merchantId: string;
  readonly count: number;
  readonly status: 'created' | 'partially_paid';
  readonly expiresAt: Date;
  readonly sandbox?: boolean;
  readonly notifyUrl?: string | null;
}

/**
 * One payment of 5 base units each where they are paid in part; asset usdt_ethereum, and created an
 * hour before they expire.
 */
export async function insertManyInvoices(databaseUrl: string, given: ManyInvoices): Promise<void> {
  const sql = new SQL(databaseUrl, { max: 1 });
  const { merchantId, count, status, expiresAt, sandbox = false, notifyUrl = null } = given;
  await sql.unsafe(INSERT, [merchantId, sandbox, count, status, expiresAt, notifyUrl]);
  await sql.end();
}

const INSERT = `
  with counter as (
    update counters set value = value + $3, last_at = greatest(last_at, $5::timestamptz - interval '1 hour')
    where merchant_id = $1 and sandbox = $2 and stream = 'invoices' returning value - $3 as before)
  insert into invoices (id, external_id, merchant_id, sandbox, seq, status, version, billing_type, tolerance_ppm,
    tolerance_given, asset, due_units, base_units, deferral_units, pending_units, credited_units, held_units, expires_at,
    fiat_currency, initial_fiat_micros, fee_bearer, commission_ppm, initial_asset, address_to, notify_url,
    webhook_format, binds_permanent_address, created_at)
  select substr(md5($1 || $2 || before + n), 1, 24), gen_random_uuid(), $1, $2, before + n, $4::text, 1, 'STATIC', 0, false,
    'usdt_ethereum', 25000000, 25000000, 2000000, 0, case $4 when 'partially_paid' then 5 else 0 end, 0, $5, 'USD',
    25000000, 'client', 10000, 'usdt_ethereum', '0x' || substr(md5($1 || n) || md5('a' || n), 1, 40), $6, 'native_v2', false,
    $5::timestamptz - interval '1 hour'
  from counter, generate_series(1, $3::int) n`;
