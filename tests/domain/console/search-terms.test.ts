/** What a text in the search box may mean. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { SEARCH_LENGTH_MAX, searchTerms } from '../../../src/domain/console/search-terms.ts';

const catalog = new AssetCatalog();
const of = (text: string) => searchTerms(text, { catalog, spellingsOf: (address) => [address] });

describe('a text that is searched', () => {
  test('is nothing if it is blank, too long, or no text that the database stores', () => {
    for (const text of ['', '  ', 'a'.repeat(SEARCH_LENGTH_MAX + 1), 'a\0b', '\ud800'])
      expect(of(text)).toBeNull();
  });

  test('is an amount of fiat or of coins, by what stands beside the number', () => {
    expect(of('25.5')?.fiat).toEqual({ micros: 25_500_000n, currency: null });
    expect(of('1,250.00 eur')?.fiat).toEqual({ micros: 1_250_000_000n, currency: 'EUR' });
    expect(of('€3')?.fiat).toEqual({ micros: 3_000_000n, currency: 'EUR' });
    expect(of('25.5 usdt')?.fiat).toBeNull();
    expect(of('25.5 USD')?.coins).toEqual([]);
    const usdt = of('25.5 USDT')?.coins ?? [];
    expect(usdt).toContainEqual({ asset: 'usdt_tron', units: 25_500_000n });
    expect(usdt).toContainEqual({ asset: 'usdt_bsc', units: 25_500_000_000_000_000_000n });
    expect(of('btc_bitcoin 0.5')?.coins).toEqual([{ asset: 'btc_bitcoin', units: 50_000_000n }]);
    // Finer than a satoshi.
    expect(of('0.123456789 btc')?.coins).toEqual([]);
    for (const text of ['usd 5 eur', '5 dollars', '-5', '1.2.3', 'order 5 b'])
      expect([text, of(text)?.fiat, of(text)?.coins]).toEqual([text, null, []]);
  });

  test('is an id, a uuid, an e-mail address or something of a chain, by its form', () => {
    expect(of(' 6650A1B2C3D4E5F6A7B8C9D0 ')?.id).toBe('6650a1b2c3d4e5f6a7b8c9d0');
    expect(of('6650a1b2c3d4e5f6a7b8c9d')?.id).toBeNull();
    expect(of('00000000-0000-4000-8000-00000000000A')?.externalId).toBe(
      '00000000-0000-4000-8000-00000000000a',
    );
    expect(of('Ann@Example.org')?.email).toBe('ann@example.org');
    expect(of('order-17')).toMatchObject({ txids: [], addresses: [], email: null });
    const hash = `0x${'aB'.repeat(32)}`;
    expect(of(hash)?.txids).toEqual([hash, hash.toLowerCase(), hash.toUpperCase()]);
  });

  test('never throws, and keeps what was entered', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const terms = of(text);
        if (terms !== null) expect(terms.text).toBe(text.trim());
      }),
    );
  });
});
