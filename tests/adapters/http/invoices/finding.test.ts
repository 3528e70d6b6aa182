/**
 * What finds an invoice, a payout or a permanent address beside its list, over the real
 * application.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { settleSandboxPayouts } from '../../../../src/app/sandbox/settle-sandbox-payouts.ts';
import { type Harness, harnessClock, openHarness, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

const TRON_ADDRESS = 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7';
const now = () => Math.floor(harnessClock.now().getTime() / 1_000);

describe('lists find', () => {
  let it: Harness;
  let strangers: string[];
  let changedAt: number;
  /** Ids by a name of the test's own. */
  const ids: Record<string, string> = {};
  /** By a name of the test's own. */
  const known: Record<string, string> = {};

  const send = async (path: string, body: object) => {
    const headers = { 'x-uniq-id': crypto.randomUUID() };
    return (await it.call('POST', `/api/v2/${path}`, { key: it.sandboxKey, body, headers })).json.result;
  };
  const read = async (path: string) =>
    (await it.call('GET', `/api/v2/${path}`, { key: it.sandboxKey })).json.result;

  beforeAll(async () => {
    it = await openHarness();
    await it.earn(100, it.sandboxKey);
    const paid = await send('invoices', { amount: 20, asset: 'usdt_tron', extra: 'order-1' });
    const same = await send('invoices', { amount: 21, asset: 'usdt_tron', extra: 'order-1' });
    const bound = await send('invoices', {
      ...{ amount: 22, asset: 'usdt_ethereum', billing_type: 'VARY', extra: 'order-2' },
      ...{ permanent_address: true, user_id: 'user-42' },
    });
    const permanent = await send('permanent', { user_id: 'user-42', family: 'evm' });
    const chosen = await send('invoices', { amount: 23 });
    const chosenAt: string[] = [];
    for (const asset of ['usdt_tron', 'usdt_ethereum']) {
      const done = await it.application.chooseCurrency(
        chosen.external_id,
        it.application.catalog.require(asset),
      );
      chosenAt.push((done.ok && done.value.addressTo) || '');
    }
    const payout = await send('payouts', {
      ...{ address: TRON_ADDRESS, amount: 1, asset: 'usdt_tron', ref: 'withdrawal 7' },
    });
    harnessClock.advance(60);
    changedAt = now();
    await send(`invoices/${paid.order_id}/simulate`, { status: 'partially_paid' });
    known['earlier txid'] = (await read(`invoices/${paid.order_id}`)).txid;
    await send(`invoices/${paid.order_id}/simulate`, { status: 'success' });
    for (let step = 0; step < 2; step += 1) await settleSandboxPayouts(it.dependencies)(10);
    Object.assign(ids, { paid: paid.order_id, same: same.order_id, bound: bound.order_id });
    Object.assign(ids, { chosen: chosen.order_id, payout: payout.order_id, permanent: permanent.id });
    Object.assign(known, { 'external id': paid.external_id, 'own address': paid.address_to });
    Object.assign(known, { 'permanent address': permanent.address, 'earlier address': chosenAt[0] });
    Object.assign(known, {
      'chosen address': chosenAt[1],
      'last txid': (await read(`invoices/${paid.order_id}`)).txid,
      'payout txid': (await read(`payouts/${payout.order_id}`)).txid,
    });
    const stranger = await it.addMerchant();
    strangers = [it.liveKey, stranger.sandboxKey, stranger.liveKey];
  });

  const cases: readonly [path: string, by: string, what: () => string, names: string[]][] = [
    ['invoices', 'a reference, which several may have', () => 'extra=order-1', ['paid', 'same']],
    ['invoices', 'a reference as a whole, not by its beginning', () => 'extra=order', []],
    ['invoices', 'a reference and a status', () => 'extra=order-1&status=created', ['same']],
    ['invoices', 'an external_id', () => `external_id=${known['external id']}`, ['paid']],
    [
      'invoices',
      'an external_id in upper case',
      () => `external_id=${known['external id']?.toUpperCase()}`,
      ['paid'],
    ],
    ['invoices', 'the last transaction', () => `txid=${known['last txid']}`, ['paid']],
    [
      'invoices',
      'an earlier transaction, in upper case',
      () => `txid=${known['earlier txid']?.toUpperCase()}`,
      ['paid'],
    ],
    [
      'invoices',
      'a transaction and a reference that do not go together',
      () => `txid=${known['last txid']}&extra=order-2`,
      [],
    ],
    ['invoices', 'their own address', () => `address=${known['own address']}`, ['paid']],
    ['invoices', 'the address of an earlier choice', () => `address=${known['earlier address']}`, ['chosen']],
    [
      'invoices',
      'the address of the choice that stands',
      () => `address=${known['chosen address']}`,
      ['chosen'],
    ],
    [
      'invoices',
      'a permanent address in lower case',
      () => `address=${known['permanent address']?.toLowerCase()}`,
      ['bound'],
    ],
    ['invoices', 'a user', () => 'user_id=user-42', ['bound']],
    ['invoices', 'a last change and a reference', () => `updated_from=${changedAt}&extra=order-1`, ['paid']],
    ['invoices', 'a last change that none is younger than', () => `updated_from=${changedAt + 1}`, []],
    ['payouts', 'a reference', () => 'ref=withdrawal%207', ['payout']],
    ['payouts', 'a transaction', () => `txid=${known['payout txid']}`, ['payout']],
    ['payouts', 'an address', () => `address=${TRON_ADDRESS}`, ['payout']],
    ['payouts', 'a last change', () => `updated_from=${changedAt}`, ['payout']],
    ['payouts', 'a last change that none is younger than', () => `updated_from=${changedAt + 1}`, []],
    [
      'permanent',
      'an address in lower case',
      () => `address=${known['permanent address']?.toLowerCase()}`,
      ['permanent'],
    ],
    ['permanent', 'an address that is an invoice’s', () => `address=${known['own address']}`, []],
    [
      'permanent',
      'an address and a family that do not go together',
      () => `address=${known['permanent address']}&family=tron`,
      [],
    ],
  ];
  for (const [path, by, what, names] of cases)
    test(`${path} by ${by}; strangers find nothing`, async () => {
      const own = await it.call('GET', `/api/v2/${path}?${what()}&per_page=1`, { key: it.sandboxKey });
      expect([what(), own.status, own.json.pagination.total]).toEqual([what(), 200, names.length]);
      const rows = await read(`${path}?${what()}`);
      const seen = rows.map((row: { order_id?: string; id?: string }) => row.order_id ?? row.id);
      expect(new Set(seen)).toEqual(new Set(names.map((name) => ids[name])));
      for (const key of strangers)
        expect((await it.call('GET', `/api/v2/${path}?${what()}`, { key })).json).toMatchObject({
          ...{ result: [], pagination: { total: 0 } },
        });
    });

  test('updated_at is when what is shown was changed last, and created_at until then', async () => {
    const invoices = await read('invoices?order=asc&extra=order-1');
    expect(invoices.map(({ updated_at }: Record<string, number>) => updated_at)).toEqual([
      changedAt,
      changedAt - 60,
    ]);
    expect(await read(`payouts/${ids.payout}`)).toMatchObject({
      ...{ created_at: changedAt - 60, updated_at: changedAt, processed_at: changedAt },
    });
    const { json } = await it.call('GET', '/api/v2/events', { key: it.sandboxKey });
    const told = json.result.find(
      ({ data }: Record<string, Record<string, unknown>>) => data?.order_id === ids.paid,
    );
    expect(told.data.updated_at).toBe(changedAt);
  });

  test('a clock that was set back takes no updated_at back', async () => {
    harnessClock.advance(-30);
    const answer = await send(`invoices/${ids.paid}/simulate`, { status: 'paid_over', send_webhook: false });
    expect(answer.invoice.updated_at).toBe(changedAt);
    harnessClock.advance(30);
  });

  test('what is no value is refused', async () => {
    const long = 'x'.repeat(129);
    const wrong: Record<string, string[]> = {
      invoices: ['external_id=1', 'extra=', `extra=${'x'.repeat(65)}`, `txid=${long}`, `address=${long}`],
      payouts: ['ref=', `ref=${long}`, `txid=${long}`, 'address=', 'updated_from=yesterday'],
      permanent: [`address=${long}`, `user_id=${long}`],
    };
    for (const [path, queries] of Object.entries(wrong))
      for (const query of queries) {
        const { status, json } = await it.call('GET', `/api/v2/${path}?${query}`);
        expect([query, status, json.error.details[0].field]).toEqual([query, 422, query.split('=')[0]]);
      }
  });
});
