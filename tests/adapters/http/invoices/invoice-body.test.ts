import { describe, expect, test } from 'bun:test';
import { WEBHOOK_FORMATS } from '../../../../src/domain/webhooks/webhook-format.ts';
import { faults, INVOICE, stageFaults } from '../../../support/http/body-faults.ts';
import { openHarness } from '../../../support/http/http-harness.ts';

stageFaults();

describe('POST /invoices refuses, field by field,', () => {
  const long = (length: number) => 'x'.repeat(length);
  const cases: readonly (readonly [field: string, values: readonly unknown[]])[] = [
    ['amount', [undefined, null, '', 'ten', '1,5', '0x19', '-1', 0, -1, true, [], {}, 25.005, 1e15 + 2]],
    ['fiat_currency', ['XXX', ' ', 5, 'USDT', ['USD'], long(17)]],
    ['asset', ['nope', ' ', 5, long(65), 'usdt', 'eth', 'usdt_bitcoin', '__proto__', 'toString']],
    ['extra', [' ', long(65), 'a b', 'ä', 5, 'a\n']],
    [
      'notify_url',
      [
        ' ',
        'x',
        'ftp://h',
        '//evil.example',
        'https:\\\\evil',
        'javascript:alert(1)',
        'data:text/html,x',
        'http://',
        `https://h/${long(500)}`,
        5,
      ],
    ],
    [
      'on_paid_url',
      [
        ' ',
        'javascript:alert(1)',
        'data:text/html,x',
        '//evil.example',
        'https:\\\\evil',
        'https:/evil',
        ' https://h',
        `https://h/${long(500)}`,
      ],
    ],
    ['on_cancel_url', ['JavaScript:alert(1)', 'vbscript:x', 'mailto:a@b.c']],
    ['ttl', [299, 86_401, 300.5, 'soon', '60', 1e20, -1]],
    ['metadata', [[1], 'x', 5, 1.5, { a: long(16_400) }]],
    ['payer_info', [[1], 'x', 5, { a: long(16_400) }]],
    ['payer_info.email', [{}]],
    ['title', [long(151), 5, {}]],
    ['description', [long(501), 5]],
    ['underpay_tolerance', [-0.1, 10.1, '', '11', 1.00001]],
    ['price_modifier', [-90.1, 90.1, '-91', 1.00001]],
    ['accepted_coins', ['btc', {}, Array(101).fill('btc')]],
    [
      'accepted_coins.1',
      [
        ['btc', 'nope'],
        ['btc', 5],
        ['btc', 'usdt'],
      ],
    ],
    ['excluded_coins.0', [['nope'], [''], [null]]],
    ['billing_type', ['static', 'X', 5, '']],
    ['fee_bearer', ['nobody', 5]],
    ['permanent_address', ['true', 2, '']],
    ['user_id', [long(129), 5]],
    ['webhook_format', ['native', 5, 'native_v3']],
  ];
  for (const [field, values] of cases) {
    for (const value of values) {
      const shown = JSON.stringify(value)?.slice(0, 60) ?? 'nothing';
      test(`${field}: ${shown}`, async () => {
        const inner =
          field === 'payer_info.email'
            ? { payer_info: { email: 5 } }
            : { [field.split('.')[0] ?? '']: value };
        expect(await faults('/api/v2/invoices', { ...INVOICE, ...inner })).toContain(field);
      });
    }
  }

  test('all failing fields at once, those beyond the schema included', async () => {
    const body = {
      amount: 'x',
      asset: 'nope',
      ttl: 1,
      notify_url: 'ftp://h',
      accepted_coins: ['zzz'],
      extra: 'a b',
    };
    expect((await faults('/api/v2/invoices', body)).toSorted()).toEqual([
      'accepted_coins.0',
      'amount',
      'asset',
      'extra',
      'notify_url',
      'ttl',
    ]);
  });

  test('a chain that is unknown, alone, or not the asset’s', async () => {
    expect(await faults('/api/v2/invoices', { amount: 1, chain: 'tron' })).toEqual(['chain']);
    expect(await faults('/api/v2/invoices', { amount: 1, asset: 'usdt', chain: 'nope' })).toEqual(['asset']);
    expect(await faults('/api/v2/invoices', { amount: 1, asset: 'usdt_tron', chain: 'ethereum' })).toEqual([
      'chain',
    ]);
  });

  test('a permanent address without VARY or a user', async () => {
    const body = { ...INVOICE, permanent_address: true };
    expect(await faults('/api/v2/invoices', body)).toEqual(['billing_type', 'user_id']);
    expect(await faults('/api/v2/invoices', { ...body, billing_type: 'STATIC', user_id: 'u' })).toEqual([
      'billing_type',
    ]);
  });

  test('an amount with more decimals than its currency has', async () => {
    const cases = [
      [{ amount: 0.001 }, ['amount']],
      [{ amount: 10.55, fiat_currency: 'JPY' }, ['amount']],
      [{ amount: 10.55, fiat_currency: 'EUR' }, []],
      [{ amount: 10.1234567, asset: 'usdt_tron' }, ['amount']],
      [{ amount: 10.123456, asset: 'usdt_tron' }, []],
      [{ amount: 10.123456, asset: 'usdt_tron', fiat_currency: 'USD' }, ['amount']],
      [{ amount: 1.123456789, asset: 'btc' }, ['amount']],
    ] as const;
    for (const [body, expected] of cases)
      expect(await faults('/api/v2/invoices', body), JSON.stringify(body)).toEqual([...expected]);
    const eighteen = (digits: string) =>
      faults('/api/v2/invoices', `{"amount":${digits},"asset":"eth_base"}`);
    expect(await eighteen('0.123456789012345678')).toEqual([]);
    expect(await eighteen('0.1234567890123456789')).toEqual(['amount']);
    expect(await eighteen('1e3')).toEqual([]);
    expect(await eighteen('1.50')).toEqual([]);
    expect(await eighteen('1e16')).toEqual(['amount']);
    expect(await eighteen('1e400')).toEqual(['amount']);
    expect(await eighteen(`1${'0'.repeat(90)}`)).toEqual(['amount']);
  });
});

describe('POST /invoices takes', () => {
  test('what the bounds allow, to the last character', async () => {
    const body = {
      ...INVOICE,
      extra: 'x'.repeat(64),
      title: '\u{1f600}'.repeat(150),
      description: 'x'.repeat(500),
      ttl: 300,
      underpay_tolerance: 10,
      price_modifier: -90,
      user_id: 'u'.repeat(128),
      notify_url: `https://h.example/${'x'.repeat(482)}`,
      metadata: { a: 'x'.repeat(16_376) },
      accepted_coins: [],
    };
    expect(await faults('/api/v2/invoices', body)).toEqual([]);
  });

  test('null for what may be left out, and fields it does not know', async () => {
    const { call } = await openHarness();
    const answer = await call('POST', '/api/v2/invoices', {
      body: {
        amount: 5,
        asset: null,
        ttl: null,
        metadata: null,
        title: null,
        unknown: { deep: [1] },
        accepted_coins: null,
      },
    });
    expect(answer.status).toBe(201);
    expect(answer.json.result).toMatchObject({
      asset: null,
      fiat_currency: 'USD',
      initial_fiat_amount: 5,
      accepted_coins: null,
    });
  });

  test('short names, and answers full keys', async () => {
    const { call } = await openHarness();
    const names = [
      [{ asset: 'btc' }, 'btc_bitcoin'],
      [{ asset: 'usdt_trc20' }, 'usdt_tron'],
      [{ asset: 'usdt', chain: 'tron' }, 'usdt_tron'],
      [{ asset: 'USDT', chain: 'ERC20' }, 'usdt_ethereum'],
    ] as const;
    for (const [name, key] of names) {
      const answer = await call('POST', '/api/v2/invoices', {
        body: { ...name, amount: 50, fiat_currency: 'eur', accepted_coins: ['xmr', 'bnb', key] },
      });
      expect(answer.json.result).toMatchObject({
        asset: key,
        accepted_coins: ['xmr_monero', 'bnb_bsc', key],
        fiat_currency: 'EUR',
      });
    }
  });

  test('metadata and payer_info with their exact numbers, both ways', async () => {
    const { call } = await openHarness();
    const body =
      '{"amount":5,"metadata":{"a":0.1234567890123456789,"b":[1.50,1e3]},"payer_info":{"name":"Ä","n":12345678901234567890}}';
    const answer = await call('POST', '/api/v2/invoices', { body });
    expect(answer.text).toContain('"metadata":{"a":0.1234567890123456789,"b":[1.50,1e3]}');
    expect(answer.text).toContain('"payer_info":{"name":"Ä","n":12345678901234567890}');
    expect((await call('GET', '/api/v2/invoices')).json.pagination.total).toBe(1);
  });

  test('every webhook format', async () => {
    const { call } = await openHarness();
    for (const webhook_format of WEBHOOK_FORMATS) {
      const answer = await call('POST', '/api/v2/invoices', { body: { ...INVOICE, webhook_format } });
      expect(answer.status).toBe(201);
    }
  });
});
