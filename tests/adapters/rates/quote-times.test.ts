/**
 * What the price services tell of the time and the trades of a price, and by which ticker a coin is
 * found (safety.md P2).
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { rateServices } from '../../support/rates/rate-services.ts';

const services = rateServices();
afterEach(() => services.stop());

describe('the time of a price', () => {
  test('P2: is what okx, coingecko and the daily sources tell', async () => {
    const at = async (name: string, what: 'usdPerAsset' | 'fiatPerUsd', of: string) => {
      const quote = await services.quotedBy(name);
      return quote[what].get(of)?.at?.toISOString() ?? null;
    };
    expect(await at('okx', 'usdPerAsset', 'BTC')).toBe('2025-11-21T10:20:00.000Z');
    expect(await at('coingecko', 'usdPerAsset', 'BTC')).toBe('2025-11-21T10:19:59.000Z');
    expect(await at('open-er-api', 'fiatPerUsd', 'EUR')).toBe('2025-11-21T00:02:31.000Z');
    expect(await at('frankfurter', 'fiatPerUsd', 'EUR')).toBe('2025-11-21T00:00:00.000Z');
    for (const name of ['coinbase', 'kraken', 'bitfinex'])
      expect([name, await at(name, 'usdPerAsset', 'BTC')]).toEqual([name, null]);
  });

  test('P2: that is none is not taken for one', async () => {
    for (const odd of ['null', '"soon"', '-1', '1e9', '{}', '17637204000000']) {
      const gecko = await services.quotedBy('coingecko', `{"bitcoin":{"usd":1,"last_updated_at":${odd}}}`);
      expect([odd, gecko.usdPerAsset.get('BTC')?.at]).toEqual([odd, null]);
      const okx = await services.quotedBy('okx', `{"data":[{"instId":"BTC-USD","idxPx":"1","ts":${odd}}]}`);
      expect([odd, okx.usdPerAsset.get('BTC')?.at]).toEqual([odd, null]);
      const franks = await services.quotedBy('frankfurter', `{"base":"USD","rates":{"EUR":1},"date":${odd}}`);
      expect([odd, franks.fiatPerUsd.get('EUR')?.at]).toEqual([odd, null]);
    }
  });

  test('P2: what differs after every trade is told by kraken besides the price', async () => {
    const mark = async (ticker: object) => {
      const answer = JSON.stringify({ result: { XXBTZUSD: ticker } });
      const quote = await services.quotedBy('kraken', answer);
      return quote.usdPerAsset.get('BTC')?.mark;
    };
    const first = await mark({ c: ['100', '0.5'], t: [7, 9] });
    expect(await mark({ c: ['100', '0.5'], t: [7, 9] })).toBe(first);
    expect(await mark({ c: ['100', '0.6'], t: [7, 9] })).not.toBe(first);
    expect(await mark({ c: ['100', '0.5'], t: [8, 9] })).not.toBe(first);
  });

  test('P2: a pair that nobody traded for a day is no price', async () => {
    const pair = (trades: string) =>
      `{"result":{"XXBTZUSD":{"c":["1","1"]},"XETHZUSD":{"c":["2","1"],"t":[0,${trades}]}}}`;
    expect([...(await services.pricesBy('kraken', pair('0'))).usdPerAsset.keys()]).toEqual(['BTC']);
    expect([...(await services.pricesBy('kraken', pair('1'))).usdPerAsset.keys()]).toEqual(['BTC', 'ETH']);
    const tickers = (volume: string) => `[["tBTCUSD",1,1,1,1,1,1,5,3],["tETHUSD",1,1,1,1,1,1,6,${volume}]]`;
    expect([...(await services.pricesBy('bitfinex', tickers('0'))).usdPerAsset.keys()]).toEqual(['BTC']);
    expect([...(await services.pricesBy('bitfinex', tickers('0.001'))).usdPerAsset.keys()]).toEqual([
      'BTC',
      'ETH',
    ]);
  });
});

describe('a coin that was renamed', () => {
  const RENAMED: Readonly<Record<string, (ticker: string, price: string) => string>> = {
    coinbase: (ticker, price) => `{"data":{"currency":"USD","rates":{"${ticker}":"${1 / Number(price)}"}}}`,
    kraken: (ticker, price) => `{"result":{"${ticker}USD":{"c":["${price}","1"]}}}`,
    okx: (ticker, price) => `{"data":[{"instId":"${ticker}-USD","idxPx":"${price}"}]}`,
    bitfinex: (ticker, price) => `[["t${ticker}${ticker.length > 3 ? ':' : ''}USD",1,1,1,1,1,1,${price},9]]`,
  };

  test.each(Object.keys(RENAMED))('P2: is known to %s by either ticker', async (name) => {
    for (const ticker of ['TON', 'GRAM']) {
      const quote = await services.pricesBy(name, RENAMED[name]?.(ticker, '1.25'));
      expect([...quote.usdPerAsset]).toEqual([['TON', '1.25']]);
    }
  });

  test('P2: has the price of the new ticker where both are there, and is asked for by both', async () => {
    const both = '[["tTONUSD",1,1,1,1,1,1,2.31,9],["tGRAM:USD",1,1,1,1,1,1,1.6,9]]';
    expect((await services.pricesBy('bitfinex', both)).usdPerAsset.get('TON')).toBe('1.6');
    expect(services.asked()[0]).toContain(',tGRAM:USD,tTONUSD,');
    const closed = '[["tTONUSD",1,1,1,1,1,1,2.31,9],["tGRAM:USD",1,1,1,1,1,1,1.6,0]]';
    expect((await services.pricesBy('bitfinex', closed)).usdPerAsset.get('TON')).toBe('2.31');
  });
});
