/** What a language has to say: a text per key, or one per plural form (CLDR) where a number decides. `{name}` is filled in. */
import type { EN } from './en.ts';

export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

type English = typeof EN;
export type PluralKey = {
  [Key in keyof English]: English[Key] extends string ? never : Key;
}[keyof English];
export type TextKey = Exclude<keyof English, PluralKey>;

export type Messages = Readonly<Record<TextKey, string> & Record<PluralKey, Plural>>;
