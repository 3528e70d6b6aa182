/**
 * The language of a page: that of the switch, else the browser's preference, else the merchant's,
 * else English.
 */
import type { PageFrame } from '../view.ts';
import { LANGUAGES, type Language } from './languages.ts';

/** No browser sends a longer header. */
const MAX_HEADER_LENGTH = 1_000;
const PREFERENCE = /^([a-z]{1,8}(?:-[a-z0-9]{1,8})*|\*)(?:;q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;

/** The language of `?lang=xx` in the URL. Null when it is missing or unknown. */
export function switchedLanguage(url: string): Language | null {
  return known(new URL(url).searchParams.get('lang') ?? '');
}

/**
 * The language of the page that `Accept-Language` (RFC 9110, 12.5.4) gives the highest weight. At
 * equal weight the first one. Null if it names none of ours.
 */
export function preferredLanguage(header: string | null): Language | null {
  const weighted = (header ?? '').slice(0, MAX_HEADER_LENGTH).toLowerCase().split(',').flatMap(preference);
  const best = weighted.reduce<LanguagePreference | null>(
    (leader, next) => (next.weight > (leader?.weight ?? 0) ? next : leader),
    null,
  );
  return best?.language ?? null;
}

interface LanguagePreference {
  /** Null: any. */
  readonly language: Language | null;
  readonly weight: number;
}

function preference(part: string): readonly LanguagePreference[] {
  const [, tag = '', weight = '1'] = PREFERENCE.exec(part.replace(/\s/g, '')) ?? [];
  const language = spokenAs(tag);
  return language === null && tag !== '*' ? [] : [{ language, weight: Number(weight) }];
}

/**
 * Variants with texts of their own. Which regions and scripts they are for is read off likely
 * subtags (Unicode CLDR).
 */
function spokenAs(tag: string): Language | null {
  const [language = '', ...subtags] = tag.split('-');
  const has = (...wanted: string[]) => wanted.some((one) => subtags.includes(one));
  switch (language) {
    case 'zh':
      return has('hant') || (has('tw', 'hk', 'mo') && !has('hans')) ? 'zh-Hant' : 'zh';
    case 'es':
      return subtags.length === 0 || has('es', 'ea', 'ic', 'gq') ? 'es' : 'es-419';
    case 'pt':
      return subtags.length === 0 || has('br') ? 'pt' : 'pt-PT';
    default:
      return known(language);
  }
}

export function known(tag: string): Language | null {
  return LANGUAGES.find((language) => language === tag) ?? null;
}

/**
 * A page's frame in the language that the customer named, else in the merchant's once that is
 * known, else in English.
 */
export function frameIn(
  named: Language | null,
  inLanguage: (language: Language) => Omit<PageFrame, 'spokenBy'>,
): PageFrame {
  const spoken = (language: Language): PageFrame => ({
    ...inLanguage(language),
    spokenBy: (merchant) => spoken(named ?? known(merchant?.language ?? '') ?? 'en'),
  });
  return spoken(named ?? 'en');
}
