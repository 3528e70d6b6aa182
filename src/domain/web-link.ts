/** Which URLs a page may link to, and a browser may be sent to. */

/**
 * A link that the customer's browser follows: an absolute http(s) URL without spaces or backslashes
 * (safety.md, "Hostile input").
 */
export function isWebLink(url: string): boolean {
  if (!/^https?:\/\/[^/]/i.test(url) || /[\s\\]/.test(url)) return false;
  const parsed = URL.parse(url);
  return parsed !== null && (parsed.protocol === 'https:' || parsed.protocol === 'http:');
}
