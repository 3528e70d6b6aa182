/**
 * The languages of the checkout, in the order of its switch, with their texts. A language that
 * lacks a key does not compile.
 */

import { DE } from './de.ts';
import { EN } from './en.ts';
import { ES } from './es.ts';
import { FR } from './fr.ts';
import type { Messages } from './message-keys.ts';
import { PT } from './pt.ts';
import { RU } from './ru.ts';
import { TR } from './tr.ts';
import { ZH } from './zh.ts';

export const MESSAGES = {
  en: EN,
  es: ES,
  de: DE,
  fr: FR,
  ru: RU,
  pt: PT,
  tr: TR,
  zh: ZH,
} as const satisfies Record<string, Messages>;

/** By its ISO 639-1 code. */
export type Language = keyof typeof MESSAGES;
export const LANGUAGES = Object.keys(MESSAGES) as readonly Language[];
