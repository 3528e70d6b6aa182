import { afterEach, describe, expect, test } from 'bun:test';
import { publicRateSources } from '../../../src/adapters/rates/public-sources.ts';
import { CRYPTO_SYMBOLS, FIAT_CODES } from '../../../src/adapters/rates/requested-tickers.ts';
import { rateServices, SOURCE_NAMES } from '../../support/rates/rate-services.ts';

const services = rateServices();
afterEach(() => services.stop());
const quoteOf = services.pricesBy;

describe('an ordinary answer', () => {
  test('of coinbase gives currencies as they are and coins inverted', async () => {
    const quote = await quoteOf('coinbase');
    expect(services.asked()).toEqual(['/v2/exchange-rates?currency=USD']);
    expect([...quote.fiatPerUsd.keys()].sort()).toEqual([...FIAT_CODES].sort());
    expect(quote.fiatPerUsd.get('EUR')).toBe('0.8686');
    expect(quote.fiatPerUsd.get('IDR')).toBe('16698.5');
    expect(quote.usdPerAsset.get('USDC')).toBe('1');
    // 1 / 0.000011739, worked out by hand to 18 decimals.
    expect(quote.usdPerAsset.get('BTC')).toBe('85186.131697759604736348');
    expect([...quote.usdPerAsset.keys()].sort()).toEqual(CRYPTO_SYMBOLS.filter((s) => s !== 'XMR').sort());
  });

  test('of kraken gives the last trade of each USD pair', async () => {
    const quote = await quoteOf('kraken');
    expect(services.asked()).toEqual(['/0/public/Ticker']);
    expect([...quote.usdPerAsset.keys()].sort()).toEqual([...CRYPTO_SYMBOLS].sort());
    expect(quote.usdPerAsset.get('BTC')).toBe('85176.7');
    expect(quote.usdPerAsset.get('USDT')).toBe('0.99891');
    expect(quote.usdPerAsset.get('XMR')).toBe('378.11');
    expect(quote.fiatPerUsd.size).toBe(0);
  });

  test('of coingecko keeps every digit, more than a binary float holds, and expands exponents', async () => {
    const quote = await quoteOf('coingecko');
    expect(services.asked()[0]).toStartWith(
      '/api/v3/simple/price?vs_currencies=usd&precision=full&include_last_updated_at=true&ids=bitcoin,litecoin,',
    );
    expect([...quote.usdPerAsset.keys()].sort()).toEqual([...CRYPTO_SYMBOLS].sort());
    expect(quote.usdPerAsset.get('BTC')).toBe('85190.0123456789012345');
    expect(quote.usdPerAsset.get('POL')).toBe('0.13147');
    expect(quote.usdPerAsset.get('BCH')).toBe('542');
  });

  test('of okx gives its USD indexes', async () => {
    const quote = await quoteOf('okx');
    expect(services.asked()).toEqual(['/api/v5/market/index-tickers?quoteCcy=USD']);
    const unknown = ['XMR', 'EURC', 'DAI', 'PYUSD'];
    expect([...quote.usdPerAsset.keys()].sort()).toEqual(
      CRYPTO_SYMBOLS.filter((s) => !unknown.includes(s)).sort(),
    );
    expect(quote.usdPerAsset.get('BTC')).toBe('85181.4');
  });

  test('of bitfinex gives the last trade and leaves out pairs that it does not know', async () => {
    const quote = await quoteOf('bitfinex');
    expect(services.asked()[0]).toStartWith('/v2/tickers?symbols=tBTCUSD,');
    expect(quote.usdPerAsset.get('BTC')).toBe('85171');
    expect(quote.usdPerAsset.get('BCH')).toBe('542.25');
    expect(quote.usdPerAsset.get('USDT')).toBe('0.9989');
    expect(quote.usdPerAsset.has('POL')).toBe(false);
    expect(quote.usdPerAsset.has('BNB')).toBe(false);
  });

  test('of open-er-api gives every currency', async () => {
    const quote = await quoteOf('open-er-api');
    expect(services.asked()).toEqual(['/v6/latest/USD']);
    expect([...quote.fiatPerUsd.keys()].sort()).toEqual([...FIAT_CODES].sort());
    expect(quote.fiatPerUsd.get('IDR')).toBe('16727.119371');
    expect(quote.usdPerAsset.size).toBe(0);
  });

  test('of frankfurter gives what the central bank publishes', async () => {
    const quote = await quoteOf('frankfurter');
    expect(services.asked()).toEqual(['/v1/latest?base=USD']);
    expect([...quote.fiatPerUsd.keys()].sort()).toEqual(
      FIAT_CODES.filter((code) => code !== 'NGN' && code !== 'ARS').sort(),
    );
    expect(quote.fiatPerUsd.get('JPY')).toBe('156.57');
  });

  test('of all sources together knows every coin and currency at least twice', async () => {
    const known = new Map<string, number>();
    for (const name of SOURCE_NAMES) {
      const quote = await quoteOf(name);
      for (const symbol of [...quote.usdPerAsset.keys(), ...quote.fiatPerUsd.keys()]) {
        known.set(symbol, (known.get(symbol) ?? 0) + 1);
      }
    }
    for (const symbol of [...CRYPTO_SYMBOLS, ...FIAT_CODES])
      expect([symbol, known.get(symbol)! >= 2]).toEqual([symbol, true]);
  });
});

describe('odd prices', () => {
  const unusable = [
    '0',
    '-1',
    '0.0',
    '"NaN"',
    '"Infinity"',
    '"1,5"',
    '" 1"',
    '"0x10"',
    '""',
    'null',
    'true',
    '{}',
    '[]',
    '1e999',
  ];

  test.each(unusable)('%s is no price, and the others of the answer still count', async (odd) => {
    const gecko = await quoteOf('coingecko', `{"bitcoin":{"usd":${odd}},"monero":{"usd":300.5}}`);
    expect([...gecko.usdPerAsset]).toEqual([['XMR', '300.5']]);
    const coinbase = await quoteOf(
      'coinbase',
      `{"data":{"currency":"USD","rates":{"BTC":${odd},"EUR":${odd},"GBP":"0.8"}}}`,
    );
    expect([...coinbase.usdPerAsset]).toEqual([]);
    expect([...coinbase.fiatPerUsd]).toEqual([['GBP', '0.8']]);
  });

  test.each([
    ['1e3', '1000'],
    ['1.50E+2', '150'],
    ['25e-1', '2.5'],
    ['1.5e-7', '0.00000015'],
    [
      '123456789012345678901234567890.123456789012345678901',
      '123456789012345678901234567890.123456789012345678901',
    ],
    ['0.1000', '0.1'],
  ])('%s is read exactly as %s', async (source, plain) => {
    const quote = await quoteOf('coingecko', `{"bitcoin":{"usd":${source}}}`);
    expect(quote.usdPerAsset.get('BTC')).toBe(plain);
  });
});

describe.each(SOURCE_NAMES)('%s', (name) => {
  const failing = async (answer: string | (() => Response | Promise<Response>), timeoutMs?: number) =>
    (await services.answering(name, answer, timeoutMs)).fetch();

  test.each([
    '{}',
    '[]',
    'null',
    '1',
    '"text"',
    '[null,1,[],{}]',
    '{"data":null,"result":null,"rates":null,"base":"USD","base_code":"USD"}',
    '{"data":[1,{"instId":{}}],"result":{"XXBTZUSD":{"c":"1"}},"bitcoin":3}',
    '{"data":{"currency":"EUR","rates":{"BTC":"1"}},"base":"EUR","base_code":"EUR","rates":{"GBP":1}}',
    '{"error":["EGeneral:Too many requests"]}',
    '{"result":"error","error-type":"quota-reached"}',
    '{"__proto__":{"bitcoin":{"usd":1},"rates":{"EUR":1}}}',
  ])('has no usable price in %s', async (answer) => {
    await expect(failing(answer)).rejects.toThrow(`${name} answered without a usable price`);
  });

  test.each(['', '<html>', '{"data":', '{"bitcoin":{"usd":NaN}}'])(
    'does not take %j for JSON',
    async (answer) => {
      await expect(failing(answer)).rejects.toThrow(`${name} did not answer in JSON`);
    },
  );

  test('fails with the status of an error and follows no redirect', async () => {
    await expect(failing(() => new Response('{}', { status: 429 }))).rejects.toThrow(
      `${name} answered with status 429`,
    );
    await expect(failing(() => Response.redirect('http://127.0.0.1:9/', 302))).rejects.toThrow('status 302');
  });

  test('fails when the answer or its end does not come in time', async () => {
    await expect(failing(() => new Promise(() => {}), 60)).rejects.toThrow(`${name} gave no answer in 60 ms`);
    const half = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('{')) });
    await expect(failing(() => new Response(half), 60)).rejects.toThrow(`${name} gave no answer in 60 ms`);
  });

  test('stops reading an answer of more than 2 MiB', async () => {
    const huge = `{"filler":"${'x'.repeat(2_100_000)}"}`;
    await expect(failing(huge)).rejects.toThrow(`${name} answered with more than 2 MiB`);
    const bomb = Bun.gzipSync(new TextEncoder().encode(huge));
    const packed = () => new Response(bomb, { headers: { 'Content-Encoding': 'gzip' } });
    await expect(failing(packed)).rejects.toThrow(`${name} answered with more than 2 MiB`);
  });

  test('fails when nobody listens', async () => {
    const source = await services.answering(name, '{}');
    await services.stop();
    await expect(source.fetch()).rejects.toThrow(`${name} cannot be reached`);
  });
});

test('the default sources are these, each with its own name', () => {
  expect(publicRateSources().map((source) => source.name)).toEqual(SOURCE_NAMES);
});
