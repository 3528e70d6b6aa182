/**
 * The languages of the checkout, in the order of its switch, with their texts. A language that
 * lacks a key does not compile.
 */

import type { Messages } from './message-keys.ts';
import { AR } from './texts/ar.ts';
import { DE } from './texts/de.ts';
import { EN } from './texts/en.ts';
import { ES } from './texts/es.ts';
import { FA } from './texts/fa.ts';
import { FR } from './texts/fr.ts';
import { HI } from './texts/hi.ts';
import { ID } from './texts/id.ts';
import { IT } from './texts/it.ts';
import { JA } from './texts/ja.ts';
import { KO } from './texts/ko.ts';
import { NL } from './texts/nl.ts';
import { PL } from './texts/pl.ts';
import { PT } from './texts/pt.ts';
import { ES_419 } from './texts/regional/es-419.ts';
import { PT_PT } from './texts/regional/pt-pt.ts';
import { ZH_HANT } from './texts/regional/zh-hant.ts';
import { RU } from './texts/ru.ts';
import { TR } from './texts/tr.ts';
import { UK } from './texts/uk.ts';
import { VI } from './texts/vi.ts';
import { ZH } from './texts/zh.ts';

export const MESSAGES = {
  en: EN,
  ar: AR,
  de: DE,
  es: ES,
  'es-419': ES_419,
  fa: FA,
  fr: FR,
  hi: HI,
  id: ID,
  it: IT,
  ja: JA,
  ko: KO,
  nl: NL,
  pl: PL,
  pt: PT,
  'pt-PT': PT_PT,
  ru: RU,
  tr: TR,
  uk: UK,
  vi: VI,
  zh: ZH,
  'zh-Hant': ZH_HANT,
} as const satisfies Record<string, Messages>;

/** By its tag (BCP 47). */
export type Language = keyof typeof MESSAGES;
export const LANGUAGES = Object.keys(MESSAGES) as readonly Language[];

const RIGHT_TO_LEFT: ReadonlySet<Language> = new Set(['ar', 'fa']);

export function directionOf(language: Language): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
}

/**
 * The locale of its numbers and dates. Digits are those of ASCII in every language: wallets take no
 * others.
 */
export function localeOf(language: Language): string {
  return `${language}-u-nu-latn`;
}
