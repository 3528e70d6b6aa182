/**
 * Texts that merchants write, shown so that they stay within themselves: a text that reads from right to left turns none of
 * our words around (Unicode UAX 9, "Explicit Directional Formatting Characters").
 */
import { html, type Markup } from './page/html.ts';

/** Embeddings, overrides and isolates: a text of one line needs none of them, and an unclosed one reaches beyond it. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;
const [FIRST_STRONG_ISOLATE, POP_ISOLATE] = ['\u2068', '\u2069'];

/** Where markup is read. */
export function merchantText(text: string): Markup {
  return html`<bdi>${text.replace(DIRECTIONS, '')}</bdi>`;
}

/** Where only characters are read, as in the title of a tab. */
export function merchantCharacters(text: string): string {
  return `${FIRST_STRONG_ISOLATE}${text.replace(DIRECTIONS, '')}${POP_ISOLATE}`;
}
