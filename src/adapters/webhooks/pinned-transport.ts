/**
 * The webhook transport: resolve once, check every address, connect to the checked one. Redirects are never followed, the
 * environment's proxy settings are not obeyed, and every attempt ends within its time limit with its sockets closed.
 */
import type { WebhookOutcome, WebhookRequest, WebhookTransport } from '../../ports/webhook-transport.ts';
import { allowedHosts } from './allowed-hosts.ts';
import { readProxy } from './egress-proxy.ts';
import { exchange } from './exchange.ts';
import { AttemptFailure } from './failure.ts';
import { openConnection } from './open-connection.ts';
import { pickAddress, type Resolve, systemResolve } from './pick-address.ts';
import { readTarget } from './webhook-target.ts';

export interface PinnedTransportOptions {
  /** WEBHOOK_ALLOWED_HOSTS: names or IP literals (each with an optional `:port`) that may be loopback or private. */
  readonly allowedHosts: readonly string[];
  /** Source address of the connections, or null. */
  readonly localAddress: string | null;
  /** WEBHOOK_PROXY: `http://user:password@host:port`, or null. */
  readonly proxy: string | null;
  readonly resolve?: Resolve;
  /** Milliseconds; defaults 5,000 for name resolution, 5,000 for the connection with TLS, 15,000 for the whole attempt. */
  readonly timeouts?: { readonly dnsMs?: number; readonly connectMs?: number; readonly totalMs?: number };
  /** Certificate authorities (PEM) to trust instead of the system's. */
  readonly ca?: string | string[];
}

/** Throws when an allowed host or the proxy is not written as described: a fault of the deployer's settings. */
export function pinnedWebhookTransport(options: PinnedTransportOptions): WebhookTransport {
  const allowed = allowedHosts(options.allowedHosts);
  const proxy = options.proxy === null ? null : readProxy(options.proxy);
  const resolve = options.resolve ?? systemResolve;
  const { dnsMs = 5_000, connectMs = 5_000, totalMs = 15_000 } = options.timeouts ?? {};
  const { localAddress, ca } = options;

  async function attemptOnce(request: WebhookRequest, attempt: AbortSignal): Promise<WebhookOutcome> {
    const target = readTarget(request.url);
    if ('refusal' in target) return { kind: 'refused', reason: target.refusal };
    const picked = await pickAddress(target, { allowed, resolve, dnsMs, attempt });
    if ('refusal' in picked) return { kind: 'refused', reason: picked.refusal };
    const route = { target, address: picked.address, proxy, localAddress, ca };
    const socket = await openConnection(route, { connectMs, attempt });
    try {
      return { kind: 'answered', ...(await exchange(socket, target, request, attempt)) };
    } finally {
      socket.destroy();
    }
  }

  return {
    async post(request) {
      const attempt = new AbortController();
      const timer = setTimeout(() => attempt.abort(), totalMs);
      try {
        return await attemptOnce(request, attempt.signal);
      } catch (error) {
        if (error instanceof AttemptFailure) return { kind: 'failed', reason: error.message };
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
