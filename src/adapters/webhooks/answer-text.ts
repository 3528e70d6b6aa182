/**
 * The stored part of a receiver's response: text that PostgreSQL stores and a page shows, for any
 * bytes.
 */

export const ANSWER_BYTES_MAX = 64 * 1024;
const CHARACTERS_MAX = 500;

/**
 * The first 500 characters (code points) of a UTF-8 response, without NUL. Invalid bytes become
 * U+FFFD, so there are no lone surrogates; a character that is cut at the end is left out.
 */
export function answerText(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('utf-8');
  let text = '';
  for (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return Array.from(text.replaceAll('\0', '').slice(0, 2 * CHARACTERS_MAX))
    .slice(0, CHARACTERS_MAX)
    .join('');
}
