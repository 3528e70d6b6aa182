/**
 * Which texts are acceptable as a webhook URL. Where the host leads is another question: the
 * transport asks it at every attempt.
 */

export const WEBHOOK_URL_LENGTH_MAX = 500;

/**
 * Null when `url` is acceptable, else the reason in words for the merchant (specification,
 * "Delivery" 4; decisions, "Bounds").
 */
export function checkWebhookUrl(url: string): string | null {
  if (url.length > WEBHOOK_URL_LENGTH_MAX)
    return `the URL is longer than ${WEBHOOK_URL_LENGTH_MAX} characters`;
  // The URL class repairs all of these without a word, so two readers could see two different
  // hosts.
  if (hasControlOrSpace(url)) return 'the URL contains a space or a control character';
  if (url.includes('\\')) return 'the URL contains a backslash';
  if (!url.isWellFormed()) return 'the URL contains an invalid character';
  const authority = /^https?:\/\/([^/?#]+)/i.exec(url)?.[1];
  if (authority === undefined) return 'the URL must start with http:// or https:// and a host';
  if (authority.includes('@')) return 'the URL must not contain a user name or password';
  if (!URL.canParse(url)) return 'the URL is malformed';
  if (new URL(url).port === '0') return 'the URL has port 0';
  return null;
}

/** Where nobody can say where a delivery goes to. */
const UNKNOWN_DESTINATION = '-';

/**
 * Scheme, host and port of a webhook URL in one spelling: deliveries to one destination share their
 * bounds and its circuit, whoever's they are (safety W1). Never throws; what is no URL goes
 * nowhere.
 */
export function destinationOf(url: string): string {
  if (!URL.canParse(url)) return UNKNOWN_DESTINATION;
  const { protocol, hostname, port } = new URL(url);
  return `${protocol}//${hostname.replace(/\.$/, '')}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

function hasControlOrSpace(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code <= 0x20 || (code >= 0x7f && code <= 0xa0)) return true;
  }
  return false;
}
