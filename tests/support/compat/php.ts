/**
 * PHP's json_encode of what json_decode gave, as receivers in PHP do before they check a signature.
 * Written apart from ours.
 */

export interface PhpFlags {
  readonly unescapedSlashes?: boolean;
  readonly unescapedUnicode?: boolean;
}

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

export function phpEncode(value: unknown, flags: PhpFlags = {}): string {
  if (typeof value === 'string')
    return `"${Array.from(value, (letter) => phpLetter(letter, flags)).join('')}"`;
  if (typeof value === 'number') return phpNumber(value);
  if (Array.isArray(value)) return `[${value.map((item) => phpEncode(item, flags)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return '[]';
  return `{${entries.map(([key, inner]) => `${phpEncode(key, flags)}:${phpEncode(inner, flags)}`).join(',')}}`;
}

function phpLetter(letter: string, { unescapedSlashes, unescapedUnicode }: PhpFlags): string {
  const short = SHORT[letter];
  if (short !== undefined) return short;
  if (letter === '/') return unescapedSlashes ? '/' : '\\/';
  const code = letter.codePointAt(0) ?? 0;
  if (code < 0x20) return escaped(letter);
  if (code < 0x80) return letter;
  return unescapedUnicode && code !== 0x2028 && code !== 0x2029 ? letter : escaped(letter);
}

function escaped(letter: string): string {
  return [...Array(letter.length).keys()]
    .map((at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

/**
 * As with serialize_precision -1: the shortest digits, with an exponent below 1e-4 and from 1e17
 * on.
 */
function phpNumber(value: number): string {
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-4 && size < 1e17)) return String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${digits.includes('.') ? digits : `${digits}.0`}e${exponent}`;
}
