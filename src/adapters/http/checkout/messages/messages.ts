/** The texts of the checkout in every language. A language that lacks a key does not compile. */

import { DE } from './de.ts';
import { EN } from './en.ts';
import { ES } from './es.ts';
import { FR } from './fr.ts';
import type { Language } from './languages.ts';
import type { Messages } from './message-keys.ts';
import { PT } from './pt.ts';
import { RU } from './ru.ts';
import { TR } from './tr.ts';
import { ZH } from './zh.ts';

export const MESSAGES: Readonly<Record<Language, Messages>> = {
  en: EN,
  es: ES,
  de: DE,
  fr: FR,
  ru: RU,
  pt: PT,
  tr: TR,
  zh: ZH,
};
