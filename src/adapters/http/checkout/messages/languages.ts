/** Which language a customer reads: what the switch chose, else what the browser prefers, else English. */

export const LANGUAGES = ['en', 'es', 'de', 'fr', 'ru', 'pt', 'tr', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

/** As their readers write them. */
export const NATIVE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  es: 'Español',
  de: 'Deutsch',
  fr: 'Français',
  ru: 'Русский',
  pt: 'Português',
  tr: 'Türkçe',
  zh: '中文',
};

/** A longer header is no browser's. */
const MAX_HEADER_LENGTH = 1_000;
const PREFERENCE = /^([a-z]{1,8}|\*)(?:-[a-z0-9-]*)?(?:;q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;

/** `?lang=xx` of the address, where the switch put it; null when it is missing or not ours. */
export function switchedLanguage(url: string): Language | null {
  return known(new URL(url).searchParams.get('lang') ?? '');
}

/** The best of `Accept-Language` (RFC 9110, 12.5.4) that we speak, by its first subtag; at equal weight the one named first. */
export function preferredLanguage(header: string | null): Language {
  const weighted = (header ?? '').slice(0, MAX_HEADER_LENGTH).toLowerCase().split(',').flatMap(preference);
  const best = weighted.reduce<Preference | null>(
    (leader, next) => (next.weight > (leader?.weight ?? 0) ? next : leader),
    null,
  );
  return best?.language ?? 'en';
}

interface Preference {
  readonly language: Language;
  readonly weight: number;
}

function preference(part: string): readonly Preference[] {
  const [, tag = '', weight = '1'] = PREFERENCE.exec(part.replace(/\s/g, '')) ?? [];
  const language = tag === '*' ? 'en' : known(tag);
  return language === null ? [] : [{ language, weight: Number(weight) }];
}

export function known(tag: string): Language | null {
  return LANGUAGES.find((language) => language === tag) ?? null;
}
