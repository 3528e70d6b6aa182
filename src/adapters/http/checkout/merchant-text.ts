/**
 * Isolates texts that merchants write: a right-to-left text does not reorder the words around it
 * (Unicode UAX 9, "Explicit Directional Formatting Characters").
 */
import { html, type Markup } from './page/html.ts';

/**
 * Embeddings, overrides and isolates. A text of one line needs none. An unclosed one reaches beyond
 * it.
 */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;
const [FIRST_STRONG_ISOLATE, POP_ISOLATE] = ['\u2068', '\u2069'];

/** For HTML. */
export function merchantText(text: string): Markup {
  return html`<bdi>${text.replace(DIRECTIONS, '')}</bdi>`;
}

/** For plain text, such as the title of a tab. */
export function merchantCharacters(text: string): string {
  return `${FIRST_STRONG_ISOLATE}${text.replace(DIRECTIONS, '')}${POP_ISOLATE}`;
}
