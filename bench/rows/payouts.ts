/**
 * Payouts that wait together, from the first look of the sender to the last `success` on a fake
 * chain that mines at once, against plain SQL that writes the same in sets of 500. Once of many
 * merchants and once of one.
 */
import type { SQL } from 'bun';
import { changeMerchant } from '../../src/app/merchants/manage-merchants.ts';
import {
  ASSET,
  CHAIN,
  CONFIRMATIONS,
  type FakeChainService,
  onFakeChain,
  orderInvoices,
  payInvoices,
} from '../harness/fake-chain-service.ts';
import type { Finding } from '../harness/finding.ts';
import { payInSets } from '../harness/payout-sets.ts';
import type { Row, RowContext } from '../harness/row.ts';
import { compareWithSets, setsPrepared } from '../harness/set-comparison.ts';

const MERCHANTS = 50;
const HOOK = 'https://shop.example/hook';
/** Most items of an ordered batch. */
const ITEMS_MAX = 200;
const LOOKS_MAX = 60;
const TABLES = [
  ...['outgoing_transfers', 'signed_transactions', 'ledger_entries', 'ledger_postings'],
  ...['webhook_deliveries', 'webhook_queue'],
];

export const payouts: Row = {
  name: 'payouts',
  async run(context) {
    const databaseUrl = await context.database.createDatabase('bench_payouts');
    return onFakeChain(databaseUrl, async (bench) => {
      fundHotWallet(bench);
      return [await compared(bench, context, MERCHANTS), await compared(bench, context, 1)];
    });
  },
};

function fundHotWallet({ it, chain }: FakeChainService): void {
  const hot = it.service.sending.chains.get(CHAIN)?.deriver.hotWallet() ?? '';
  chain.fund(hot, ASSET, 10n ** 15n);
  chain.fund(hot, 'eth_ethereum', 10n ** 24n);
}

async function compared(bench: FakeChainService, context: RowContext, merchants: number): Promise<Finding> {
  const { sql } = bench;
  const count = context.quick ? 100 : 1_000;
  const keys = await richShops(bench, merchants, count * setsPrepared(context));
  let sample: Awaited<ReturnType<typeof sampleOf>> | null = null;
  const { measured, ours, plain } = await compareWithSets<readonly string[]>(
    sql,
    context,
    {
      ...{ count, tables: TABLES },
      prepare: () => orderPayouts(bench, keys, count),
      async ours(ids) {
        await pay(bench, ids);
        sample ??= await sampleOf(sql, ids[0]!);
      },
      plain: (ids) => payInSets(sql, { ids, ...sample! }),
      async check(ids) {
        const [row] = await sql.unsafe(
          `select count(*)::int as paid from payouts where id = any (string_to_array($1, ',')) and status = 'success'`,
          [ids.join(',')],
        );
        if (row.paid !== count) throw new Error(`${row.paid} of ${count} are paid`);
      },
    },
    ' payouts',
  );
  return {
    what: `payouts of ${merchants === 1 ? 'one merchant' : `${merchants} merchants`} that wait together, from the first look to success / plain SQL in sets of 500`,
    target: null,
    unit: 'x',
    measured,
    absolute: `${ours}, signing and the fake chain included; plain SQL ${plain}`,
    latencies: [],
  };
}

/** The API keys of merchants whose balances cover so many payouts of 1 USD. */
async function richShops(
  bench: FakeChainService,
  merchants: number,
  count: number,
): Promise<readonly string[]> {
  const { it } = bench;
  const made = await Promise.all(Array.from({ length: merchants }, () => it.merchant({ callbackUrl: HOOK })));
  for (const { id } of made) await changeMerchant(it.service.dependencies)(id, { payoutWebhooks: true });
  const keys = made.map(({ live }) => live);
  // 25 USD each; a payout costs 1.143.
  const each = Math.ceil((count * 1.2) / 25 / 50) * 50;
  const { addresses } = await orderInvoices(bench, keys, Math.max(each, merchants));
  await payInvoices(bench, addresses);
  return keys;
}

async function orderPayouts(
  { it }: FakeChainService,
  keys: readonly string[],
  count: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  const length = Math.min(ITEMS_MAX, count / keys.length);
  for (let from = 0; from < count; from += length) {
    const items = Array.from({ length }, (_, n) => ({
      address: `0x${(from + n + 4_096).toString(16).padStart(40, '7')}`,
      ...{ asset: ASSET, amount: 1 },
    }));
    const key = keys[(from / length) % keys.length]!;
    const headers = { 'x-uniq-id': crypto.randomUUID() };
    const { status, body } = await it.call(key, 'POST', '/api/v2/payouts/batch', { items }, headers);
    if (status !== 201) throw new Error(`a batch was refused: ${JSON.stringify(body)}`);
    for (const { order_id, status: state } of body.result.items) {
      if (state !== 'pending') throw new Error(`a payout was refused: ${JSON.stringify(body)}`);
      ids.push(order_id);
    }
  }
  return ids;
}

/** Looks of the sender, with final blocks between them, until all are paid. */
async function pay({ it, chain, sql }: FakeChainService, ids: readonly string[]): Promise<void> {
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    await it.run(`send:${CHAIN}`);
    const [row] = await sql.unsafe(
      `select count(*) filter (where status = 'pending')::int as pending, count(*) filter (where status <> 'success')::int as open
       from payouts where id = any (string_to_array($1, ','))`,
      [ids.join(',')],
    );
    if (row.open === 0) return;
    if (row.pending > 0) continue;
    chain.mine(CONFIRMATIONS + 1);
    await it.run(`chain:${CHAIN}`);
  }
  throw new Error('payouts did not settle');
}

/** What plain SQL copies of one that the service paid. */
async function sampleOf(sql: SQL, payoutId: string) {
  const [row] = await sql.unsafe(
    `select encode(d.packed_body, 'hex') as body, x.raw, t.block_height as height, t.block_hash as hash
     from outgoing_transfers t join signed_transactions x on x.bundle_id = t.bundle_id
       join webhook_deliveries d on d.payout_id = t.reference_id
     where t.reference_id = $1 limit 1`,
    [payoutId],
  );
  const { body, raw, height, hash } = row as Record<'body' | 'raw' | 'hash', string> & { height: number };
  return { body, raw, block: { height, hash } };
}
