/**
 * What the webhook rows share: the service's parts on a database with merchants, a receiver, and
 * deliveries to make.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import type {
  WebhookOutcome,
  WebhookRequest,
  WebhookTransport,
} from '../../src/ports/webhooks/webhook-transport.ts';
import { createMerchants } from './composed.ts';
import type { BenchDatabase } from './database.ts';
import { startListening } from './listening-process.ts';
import { serviceEnvironment } from './service.ts';

const MERCHANTS = 50;
const INVOICES = 500;

export interface Workshop {
  readonly databaseUrl: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Of one of the receivers, and of all. */
  readonly url: string;
  readonly urls: readonly string[];
  readonly body: string;
  /** Authority of the receiver's certificate (PEM); null over http. */
  readonly ca: string | null;
  readonly sql: SQL;
  readonly invoices: readonly { id: string; merchantId: string; sealedKey: string }[];
  /** How many posts the receiver has got so far. */
  received(): Promise<number>;
  close(): Promise<void>;
}

const CERTIFICATES = join(import.meta.dir, '..', '..', 'tests', 'support', 'webhooks', 'certificates');

/** The path of Node.js, or null where it is missing. */
export const findNode = (): string | null => Bun.which('node');

export async function openWorkshop(
  database: BenchDatabase,
  name: string,
  {
    scheme = 'http',
    delayMs = 0,
    receivers = 1,
  }: { scheme?: 'http' | 'https'; delayMs?: number; receivers?: number } = {},
): Promise<Workshop> {
  const databaseUrl = await database.createDatabase(name);
  const dataDir = mkdtempSync(join(tmpdir(), 'quittance-bench-data-'));
  const environment = { ...serviceEnvironment(databaseUrl), DATA_DIR: dataDir };
  await createMerchants(environment, MERCHANTS);
  const sql = new SQL({ url: databaseUrl, adapter: 'postgres', max: 1 });
  await sql.unsafe(INVOICES_OF_ALL_MERCHANTS);
  const secure = scheme === 'https';
  const receiver = await (secure
    ? startListening('https-receiver.mjs', {
        runtime: findNode() ?? 'node',
        args: [join(CERTIFICATES, 'merchant.pem'), join(CERTIFICATES, 'merchant.key.pem')],
      })
    : startListening('webhook-receiver.ts', { args: [String(delayMs), String(receivers)] }));
  const ca = secure ? readFileSync(join(CERTIFICATES, 'authority.pem'), 'utf8') : null;
  const address = `${scheme}://127.0.0.1:${receiver.port}`;
  const count = () => fetch(`${address}/`, ca === null ? {} : { tls: { ca } });
  const rows: { id: string; merchant_id: string; sealed: string }[] = await sql.unsafe(
    `select i.id, i.merchant_id, k.sealed from invoices i
     join api_keys k on k.merchant_id = i.merchant_id and k.sandbox and k.revoked_at is null order by i.id`,
  );
  return {
    databaseUrl,
    environment,
    sql,
    url: `${address}/webhooks`,
    urls: receiver.ports.map((port) => `${scheme}://127.0.0.1:${port}/webhooks`),
    ca,
    body: BODY,
    invoices: rows.map((row) => ({ id: row.id, merchantId: row.merchant_id, sealedKey: row.sealed })),
    received: async () => Number(await (await count()).text()),
    async close() {
      await receiver.stop();
      await sql.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const INVOICES_OF_ALL_MERCHANTS = `
  insert into invoices (id, external_id, merchant_id, sandbox, seq, status, version, billing_type, tolerance_ppm,
    tolerance_given, pending_units, credited_units, held_units, expires_at, fiat_currency, initial_fiat_micros, fee_bearer,
    commission_ppm, webhook_format, binds_permanent_address, created_at)
  select lpad(to_hex(row_number() over ()), 24, '0'), gen_random_uuid(), m.id, true, n, 'created', 0, 'STATIC', 0,
    false, 0, 0, 0, now() + interval '1 day', 'USD', 12500000, 'client', 10000, 'native_v2', false, now()
  from merchants m, generate_series(1, ${INVOICES / MERCHANTS}) n`;

/** As large as the snapshot of a paid invoice. */
const BODY = JSON.stringify({
  order_id: 'a'.repeat(24),
  external_id: '3f0e9a52-6c1d-4d1b-9a55-0d7f6f3f7c11',
  status: 'success',
  asset: 'usdt_ethereum',
  initial_asset: 'usdt_ethereum',
  type: 'token',
  amount: 12.625,
  initial_amount: 12.625,
  fiat_amount: 12.5,
  initial_fiat_amount: 12.5,
  fiat_currency: 'USD',
  billing_type: 'STATIC',
  address_to: `0x${'b'.repeat(40)}`,
  address_from: `0x${'c'.repeat(40)}`,
  extra: 'order-1001',
  title: 'Order 1001',
  description: 'Two tickets and a cup of tea',
  expires_at: 1_767_229_200,
  metadata: { order: '1001', seats: [7, 8] },
  fee_bearer: 'client',
  underpay_tolerance: 0.5,
  accepted_coins: ['usdt_ethereum', 'btc_bitcoin'],
  excluded_coins: null,
  on_paid_url: 'https://shop.example/paid',
  on_cancel_url: 'https://shop.example/cancelled',
  notify_url: 'https://shop.example/webhooks',
  price_modifier: null,
  original_amount: null,
  payer_info: { email: 'payer@example.com' },
  permanent_address_id: null,
  user_id: null,
  received_amount: 12.625,
  txid: `0x${'d'.repeat(64)}`,
  created_at: 1_767_225_600,
  processed_at: 1_767_225_900,
  payment_url: 'https://pay.example/checkout/3f0e9a52-6c1d-4d1b-9a55-0d7f6f3f7c11',
  sandbox: true,
});

/** A transport that notes how long each post took, in milliseconds. */
export function timed(transport: WebhookTransport): WebhookTransport & { takeTimes(): number[] } {
  let times: number[] = [];
  return {
    async post(request) {
      const began = performance.now();
      const outcome = await transport.post(request);
      times.push(performance.now() - began);
      return outcome;
    },
    takeTimes() {
      const taken = times;
      times = [];
      return taken;
    },
  };
}

/** A plain fetch, as most services send webhooks: connections are kept, nothing is checked. */
export const fetchTransport: WebhookTransport = {
  async post({ url, body, headers }: WebhookRequest): Promise<WebhookOutcome> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: body as Uint8Array<ArrayBuffer>,
        redirect: 'manual',
        signal: AbortSignal.timeout(15_000),
      });
      return { kind: 'answered', status: response.status, body: (await response.text()).slice(0, 500) };
    } catch (error) {
      return { kind: 'failed', reason: String(error) };
    }
  },
};
