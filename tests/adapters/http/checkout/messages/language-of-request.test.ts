/** The checkout's languages: all of them whole, the right one chosen, numbers exact. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  preferredLanguage,
  switchedLanguage,
} from '../../../../../src/adapters/http/checkout/messages/language-of-request.ts';
import { LANGUAGES, MESSAGES } from '../../../../../src/adapters/http/checkout/messages/languages.ts';
import type { TextKey } from '../../../../../src/adapters/http/checkout/messages/message-keys.ts';
import { EN } from '../../../../../src/adapters/http/checkout/messages/texts/en.ts';
import { Translator } from '../../../../../src/adapters/http/checkout/messages/translator.ts';
import { parseDecimal, toUnits } from '../../../../../src/domain/money/decimal.ts';
import { aBrand } from '../../../../support/builders.ts';
import { openHarness } from '../../../../support/fake/fake-http-harness.ts';
import { anyText } from '../../../../support/http/any-text.ts';
import { elementsOf, openedPage, wordsOf } from '../../../../support/http/checkout-page.ts';

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();
const keys = Object.keys(EN) as (keyof typeof EN)[];
/** "Total" is the word of several languages. */
const SAME_WORD: ReadonlySet<string> = new Set(['itemTotal']);

describe.each(LANGUAGES)('%s', (language) => {
  const messages = MESSAGES[language];

  test('says everything, with the same placeholders', () => {
    expect(Object.keys(messages).sort()).toEqual([...keys].sort());
    for (const key of keys) {
      const [own, english] = [messages[key], EN[key]];
      const forms = typeof own === 'string' ? [own] : Object.values(own);
      const measure = typeof english === 'string' ? english : english.other;
      for (const form of forms) {
        expect(form.trim(), key).not.toBe('');
        expect(placeholders(form), key).toEqual(placeholders(measure));
      }
    }
  });

  test('has exactly the plural forms that its readers use', () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
    for (const key of keys) {
      const own = messages[key];
      if (typeof own !== 'string') expect(Object.keys(own).sort(), key).toEqual([...pluralCategories].sort());
    }
  });

  test('is translated', () => {
    if (language === 'en') return;
    const same = keys.filter((key) => JSON.stringify(messages[key]) === JSON.stringify(EN[key]));
    expect(same.filter((key) => !SAME_WORD.has(key))).toEqual([]);
  });

  test('is what the whole page is in', async () => {
    const { page } = await openedPage({ amount: 5, fiat_currency: 'EUR', asset: 'usdt_ethereum' });
    const { text, headers } = await page({ 'accept-language': language });
    expect(elementsOf(text, 'html')[0]?.attributes.lang).toBe(language);
    expect(headers.get('vary')).toContain('accept-language');
    for (const key of ['waitingTitle', 'sendExactly', 'copy', 'feeOnTop'] satisfies TextKey[])
      expect(wordsOf(text)).toContain(wordsOf(new Translator(language).say(key).text));
  });

  test('says that there is no such payment, and that there were too many requests', async () => {
    const { call } = openHarness({ config: { rateLimitPerMinute: 1 } });
    const get = () => call('GET', '/checkout/x', { key: null, headers: { 'accept-language': language } });
    expect((await get()).text).toContain(new Translator(language).say('notFoundTitle').text);
    const busy = await get();
    expect(busy.status).toBe(429);
    expect(busy.text).toContain(new Translator(language).say('busyText').text);
  });
});

describe('the language', () => {
  test.each([
    [null, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['pt-BR', 'pt'],
    ['pt', 'pt'],
    ['pt-PT', 'pt-PT'],
    ['pt-AO,pt;q=0.8', 'pt-PT'],
    ['es', 'es'],
    ['es-ES', 'es'],
    ['es-MX,es;q=0.8', 'es-419'],
    ['es-419', 'es-419'],
    ['zh-Hans-CN, en', 'zh'],
    ['zh-TW', 'zh-Hant'],
    ['zh-HK,zh;q=0.9', 'zh-Hant'],
    ['zh-Hant', 'zh-Hant'],
    ['zh-Hans-HK', 'zh'],
    ['ar-EG', 'ar'],
    ['FR-ca', 'fr'],
    ['en;q=0.5, tr;q=0.9', 'tr'],
    ['sv, ru;q=0.3, es;q=0.3', 'ru'],
    ['sv', 'en'],
    ['*', 'en'],
    ['de;q=0', 'en'],
    ['de;q=0, *;q=0.1', 'en'],
    ['de;q=2, es;q=0.1', 'es'],
    ['deu, es', 'es'],
    ['; , ;q=,de ; q = 0.7', 'de'],
  ] as const)('of %p is %s', (header, language) => {
    expect(preferredLanguage(header) ?? 'en').toBe(language);
  });

  test('of any header at all is one of ours, or none', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 2_000 }), (header) => {
        expect([...LANGUAGES, null]).toContain(preferredLanguage(header));
      }),
    );
  });

  test('that was switched to wins, and only one of ours can be', () => {
    expect(switchedLanguage('http://x/checkout/1?lang=ru')).toBe('ru');
    for (const lang of ['xx', '', '__proto__', 'RU', '"><script>'])
      expect(switchedLanguage(`http://x/?lang=${encodeURIComponent(lang)}`)).toBeNull();
  });

  test('that was switched to stays in links, forms, refusals and after a choice', async () => {
    const { page, send, path } = await openedPage({ amount: 5 });
    const { text } = await page({ 'accept-language': 'de' }, '?lang=ru');
    expect(elementsOf(text, 'main')[0]?.attributes['data-page']).toBe(`${path}?lang=ru`);
    expect(elementsOf(text, 'input[name="lang"]')[0]?.attributes.value).toBe('ru');
    const refused = await send('currency', 'asset=nope&lang=ru', { 'accept-language': 'de' });
    expect(refused.text).toContain(new Translator('ru').say('problemChoice').text);
    const chosen = await send('currency', 'asset=usdt_tron&lang=ru');
    expect(chosen.headers.get('location')).toBe(`${path}?lang=ru`);
    expect((await send('currency', 'asset=usdt_tron&lang=%22x')).headers.get('location')).toBe(path);
  });

  test("is the merchant's where the browser names none of ours, and English without one", async () => {
    const spoken = async (language: string | null, header: string, query = '') => {
      const brand = async () => aBrand({ language });
      const { page } = await openedPage({ amount: 5 }, { sources: { brand } });
      const { text } = await page(header === '' ? {} : { 'accept-language': header }, query);
      return /<html[^>]* lang="([^"]+)"/.exec(text)?.[1];
    };
    expect(await spoken('de', '')).toBe('de');
    expect(await spoken('de', 'sw, *;q=0.5')).toBe('de');
    expect(await spoken('de', 'fr')).toBe('fr');
    expect(await spoken('de', 'en')).toBe('en');
    expect(await spoken('de', '', '?lang=es')).toBe('es');
    expect(await spoken('sw', 'sw')).toBe('en');
    expect(await spoken(null, '')).toBe('en');
  });

  test('can be switched without the script, to each that there is', async () => {
    const { page, path } = await openedPage({ amount: 5 });
    const links = elementsOf((await page()).text, 'header a[hreflang]');
    expect(links.map(({ attributes }) => attributes.href)).toEqual(
      LANGUAGES.map((language) => `${path}?lang=${language}`),
    );
  });
});

describe('numbers', () => {
  test('keep every digit in every language, and have no groups that another language reads as a point', () => {
    const asset = { decimals: 18, symbol: 'ETH' };
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 120n), fc.constantFrom(...LANGUAGES), (units, language) => {
        const amount = new Translator(language).amount(units, asset).replace(/[\u2066\u2069]/g, '');
        const [number = '', symbol] = amount.split(' ');
        const read = parseDecimal(number.replace(',', '.'));
        expect(read === null ? null : toUnits(read, 18)).toBe(units);
        expect(symbol).toBe('ETH');
      }),
    );
  });

  test('of money have the currency’s own decimals, beyond what a float holds', () => {
    expect(new Translator('de').fiat(9_007_199_254_740_993_490_000n, 'EUR')).toBe(
      '9.007.199.254.740.993,49\u00a0€',
    );
    expect(new Translator('en').fiat(5_000_000n, 'JPY')).toBe('¥5');
    expect(new Translator('en').fiat(5_000_000n, 'USD')).toBe('$5.00');
  });

  test('read from the left in a language from the right, with their currency beside them', () => {
    const ar = new Translator('ar');
    const usdt = { decimals: 6, symbol: 'USDT' };
    expect(ar.amount(30_000_000n, usdt)).toBe('\u206630 USDT\u2069');
    expect(ar.fiat(25_250_000n, 'USD')).toBe('\u206625.25\u00a0US$\u2069');
    expect(ar.rate(2_000n, 0, 'USD')).toBe('\u20662,000.00\u00a0US$\u2069');
    expect(new Translator('fa').fiat(25_250_000n, 'USD')).toBe('\u2066$\u00a025.25\u2069');
    expect(new Translator('fa').percent(10n)).toBe('\u206610%\u2069');
    expect(new Translator('tr').percent(10n)).toBe('%10');
    expect(new Translator('en').amount(30_000_000n, usdt)).toBe('30 USDT');
  });

  test('of times say that they are UTC', () => {
    expect(new Translator('de').time(new Date('2026-03-01T12:00:00Z'))).toBe('01.03.2026, 12:00 UTC');
  });
});
