/**
 * Speaks to the customer: the texts of one language, numbers and times as its readers write them. Amounts enter Intl as exact
 * decimal texts, never as floats. What it says is markup already: every value in it is escaped.
 */
import type { Asset } from '../../../../domain/catalog/asset.ts';
import { shownSymbol } from '../../../../domain/catalog/coins.ts';
import { FIAT_DECIMALS, type FiatCurrency, minorDecimals } from '../../../../domain/catalog/fiat.ts';
import { formatUnits } from '../../../../domain/money/decimal.ts';
import { html, Markup } from '../page/html.ts';
import type { Language } from './languages.ts';
import type { Plural, PluralKey, TextKey } from './message-keys.ts';
import { MESSAGES } from './messages.ts';

type Values = Readonly<Record<string, string | Markup>>;

export class Translator {
  readonly language: Language;

  constructor(language: Language) {
    this.language = language;
  }

  say(key: TextKey, values: Values = {}): Markup {
    return filled(MESSAGES[this.language][key], values);
  }

  /** The form that `count` asks for. `{n}` is the count unless `values` has another. */
  count(key: PluralKey, count: number, values: Values = {}): Markup {
    const forms: Plural = MESSAGES[this.language][key];
    const form = forms[new Intl.PluralRules(this.language).select(count)] ?? forms.other;
    return filled(form, { n: this.whole(count), ...values });
  }

  whole(count: number): string {
    return new Intl.NumberFormat(this.language).format(count);
  }

  /** With every digit, and without groups, whose separators are other languages' decimal points. */
  amount(units: bigint, { decimals, symbol }: Pick<Asset, 'decimals' | 'symbol'>): string {
    const format = new Intl.NumberFormat(this.language, {
      useGrouping: false,
      maximumFractionDigits: decimals,
    });
    return `${format.format(exact(formatUnits(units, decimals)))} ${shownSymbol(symbol)}`;
  }

  /** `micros` of the currency, which has no finer part than its minor unit. */
  fiat(micros: bigint, currency: FiatCurrency): string {
    const digits = minorDecimals(currency);
    return new Intl.NumberFormat(this.language, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(exact(formatUnits(micros, FIAT_DECIMALS)));
  }

  /** In UTC, and says so: the page's script knows the reader's own zone. */
  time(at: Date): string {
    const format = new Intl.DateTimeFormat(this.language, {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: 'UTC',
    });
    return `${format.format(at)} UTC`;
  }

  seconds(count: number): string {
    return new Intl.NumberFormat(this.language, {
      style: 'unit',
      unit: 'second',
      unitDisplay: 'short',
    }).format(count);
  }
}

/** Intl reads a decimal text exactly; TypeScript wants to know that it is one. */
function exact(decimal: string): Intl.StringNumericLiteral {
  return decimal as Intl.StringNumericLiteral;
}

/** A value goes where its name stands; a name without a value is a bug that a test of the languages finds. */
function filled(text: string, values: Values): Markup {
  const parts = text.split(/\{(\w+)\}/);
  return new Markup(
    parts.map((part, index) => html`${index % 2 === 0 ? part : (values[part] ?? '')}`.text).join(''),
  );
}
