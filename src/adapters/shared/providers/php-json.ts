/**
 * JSON in PHP's encoding: receivers of some providers decode a body and encode it again before they
 * check its signature.
 */

/**
 * The output of PHP's json_encode with JSON_UNESCAPED_UNICODE: it escapes `/` and Unicode's two
 * line separators, and no other letters. The value must contain no numbers and no empty objects:
 * PHP prints floats differently and reads `{}` as a list.
 */
export function phpJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/**
 * Whether PHP's json_encode encodes the text like JSON.stringify, with any flags: ASCII without
 * `/`.
 */
export function isPlainToPhp(text: string): boolean {
  return !/[/\u0080-\uffff]/.test(text);
}

/**
 * Whether PHP and JavaScript both print a JSON number unchanged after reading it: no exponent, no
 * lost digit.
 */
export function isPlainNumberToPhp(text: string): boolean {
  if (String(Number(text)) !== text) return false;
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  return whole.length <= 15 && (whole !== '0' || !fraction.startsWith('0000'));
}
