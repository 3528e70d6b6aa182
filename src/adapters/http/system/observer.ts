/** What every request gets: a request id, a log line and its metrics. */
import type { Logger } from '../../../ports/runtime/logger.ts';
import { networkOf } from '../kit/caller-ip.ts';
import type { HandledRequest } from '../kit/pipeline.ts';
import type { RefusalLog } from '../kit/refusal-log.ts';
import type { HttpMetrics } from './metrics.ts';

export interface Observer {
  readonly ids: { uuid(): string };
  readonly logger: Logger;
  readonly metrics: HttpMetrics;
  readonly refusals: RefusalLog;
  /** The caller's address behind trusted proxies; null when it is unknown. */
  callerIp(request: Request): string | null;
}

const REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/;
const KNOWN_METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

/**
 * Runs a request under its own `x-request-id`, or a new one, and records it under `route`. A 429
 * has no log line of its own: the refusal log sums them up.
 */
export async function observed(
  observer: Observer,
  request: Request,
  route: string,
  run: (requestId: string) => Promise<HandledRequest>,
): Promise<Response> {
  const startedAt = performance.now();
  const given = request.headers.get('x-request-id');
  const requestId = given !== null && REQUEST_ID.test(given) ? given : observer.ids.uuid();
  const { response, merchantId } = await run(requestId);
  const durationMs = performance.now() - startedAt;
  const { method } = request;
  const { status } = response;
  observer.metrics.observe({
    method: KNOWN_METHODS.has(method) ? method : 'other',
    route,
    status,
    durationMs,
  });
  if (status === 429) {
    observer.refusals.count(merchantId ?? networkOf(observer.callerIp(request)));
    return response;
  }
  observer.logger.info('http.request', {
    method,
    route,
    status,
    duration_ms: Math.round(durationMs * 1000) / 1000,
    merchant_id: merchantId,
    request_id: requestId,
  });
  return response;
}

/** Logs a bug with its stack. */
export function logBug({ logger }: Pick<Observer, 'logger'>, thrown: unknown, requestId: string): void {
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  logger.error('http.request_failed', { request_id: requestId, error: stack });
}
