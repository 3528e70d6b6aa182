import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  coinpaymentsCodes,
  coinpaymentsSign,
  coinpaymentsStatus,
  phpForm,
} from '../../../src/adapters/shared/providers/coinpayments.ts';
import {
  assetOfCoinpaymentsV2,
  coinpaymentsV2CurrencyId,
  coinpaymentsV2FiatId,
  coinpaymentsV2Sign,
  coinpaymentsV2Status,
  coinpaymentsV2Timestamp,
  fiatOfCoinpaymentsV2,
} from '../../../src/adapters/shared/providers/coinpayments-v2.ts';
import {
  cryptomusAmount,
  cryptomusNetworks,
  cryptomusSign,
  cryptomusStatus,
  withPlaces,
} from '../../../src/adapters/shared/providers/cryptomus.ts';
import { heleketNetworks, heleketStatus } from '../../../src/adapters/shared/providers/heleket.ts';
import {
  nowpaymentsCodes,
  nowpaymentsNumber,
  nowpaymentsSign,
  nowpaymentsStatus,
  sortedJson,
} from '../../../src/adapters/shared/providers/nowpayments.ts';
import { isPlainToPhp, phpJson } from '../../../src/adapters/shared/providers/php-json.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { CHAINS } from '../../../src/domain/catalog/chain.ts';
import { FIAT_CURRENCIES } from '../../../src/domain/catalog/fiat.ts';
import {
  type BillingType,
  INVOICE_STATUSES,
  type InvoiceStatus,
} from '../../../src/domain/invoices/invoice.ts';
import { phpEncode } from '../../support/compat/php.ts';
import { VECTOR_KEY, VECTOR_URL, WEBHOOK_VECTORS } from '../../support/compat/webhook-vectors.ts';
import { anyText } from '../../support/http/any-text.ts';

const catalog = new AssetCatalog();

describe('the signature of', () => {
  test('Cryptomus and Heleket is the one that their verifiers accepted', () => {
    const { sign, ...fields } = JSON.parse(WEBHOOK_VECTORS.cryptomus.body);
    expect(cryptomusSign(phpJson(fields), VECTOR_KEY)).toBe(sign);
    expect(phpJson({ ...fields, sign })).toBe(WEBHOOK_VECTORS.cryptomus.body);
  });

  test.each(['nowpayments', 'nowpayments_traps'] as const)(
    'NOWPayments is the one of the vector %s',
    (name) => {
      const { body, headers } = WEBHOOK_VECTORS[name];
      const backwards = Object.fromEntries(Object.entries(JSON.parse(body)).reverse());
      expect(sortedJson(backwards)).toBe(body);
      expect(nowpaymentsSign(body, VECTOR_KEY)).toBe(headers['x-nowpayments-sig']);
    },
  );

  test('CoinPayments is the one that its plugins accepted', () => {
    const { body, headers } = WEBHOOK_VECTORS.coinpayments;
    expect(phpForm(Object.fromEntries(new URLSearchParams(body)))).toBe(body);
    expect(coinpaymentsSign(body, VECTOR_KEY)).toBe(headers.hmac);
  });

  test('CoinPayments v2 is the one that its example accepted', () => {
    const { body, headers } = WEBHOOK_VECTORS.coinpayments_v2;
    const timestamp = coinpaymentsV2Timestamp(new Date('2026-11-22T09:00:00.999Z'));
    expect(timestamp).toBe(headers['X-CoinPayments-Timestamp']);
    expect(
      coinpaymentsV2Sign(
        { method: 'POST', url: VECTOR_URL, client: VECTOR_KEY, timestamp, body },
        VECTOR_KEY,
      ),
    ).toBe(headers['X-CoinPayments-Signature']);
  });
});

describe('what a provider calls our statuses', () => {
  type Row = readonly [InvoiceStatus, string, string, string, number, string];
  const rows: readonly Row[] = [
    ['created', 'check', 'check', 'waiting', 0, 'InvoiceCreated Unpaid'],
    ['confirming', 'confirm_check', 'confirm_check', 'confirming', 0, 'InvoicePending Pending'],
    ['partially_paid', 'wrong_amount', 'wrong_amount_waiting', 'partially_paid', 0, 'InvoicePending Pending'],
    ['paid_over', 'paid_over', 'paid_over', 'finished', 100, 'InvoiceCompleted Completed'],
    ['success', 'paid', 'paid', 'finished', 100, 'InvoiceCompleted Completed'],
    ['failed', 'fail', 'fail', 'failed', -1, 'InvoiceCancelled Cancelled'],
    ['high_risk', 'locked', 'locked', 'confirming', 0, 'InvoicePending Pending'],
    ['expired', 'cancel', 'cancel', 'expired', -1, 'InvoiceTimedOut TimedOut'],
    ['cancelled', 'wrong_amount', 'wrong_amount', 'partially_paid', -1, 'InvoiceCancelled Cancelled'],
    ['refunded', 'refund_paid', 'refund_paid', 'refunded', -2, 'InvoiceCancelled Cancelled'],
  ];

  test('is said of every status', () => {
    expect(rows.map(([status]) => status)).toEqual([...INVOICE_STATUSES]);
  });

  test.each(rows)('%s', (status, cryptomus, heleket, nowpayments, coinpayments, v2) => {
    const { type, state } = coinpaymentsV2Status(status);
    expect(cryptomusStatus(status)).toBe(cryptomus);
    expect(heleketStatus({ status, billingType: 'STATIC' })).toBe(heleket);
    expect(nowpaymentsStatus(status)).toBe(nowpayments);
    expect(coinpaymentsStatus(status).status).toBe(coinpayments);
    expect(`${type} ${state}`).toBe(v2);
  });

  test('is final at Heleket where a part payment ends the invoice', () => {
    const billingType: BillingType = 'VARY';
    expect(heleketStatus({ status: 'partially_paid', billingType })).toBe('wrong_amount');
  });
});

describe('what a provider calls our coins and chains', () => {
  test.each([
    ['NOWPayments', nowpaymentsCodes],
    ['CoinPayments', coinpaymentsCodes],
  ] as const)('%s has one word for each, which means it in any case', (_, { codeOf, assetOf }) => {
    const codes = catalog.all.map(codeOf);
    expect(new Set(codes).size).toBe(codes.length);
    for (const asset of catalog.all) {
      expect(assetOf(catalog, codeOf(asset).toUpperCase())).toBe(asset);
      expect(assetOf(catalog, ` ${codeOf(asset).toLowerCase()} `)).toBe(asset);
    }
  });

  test.each([
    ['btc_bitcoin', 'btc', 'BTC', '1'],
    ['usdt_ethereum', 'usdterc20', 'USDT.ERC20', '4:0xdac17f958d2ee523a2206206994597c13d831ec7'],
    ['usdc_ethereum', 'usdc', 'USDC', '4:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'],
    ['usdc_bsc', 'usdcbsc', 'USDC.BEP20', '35:0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d'],
    ['bnb_bsc', 'bnbbsc', 'BNB.BSC', '35'],
    ['usdt_polygon', 'usdtmatic', 'USDT.PRC20', '54:0xc2132d05d31c914a87c6611c10748aeb04b58e8f'],
    ['usdt_tron', 'usdttrc20', 'USDT.TRC20', '9:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ['usdc_solana', 'usdcsol', 'USDC.SOL', '55:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
    ['xrp_xrp', 'xrp', 'XRP', 'xrp_xrp'],
  ])('%s is %s, %s and %s', (key, nowpayments, coinpayments, v2) => {
    const asset = catalog.require(key);
    expect(nowpaymentsCodes.codeOf(asset)).toBe(nowpayments);
    expect(coinpaymentsCodes.codeOf(asset)).toBe(coinpayments);
    expect(coinpaymentsV2CurrencyId(asset)).toBe(v2);
  });

  test('understands further words, and none that means a coin of another chain', () => {
    const alsoUnderstood = [
      [nowpaymentsCodes, 'usdcerc20', 'usdc_ethereum'],
      [nowpaymentsCodes, 'pol', 'pol_polygon'],
      [coinpaymentsCodes, 'pol.poly', 'pol_polygon'],
    ] as const;
    for (const [codes, word, key] of alsoUnderstood) expect(codes.assetOf(catalog, word)?.key).toBe(key);
    for (const word of ['matic', 'bnb', 'doge', '', 'constructor'])
      expect(nowpaymentsCodes.assetOf(catalog, word)).toBeNull();
    for (const word of ['BNB', 'DOGE', '', 'CONSTRUCTOR'])
      expect(coinpaymentsCodes.assetOf(catalog, word)).toBeNull();
  });

  test('CoinPayments v2 has an id for every asset and currency, which means it', () => {
    for (const asset of catalog.all)
      expect(assetOfCoinpaymentsV2(catalog, coinpaymentsV2CurrencyId(asset))).toBe(asset);
    expect(assetOfCoinpaymentsV2(catalog, '4:0xdAC17F958D2ee523a2206206994597C13D831ec7')?.key).toBe(
      'usdt_ethereum',
    );
    expect(assetOfCoinpaymentsV2(catalog, '1002')).toBeNull();
    for (const currency of FIAT_CURRENCIES)
      expect(fiatOfCoinpaymentsV2(FIAT_CURRENCIES, coinpaymentsV2FiatId(currency))).toBe(currency);
    expect(coinpaymentsV2FiatId('USD')).toBe('5057');
    expect(fiatOfCoinpaymentsV2(FIAT_CURRENCIES, '1')).toBeNull();
  });

  test.each([
    ['Cryptomus', cryptomusNetworks],
    ['Heleket', heleketNetworks],
  ] as const)('%s has one name for each chain, which means it in any case', (_, { nameOf, chainOf }) => {
    for (const { name } of CHAINS) {
      expect(chainOf(nameOf(name).toUpperCase())).toBe(name);
      expect(chainOf(name)).toBe(name);
    }
    expect(new Set(CHAINS.map(({ name }) => nameOf(name))).size).toBe(CHAINS.length);
    expect(chainOf('dogecoin')).toBeNull();
    expect(chainOf('constructor')).toBeNull();
  });
});

describe('how a provider writes amounts', () => {
  test('Cryptomus as strings, with eight decimals of a coin at least', () => {
    expect(cryptomusAmount(25_250_000n, 6)).toBe('25.25000000');
    expect(cryptomusAmount(1n, 18)).toBe('0.000000000000000001');
    expect(withPlaces('15', 2)).toBe('15.00');
    expect(withPlaces('15.5', 2)).toBe('15.50');
    expect(withPlaces('1500', 0)).toBe('1500');
  });

  test.each([
    [25_000_000n, 6, '25'],
    [25_250_000n, 6, '25.25'],
    [0n, 6, '0'],
    [10_000n, 8, '0.0001'],
    [9_999n, 8, '"0.00009999"'],
    [1_234_567_890_123_456_789n, 18, '"1.234567890123456789"'],
    [123_456_789_012_345n, 0, '123456789012345'],
    [1_234_567_890_123_456n, 0, '"1234567890123456"'],
  ] as const)('NOWPayments writes %d with %d decimals as %s', (units, decimals, json) => {
    expect(JSON.stringify(nowpaymentsNumber(units, decimals))).toBe(json);
  });

  test('PHP and JavaScript print every number of NOWPayments as it was sent', () => {
    const amounts = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.integer({ min: 0, max: 18 }));
    fc.assert(
      fc.property(amounts, ([units, decimals]) => {
        const sent = JSON.stringify(nowpaymentsNumber(units, decimals));
        expect(phpEncode(JSON.parse(sent))).toBe(sent);
        expect(JSON.stringify(JSON.parse(sent))).toBe(sent);
      }),
    );
  });
});

describe('text as PHP writes it', () => {
  const text = anyText({ maxLength: 12 });

  test('is what PHP makes of it after reading it', () => {
    fc.assert(
      fc.property(text, (value) => {
        const sent = phpJson({ value });
        expect(JSON.parse(sent)).toEqual({ value });
        expect(phpEncode(JSON.parse(sent), { unescapedUnicode: true })).toBe(sent);
      }),
    );
    expect(phpJson('a/b \u2028 é')).toBe('"a\\/b \\u2028 é"');
  });

  test('is plain where no flag changes it', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(isPlainToPhp(value)).toBe(phpEncode(value) === JSON.stringify(value));
      }),
    );
  });

  test('survives a form', () => {
    expect(phpForm({ value: "-_.*~'! é" })).toBe('value=-_.%2A%7E%27%21+%C3%A9');
    fc.assert(
      fc.property(text, (value) => {
        const sent = phpForm({ value });
        expect(new URLSearchParams(sent).get('value')).toBe(value);
        expect(sent).toMatch(/^value=([A-Za-z0-9\-_.+]|%[0-9A-F]{2})*$/);
      }),
    );
  });
});
