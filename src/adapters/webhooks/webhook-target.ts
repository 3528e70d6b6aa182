/**
 * Parses a webhook URL into the parts of a connection, in the one spelling that every later step
 * uses.
 */
import { isIP } from 'node:net';
import { checkWebhookUrl, destinationOf } from '../../domain/webhooks/webhook-url.ts';

export interface WebhookTarget {
  /** The destination of a connection (destinationOf in domain/webhooks/webhook-url.ts). */
  readonly destination: string;
  readonly secure: boolean;
  /** Lower-case name without a trailing dot, or an IP literal without brackets. */
  readonly host: string;
  readonly isLiteral: boolean;
  readonly port: number;
  /**
   * Value of the Host header: brackets for IPv6, the port only if it is not the scheme's default.
   */
  readonly hostHeader: string;
  /** Path and query of the request line. */
  readonly path: string;
}

/** The target, or the reason why `url` is refused. */
export function readTarget(url: string): WebhookTarget | { readonly refusal: string } {
  const fault = checkWebhookUrl(url);
  if (fault !== null) return { refusal: fault };
  const parsed = new URL(url);
  const secure = parsed.protocol === 'https:';
  const host = canonicalHost(parsed.hostname);
  if (host === '') return { refusal: 'the URL has no host' };
  const defaultPort = secure ? 443 : 80;
  const port = parsed.port === '' ? defaultPort : Number(parsed.port);
  const bracketed = isIP(host) === 6 ? `[${host}]` : host;
  return {
    destination: destinationOf(url),
    secure,
    host,
    isLiteral: isIP(host) !== 0,
    port,
    hostHeader: port === defaultPort ? bracketed : `${bracketed}:${port}`,
    path: parsed.pathname + parsed.search,
  };
}

/**
 * @param hostname the `hostname` of a URL: already lower case, punycode, and with any odd IPv4
 * notation resolved
 */
export function canonicalHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}
