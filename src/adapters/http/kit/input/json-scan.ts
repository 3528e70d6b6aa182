/**
 * Scans JSON text for what JSON.parse hides: how deep it nests, and whether an object repeats a
 * key.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The deepest nesting of arrays and objects. Counting ends above `limit`. Text that is not JSON
 * gives some number.
 */
export function nestingDepth(text: string, limit: number): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
      if (depth > limit) return depth;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return deepest;
}

type OpenContainer =
  | { readonly kind: 'object'; readonly keys: Set<string>; key: string; expectsKey: boolean }
  | { readonly kind: 'array'; index: number };

/** The path (`items.0.amount`) of the first repeated key in valid JSON. Null without one. */
export function firstRepeatedKey(text: string): string | null {
  const open: OpenContainer[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const current = open.at(-1);
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at);
        if (current?.kind === 'object' && current.expectsKey) {
          const key: string = JSON.parse(text.slice(at, end + 1));
          current.key = key;
          current.expectsKey = false;
          if (current.keys.has(key)) return pathOf(open);
          current.keys.add(key);
        }
        at = end;
        break;
      }
      case '{':
        open.push({ kind: 'object', keys: new Set(), key: '', expectsKey: true });
        break;
      case '[':
        open.push({ kind: 'array', index: 0 });
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        if (current?.kind === 'object') current.expectsKey = true;
        else if (current) current.index += 1;
        break;
      default:
    }
  }
  return null;
}

/** Index of the quote that closes the string opened at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  for (let at = quote - 1; text.charCodeAt(at) === BACKSLASH; at -= 1) backslashes += 1;
  return backslashes % 2 === 1;
}

function pathOf(open: readonly OpenContainer[]): string {
  return open.map((container) => (container.kind === 'object' ? container.key : container.index)).join('.');
}
