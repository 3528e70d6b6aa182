import { describe, expect, test } from 'bun:test';
import { type Harness, harnessClock, openHarness, stageHarness } from '../../../support/http/http-harness.ts';

stageHarness();

const LISTS = [
  '/api/v2/invoices',
  '/api/v2/payouts',
  '/api/v2/permanent',
  '/api/v2/ledger',
  '/api/v2/notifications',
];
const DATED = LISTS.filter((path) => path !== '/api/v2/permanent');
const SORTED = ['/api/v2/invoices', '/api/v2/payouts'];

/** Nothing is written by a list that is refused: one harness serves them all. */
let refusing: Promise<Harness> | null = null;

/** The fields that a 422 names; null when the list was answered. */
async function refusal(path: string, query: string): Promise<string | null> {
  refusing ??= openHarness();
  const { call } = await refusing;
  const answer = await call('GET', `${path}?${query}`);
  if (answer.status === 200) return null;
  expect([answer.status, answer.json.error.code], query).toEqual([422, 'VALIDATION_ERROR']);
  return answer.json.error.details.map(({ field }: { field: string }) => field).join(' ');
}

describe('every list', () => {
  for (const path of LISTS) {
    test(`${path} refuses pages and sizes that are none`, async () => {
      const bad = [
        '',
        '0',
        '-1',
        '1.5',
        '0x10',
        '1e3',
        '+1',
        '%201',
        '01',
        'x',
        '٣',
        '9007199254740992',
        '1'.repeat(400),
        '%00',
      ];
      for (const value of bad) {
        expect(await refusal(path, `page=${value}`), value).toBe('page');
        expect(await refusal(path, `per_page=${value}`), value).toBe('per_page');
      }
      expect(await refusal(path, 'per_page=101')).toBe('per_page');
      expect(await refusal(path, 'page=x&per_page=y')).toBe('page per_page');
    });

    test(`${path} takes the largest page, and ignores what it does not know`, async () => {
      expect(await refusal(path, 'page=9007199254740991&per_page=100')).toBeNull();
      expect(await refusal(path, 'unknown=1&PAGE=x&page[]=x&%zz&=&&')).toBeNull();
    });

    test(`${path} refuses a parameter given twice`, async () => {
      expect(await refusal(path, 'page=1&page=1')).toBe('page');
    });
  }
});

describe('dates', () => {
  const good = [
    '1700000000',
    '2026-03-01T12:00:00Z',
    '2026-03-01T12:00:00.123Z',
    '2026-03-01T12:00:00.123456789Z',
    '2026-03-01T12:00:00%2B02:00',
    '2026-03-01T12:00:00+02:00',
    '2026-03-01T12:00:00-0530',
    '2026-03-01T12:00Z',
    '2026-03-01T12:00:00',
    '2026-03-01',
    '2024-02-29',
    '0',
    '1',
    '999999999999',
    '0001-01-01',
    '1970-01-01T00:00:00Z',
    '2100-12-31T23:59:59Z',
    '9999-12-31T23:59:59Z',
  ];
  const bad = [
    '',
    '-1',
    '1700000000.5',
    '1700000000000',
    '1000000000000000000',
    '1e9',
    'now',
    'today',
    'infinity',
    '-infinity',
    'NaN',
    'epoch',
    '2026',
    '2026-03',
    '2026-3-1',
    '01/03/2026',
    'Sun, 01 Mar 2026 12:00:00 GMT',
    '2026-02-30',
    '2023-02-29',
    '2026-13-01T00:00:00Z',
    '2026-00-10',
    '2026-03-01T24:00:00Z',
    '2026-03-01T12:60:00Z',
    '2026-03-01T12:00:60Z',
    '2026-03-01T12:00:00%2B24:00',
    '99999-01-01T00:00:00Z',
    '%2B026-03-01T12:00:00Z',
    '2026-03-01T12:00:00Z%00',
  ];
  for (const path of DATED) {
    test(`${path} takes any ISO-8601 datetime and any Unix timestamp`, async () => {
      for (const value of good)
        expect(await refusal(path, `date_from=${value}&date_to=${value}`), value).toBeNull();
    });
    test(`${path} refuses everything else`, async () => {
      for (const value of bad) {
        expect(await refusal(path, `date_from=${value}`), value).toBe('date_from');
        expect(await refusal(path, `date_to=${value}`), value).toBe('date_to');
      }
    });
  }

  test('both bounds are inclusive, to the second that answers show and to the whole day a date names', async () => {
    harnessClock.advance((Date.parse('2027-03-01T12:00:00.600Z') - harnessClock.now().getTime()) / 1000);
    const { call } = await openHarness();
    const created = await call('POST', '/api/v2/invoices', { body: { amount: 5 } });
    const at = created.json.result.created_at;
    const total = async (query: string) =>
      (await call('GET', `/api/v2/invoices?${query}`)).json.pagination.total;
    expect(await total(`date_from=${at}&date_to=${at}`)).toBe(1);
    expect(await total(`date_from=${at + 1}`)).toBe(0);
    expect(await total(`date_to=${at - 1}`)).toBe(0);
    expect(await total('date_from=2027-03-01T12:00:00Z&date_to=2027-03-01T12:00:00Z')).toBe(1);
    expect(await total('date_to=2027-03-01T12:00:00.500Z')).toBe(0);
    expect(await total('date_from=2027-03-01&date_to=2027-03-01')).toBe(1);
    expect(await total('date_to=2027-02-28')).toBe(0);
    expect(await total('date_from=2027-03-01T14:00:00%2B02:00')).toBe(1);
    expect(await total('date_from=2027-03-01T14:00:01+02:00')).toBe(0);
    expect(await total('date_from=0&date_to=999999999999')).toBe(1);
    expect(await total('date_from=0001-01-01&date_to=9999-12-31')).toBe(1);
    expect(await total('date_to=0')).toBe(0);
    expect(await total('date_from=999999999999')).toBe(0);
  });
});

describe('filters refuse unknown values', () => {
  const cases: readonly [path: string, query: string, field: string][] = [
    ...SORTED.flatMap((path): [string, string, string][] => [
      [path, 'sort=id', 'sort'],
      [path, 'sort=', 'sort'],
      [path, 'order=up', 'order'],
      [path, 'order=ASC', 'order'],
      [path, 'asset=nope', 'asset'],
      [path, 'asset=', 'asset'],
      [path, 'asset=usdt', 'asset'],
      [path, 'asset=__proto__', 'asset'],
      [path, 'order_ids=', 'order_ids'],
      [path, 'order_ids=x', 'order_ids'],
      [path, `order_ids=${'a'.repeat(24)},`, 'order_ids'],
      [path, `order_ids=${Array(501).fill('a'.repeat(24)).join(',')}`, 'order_ids'],
      [path, 'sort=x&order=y&asset=z&date_from=q', 'date_from sort order asset'],
    ]),
    ['/api/v2/invoices', 'status=paid', 'status'],
    ['/api/v2/invoices', 'status=', 'status'],
    ['/api/v2/invoices', 'status=constructor', 'status'],
    ['/api/v2/ledger', 'type=fee', 'type'],
    ['/api/v2/permanent', 'family=monero', 'family'],
    ['/api/v2/permanent', 'user_id=', 'user_id'],
    ['/api/v2/permanent', `user_id=${'u'.repeat(129)}`, 'user_id'],
    ['/api/v2/permanent', 'user_id=a%00b', 'user_id'],
    ['/api/v2/permanent', 'active=2', 'active'],
    ['/api/v2/notifications', 'invoice_id=x&payout_id=y', 'invoice_id payout_id'],
    ['/api/v2/rates', 'base=XXX', 'base'],
    ['/api/v2/rates', 'base=', 'base'],
    ['/api/v2/rates', 'assets=btc,nope', 'assets'],
    ['/api/v2/rates', 'assets=btc,,eth_base', 'assets'],
  ];
  for (const [path, query, field] of cases) {
    test(`${path}?${query.slice(0, 60)}`, async () => {
      expect(await refusal(path, query)).toBe(field);
    });
  }

  test('and take every family, 500 ids, and short names', async () => {
    for (const family of ['evm', 'bitcoin', 'litecoin', 'bitcoincash', 'tron', 'solana', 'xrp', 'ton']) {
      expect(await refusal('/api/v2/permanent', `family=${family}&active=true&user_id=u`)).toBeNull();
    }
    expect(
      await refusal('/api/v2/payouts', `order_ids=${Array(500).fill('A'.repeat(24)).join(',')}`),
    ).toBeNull();
    expect(
      await refusal('/api/v2/invoices', 'asset=usdt_trc20&sort=amount&order=asc&status=paid_over'),
    ).toBeNull();
  });
});

describe('pages', () => {
  test('tell the truth about totals, also past the end and when nothing matches', async () => {
    const { call } = await openHarness();
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      const created = await call('POST', '/api/v2/invoices', {
        body: { amount: 5 + at, asset: at % 2 ? 'btc' : 'usdt_tron' },
      });
      ids.push(created.json.result.order_id);
    }
    const list = async (query: string) => (await call('GET', `/api/v2/invoices?${query}`)).json;
    const shown = async (query: string) =>
      (await list(query)).result.map(({ order_id }: { order_id: string }) => ids.indexOf(order_id));
    expect((await list('')).pagination).toEqual({ page: 1, pages: 1, per_page: 20, total: 5 });
    expect((await list('per_page=2&page=3')).pagination).toEqual({
      page: 3,
      pages: 3,
      per_page: 2,
      total: 5,
    });
    expect(await list('per_page=2&page=9')).toMatchObject({
      result: [],
      pagination: { page: 9, pages: 3, total: 5 },
    });
    expect((await list('status=success')).pagination).toEqual({ page: 1, pages: 0, per_page: 20, total: 0 });
    expect(await shown('per_page=3')).toEqual([4, 3, 2]);
    expect(await shown('order=asc&per_page=2&page=2')).toEqual([2, 3]);
    expect(await shown('asset=btc')).toEqual([3, 1]);
    expect(await shown(`order_ids=${ids[2]?.toUpperCase()},${ids[0]},${ids[0]}`)).toEqual([2, 0]);
    expect(await shown(`order_ids=${'f'.repeat(24)}`)).toEqual([]);
  });
});
