/** Length and typography of the texts. Their keys are checked by the compiler. */
import { describe, expect, test } from 'bun:test';
import { LANGUAGES, MESSAGES } from '../../../../../src/adapters/http/checkout/messages/languages.ts';
import type { Plural, TextKey } from '../../../../../src/adapters/http/checkout/messages/message-keys.ts';
import { EN } from '../../../../../src/adapters/http/checkout/messages/texts/en.ts';
import { Translator } from '../../../../../src/adapters/http/checkout/messages/translator.ts';

const TEXTS = (Object.keys(EN) as (keyof typeof EN)[]).filter(
  (key): key is TextKey => typeof EN[key] === 'string',
);
/** On buttons and beside amounts, where a second line would hide what is below. */
const SHORT: readonly TextKey[] = ['copy', 'copied', 'openWallet', 'showQr', 'change', 'stay', 'tryAgain'];

describe.each(LANGUAGES)('the texts in %s', (language) => {
  const texts = MESSAGES[language];

  test('are about as long as the English ones, and short on buttons', () => {
    const columns = (text: string) => Bun.stringWidth(text);
    expect(TEXTS.filter((key) => columns(texts[key]) > 1.8 * columns(EN[key]) + 14)).toEqual([]);
    expect(SHORT.filter((key) => columns(texts[key]) > 28)).toEqual([]);
  });

  test('break no line before a mark that stands apart, as in French', () => {
    const all = JSON.stringify(texts);
    expect(all.match(/\S+ [:;?!]/g) ?? []).toEqual([]);
    // a colon of a word beside a value, too
    expect(new Translator(language).colon).toMatch(language === 'fr' ? /^\u00a0:$/ : /^[:：]$/);
  });

  test('have no space at an end, no two in a row, and no straight quotation mark', () => {
    const all = Object.values<string | Plural>(texts).flatMap((text) =>
      typeof text === 'string' ? [text] : Object.values<string>(text),
    );
    expect(all.filter((text) => text === '' || text !== text.trim() || /\s\s|["']/.test(text))).toEqual([]);
  });
});
