/**
 * The texts of one language, with its formats of numbers and times. Amounts enter Intl as exact
 * decimal strings, never as floats. The results are markup: every value in them is escaped.
 */
import type { Asset } from '../../../../domain/catalog/asset.ts';
import { shownSymbol } from '../../../../domain/catalog/coins.ts';
import { FIAT_DECIMALS, type FiatCurrency, minorDecimals } from '../../../../domain/catalog/fiat.ts';
import { formatUnits } from '../../../../domain/money/decimal.ts';
import { html, Markup } from '../page/html.ts';
import { numberFormat, pluralRules, timeFormat } from './formats.ts';
import { directionOf, type Language, localeOf, MESSAGES } from './languages.ts';
import type { Plural, PluralKey, TextKey } from './message-keys.ts';

const COLONS: Partial<Readonly<Record<Language, string>>> = {
  fr: '\u00a0:',
  ...{ ja: '：', zh: '：', 'zh-Hant': '：' },
};

const [LEFT_TO_RIGHT_ISOLATE, POP_ISOLATE] = ['\u2066', '\u2069'];
/** Marks and isolates that numbers of such a language have of their own. */
const MARKS = /[\u061c\u200e\u200f\u2066\u2069]/g;

type MessageValues = Readonly<Record<string, string | Markup>>;

export class Translator {
  readonly language: Language;
  /** Between a word and its value. */
  readonly colon: string;
  readonly #locale: string;

  constructor(language: Language) {
    this.language = language;
    this.#locale = localeOf(language);
    this.colon = COLONS[language] ?? ':';
  }

  say(key: TextKey, values?: MessageValues): Markup {
    const text = MESSAGES[this.language][key];
    return values === undefined ? written(text) : filled(text, values);
  }

  /** A text without placeholders, for what is no markup. */
  plain(key: TextKey): string {
    return MESSAGES[this.language][key];
  }

  /** For what is no markup: nothing is escaped. */
  text(key: TextKey, values: Readonly<Record<string, string>>): string {
    return MESSAGES[this.language][key].replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  }

  /** The plural form for `count`. `{n}` is the count unless `values` has another. */
  count(key: PluralKey, count: number, values: MessageValues = {}): Markup {
    const forms: Plural = MESSAGES[this.language][key];
    const form = forms[pluralRules(this.#locale).select(count)] ?? forms.other;
    return filled(form, { n: this.whole(count), ...values });
  }

  whole(count: number): string {
    return numberFormat(this.#locale).format(count);
  }

  /**
   * With every digit, ungrouped: a group separator is the decimal point of another language. Reads
   * from the left.
   */
  amount(units: bigint, asset: Pick<Asset, 'decimals' | 'symbol'>): string {
    return this.fromLeft(this.bareAmount(units, asset));
  }

  /** For an element that reads from the left: what a customer selects is the amount alone. */
  bareAmount(units: bigint, { decimals, symbol }: Pick<Asset, 'decimals' | 'symbol'>): string {
    const format = numberFormat(this.#locale, {
      useGrouping: false,
      maximumFractionDigits: decimals,
    });
    return `${format.format(exact(formatUnits(units, decimals)))} ${shownSymbol(symbol)}`;
  }

  /** `micros`: millionths of the currency. The text has the digits of its minor unit. */
  fiat(micros: bigint, currency: FiatCurrency): string {
    const digits = minorDecimals(currency);
    const format = numberFormat(this.#locale, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    return this.fromLeft(format.format(exact(formatUnits(micros, FIAT_DECIMALS))));
  }

  /**
   * A price of one coin, `scaled` by 10^`decimals`: with the digits of the currency's minor unit,
   * or five significant ones if that is more.
   */
  rate(scaled: bigint, decimals: number, currency: FiatCurrency): string {
    const digits = minorDecimals(currency);
    const leading = scaled.toString().length - decimals;
    const format = numberFormat(this.#locale, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: Math.max(digits, Math.min(decimals, 5 - leading)),
    });
    return this.fromLeft(format.format(exact(formatUnits(scaled, decimals))));
  }

  percent(whole: bigint): string {
    const format = numberFormat(this.#locale, { style: 'percent' });
    return this.fromLeft(format.format(exact(formatUnits(whole, 2))));
  }

  /**
   * Isolates a text that reads from the left. Without that its parts change places in a line that
   * reads from the right: "USDT 30" for "30 USDT".
   */
  fromLeft(text: string): string {
    if (directionOf(this.language) === 'ltr') return text;
    return `${LEFT_TO_RIGHT_ISOLATE}${text.replace(MARKS, '')}${POP_ISOLATE}`;
  }

  /** In UTC, and marked as UTC. The page's script converts it to the reader's zone. */
  time(at: Date): string {
    const format = timeFormat(this.#locale, {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: 'UTC',
    });
    return `${format.format(at)} UTC`;
  }

  seconds(count: number): string {
    return numberFormat(this.#locale, {
      style: 'unit',
      unit: 'second',
      unitDisplay: 'short',
    }).format(count);
  }
}

/** Intl reads a decimal string exactly. The cast is for TypeScript. */
function exact(decimal: string): Intl.StringNumericLiteral {
  return decimal as Intl.StringNumericLiteral;
}

/** Messages without values, which are the most on a page: as many as there are texts. */
const kept = new Map<string, Markup>();

function written(text: string): Markup {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const markup = filled(text, {});
  kept.set(text, markup);
  return markup;
}

/** Puts each value in the place of its name. A test finds a name without a value. */
function filled(text: string, values: MessageValues): Markup {
  const parts = text.split(/\{(\w+)\}/);
  return new Markup(
    parts.map((part, index) => html`${index % 2 === 0 ? part : (values[part] ?? '')}`.text).join(''),
  );
}
