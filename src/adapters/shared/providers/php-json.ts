/** JSON as PHP writes it: receivers of some providers decode a body and encode it again before they check its signature. */

/**
 * What PHP's json_encode with JSON_UNESCAPED_UNICODE writes: `/` and the two line separators of Unicode escaped, other letters
 * as they are. The value must hold no numbers and no empty objects: PHP prints floats its own way and reads `{}` as a list.
 */
export function phpJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/** Whether PHP's json_encode writes the text as JSON.stringify does, whatever its flags: ASCII without `/`. */
export function isPlainToPhp(text: string): boolean {
  return !/[/\u0080-\uffff]/.test(text);
}

/** Whether PHP and JavaScript both print a JSON number as it stands here after they read it: no exponent, no digit lost. */
export function isPlainNumberToPhp(text: string): boolean {
  if (String(Number(text)) !== text) return false;
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  return whole.length <= 15 && (whole !== '0' || !fraction.startsWith('0000'));
}
