/**
 * The webhook transport: it resolves the name once, checks every address, and connects to a checked
 * one or reuses a connection to one. It never follows redirects, ignores the environment's proxy
 * settings, and ends every attempt within its time limit. A connection is kept only after a whole
 * response.
 */
import type {
  WebhookOutcome,
  WebhookRequest,
  WebhookTransport,
} from '../../ports/webhooks/webhook-transport.ts';
import { allowedHosts } from './allowed-hosts.ts';
import { checkedAddresses, type Resolve, systemResolve } from './checked-addresses.ts';
import { type Connection, connectionOver } from './connection.ts';
import { readProxy } from './egress-proxy.ts';
import { exchange } from './exchange.ts';
import { AttemptFailure } from './failure.ts';
import { idleConnections } from './idle-connections.ts';
import { openConnection } from './open-connection.ts';
import { readTarget, type WebhookTarget } from './webhook-target.ts';

export interface PinnedTransportOptions {
  /**
   * WEBHOOK_ALLOWED_HOSTS: names or IP literals (each with an optional `:port`) that may resolve to
   * loopback or private addresses.
   */
  readonly allowedHosts: readonly string[];
  /** Source address of the connections, or null. */
  readonly localAddress: string | null;
  /** WEBHOOK_PROXY: `http://user:password@host:port`, or null. */
  readonly proxy: string | null;
  readonly resolve?: Resolve;
  /** Most connections that are kept for the next webhook; default 256. */
  readonly idleMost?: number;
  /**
   * Milliseconds; defaults 5,000 for name resolution, 5,000 for the connection with TLS, 15,000 for
   * the whole attempt.
   */
  readonly timeouts?: { readonly dnsMs?: number; readonly connectMs?: number; readonly totalMs?: number };
  /** Certificate authorities (PEM) to trust instead of the system's. */
  readonly ca?: string | string[];
}

export interface PinnedTransport extends WebhookTransport {
  /** Closes the waiting connections; none is kept from then on. */
  close(): void;
}

/**
 * Waiting connections: the limit in total (half of them per destination), and how long one is used.
 */
const IDLE_MOST = 256;
const IDLE_AGE_MS = 300_000;

/** Throws if an allowed host or the proxy is malformed: an error in the operator's settings. */
export function pinnedWebhookTransport(options: PinnedTransportOptions): PinnedTransport {
  const allowed = allowedHosts(options.allowedHosts);
  const proxy = options.proxy === null ? null : readProxy(options.proxy);
  const resolve = options.resolve ?? systemResolve;
  const { dnsMs = 5_000, connectMs = 5_000, totalMs = 15_000 } = options.timeouts ?? {};
  const { localAddress, ca } = options;

  const idleMost = options.idleMost ?? IDLE_MOST;
  const idle = idleConnections({
    perDestination: Math.ceil(idleMost / 2),
    inAll: idleMost,
    ageMs: IDLE_AGE_MS,
  });

  async function attemptOnce(request: WebhookRequest, attempt: AbortSignal): Promise<WebhookOutcome> {
    const target = readTarget(request.url);
    if ('refusal' in target) return { kind: 'refused', reason: target.refusal };
    const checked = await checkedAddresses(target, { allowed, resolve, dnsMs, attempt });
    if ('refusal' in checked) return { kind: 'refused', reason: checked.refusal };
    const kept = idle.take(target.destination, checked.addresses);
    if (kept !== null) {
      try {
        return await over(kept, target, request, attempt);
      } catch (error) {
        // The receiver had closed it meanwhile: the request is sent again over a new connection.
        if (kept.hasSpoken() || attempt.aborted) throw error;
      }
    }
    const [address] = checked.addresses;
    const route = { target, address, proxy, localAddress, ca };
    const socket = await openConnection(route, { connectMs, attempt });
    return over(connectionOver(socket, address), target, request, attempt);
  }

  async function over(
    connection: Connection,
    target: WebhookTarget,
    request: WebhookRequest,
    attempt: AbortSignal,
  ): Promise<WebhookOutcome> {
    try {
      const { status, body, reusableMs } = await exchange(connection, target, request, attempt);
      idle.put(target.destination, connection, reusableMs);
      return { kind: 'answered', status, body };
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  return {
    async post(request) {
      const attempt = new AbortController();
      const timer = setTimeout(() => attempt.abort(), totalMs);
      try {
        return await attemptOnce(request, attempt.signal);
      } catch (error) {
        if (error instanceof AttemptFailure)
          return { kind: error.isOurs ? 'unsent' : 'failed', reason: error.message };
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => idle.close(),
  };
}
