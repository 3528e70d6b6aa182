/** Formats of numbers and times. Making one takes longer than its uses on a page: they are kept. */
import { boundedMap } from '../../../../domain/bounded-map.ts';

const KEPT = 256;

export const numberFormat = kept(
  (locale, options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options),
);
export const timeFormat = kept(
  (locale, options?: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
);
export const pluralRules = kept((locale) => new Intl.PluralRules(locale));

function kept<Options, Format>(make: (locale: string, options?: Options) => Format) {
  const formats = boundedMap<string, Format>(KEPT);
  return (locale: string, options?: Options): Format => {
    const key = `${locale} ${JSON.stringify(options)}`;
    const format = formats.get(key) ?? make(locale, options);
    formats.set(key, format);
    return format;
  };
}
