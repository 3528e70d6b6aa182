/** Shorthands of the webhook transport's tests. */
import {
  type PinnedTransportOptions,
  pinnedWebhookTransport,
} from '../../../src/adapters/webhooks/pinned-transport.ts';
import type { WebhookOutcome } from '../../../src/ports/webhooks/webhook-transport.ts';

/** Short limits, so that a test of a time-out is short too. */
export const SHORT = { dnsMs: 200, connectMs: 400, totalMs: 600 };

export const HELLO = new TextEncoder().encode('{"hello":"wörld"}');

/**
 * One attempt with the settings of a developer's machine: `127.0.0.1` and `merchant.test` (resolved
 * to it) are allowed.
 */
export function post(
  url: string,
  options: Partial<PinnedTransportOptions> = {},
  headers: Readonly<Record<string, string>> = { 'Content-Type': 'application/json' },
): Promise<WebhookOutcome> {
  const transport = pinnedWebhookTransport({
    allowedHosts: ['127.0.0.1', 'merchant.test'],
    localAddress: null,
    proxy: null,
    resolve: async () => ['127.0.0.1'],
    ...options,
  });
  return transport.post({ url, body: HELLO, headers });
}
