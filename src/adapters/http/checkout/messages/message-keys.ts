/**
 * What a language contains: for each key a text, or one text per plural form (CLDR). `{name}` is a
 * placeholder.
 */
import type { EN } from './texts/en.ts';

export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

type English = typeof EN;
export type PluralKey = {
  [Key in keyof English]: English[Key] extends string ? never : Key;
}[keyof English];
export type TextKey = Exclude<keyof English, PluralKey>;

export type Messages = Readonly<Record<TextKey, string> & Record<PluralKey, Plural>>;
