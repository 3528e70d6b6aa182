/** The HTTP server: every endpoint behind one observer that gives it a request id, a log line and its metrics. */
import { Elysia } from 'elysia';
import type { Application } from '../../app/application.ts';
import type { Clock } from '../../ports/runtime/clock.ts';
import type { Logger } from '../../ports/runtime/logger.ts';
import { API_PREFIX, API_ROUTES } from './api.ts';
import { pageAssets } from './checkout/assets.ts';
import type { CheckoutSources } from './checkout/data.ts';
import type { LiveLimits } from './checkout/live/live.ts';
import { type LivePace, liveHub } from './checkout/live/live-hub.ts';
import { checkoutRoutes } from './checkout/routes.ts';
import { CompatPipeline } from './compat/compat-pipeline.ts';
import { SURFACES } from './compat/surfaces.ts';
import { CallerIp, networkOf } from './kit/caller-ip.ts';
import { errorOf } from './kit/errors.ts';
import { KeyGate } from './kit/key-gate.ts';
import { listenOn } from './kit/listen.ts';
import { matchPath, type PathParams, pathOf } from './kit/path.ts';
import { type Handled, Pipeline, unknownPath } from './kit/pipeline.ts';
import { noCors, refused } from './kit/refusal.ts';
import { RefusalLog } from './kit/refusal-log.ts';
import type { PublicRoute, Route } from './kit/route.ts';
import { docsRoutes } from './openapi/docs.ts';
import { openApiDocument } from './openapi/document.ts';
import { frontPage } from './system/front-page.ts';
import { HttpMetrics, type MetricSources } from './system/metrics.ts';
import { type Readiness, systemRoutes } from './system/system.ts';

export interface HttpConfig {
  /** Public address of the API, without a trailing slash. */
  readonly baseUrl: string;
  readonly checkoutUrl: string;
  /** Addresses or CIDRs whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Per key, and per address for requests without one; 0 switches the limit off. */
  readonly rateLimitPerMinute: number;
  readonly version: string;
}

export interface HttpDependencies {
  readonly application: Application;
  readonly config: HttpConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ids: { uuid(): string };
  readonly health: { ready(): Promise<Readiness> };
  readonly metrics: Pick<MetricSources, 'operator' | 'reconciliation' | 'chains' | 'webhooks'>;
  /** `operations` leaves health, readiness and metrics only: what a worker answers. Default: everything. */
  readonly serves?: 'everything' | 'operations';
  /** What the checkout tells about an invoice besides the use cases. */
  readonly checkout?: Partial<CheckoutSources>;
  /** Further endpoints, for the control of a fake chain. */
  readonly testRoutes?: readonly PublicRoute[];
  /** Other bounds and pace of the checkout's streams than the usual ones. */
  readonly live?: Partial<LiveLimits & LivePace>;
  /** Overrides the socket's address where requests come without a socket. */
  readonly socketAddress?: (request: Request) => string | null;
}

export interface HttpServer {
  readonly app: Elysia;
  /** Answers one request without a socket. */
  handle(request: Request): Promise<Response>;
  /** Port 0 takes a free one. Without a host: all addresses of this machine, IPv4 and IPv6. Throws when the port is taken. */
  listen(port: number, host?: string | null): { readonly port: number };
  /** Lets the front page link to a sandbox checkout. */
  showDemo(url: string): void;
  /** Takes no new connections, and waits until the requests in flight are answered, for at most `graceMs`. */
  stop(graceMs?: number): Promise<void>;
}

interface Endpoint {
  readonly method: string;
  readonly path: string;
  run(request: Request, params: PathParams, requestId: string): Promise<Handled>;
}

const REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/;
const STOP_GRACE_MS = 4_000;

export function httpServer(dependencies: HttpDependencies): HttpServer {
  const { application, config, clock, logger, ids } = dependencies;
  let server: Bun.Server<undefined> | null = null;
  const socketAddress =
    dependencies.socketAddress ?? ((request: Request) => server?.requestIP(request)?.address ?? null);
  const trusting = new CallerIp(config.trustedProxies);
  const callerIp = (request: Request) =>
    trusting.resolve(socketAddress(request), request.headers.get('x-forwarded-for'));
  const refusals = new RefusalLog(logger);
  const metrics = new HttpMetrics(
    {
      operator: () => dependencies.metrics.operator(),
      rateAgeSeconds: () => application.rates.latest().ageSeconds,
      reconciliation: () => dependencies.metrics.reconciliation?.() ?? null,
      chains: () => dependencies.metrics.chains?.() ?? [],
      ...(dependencies.metrics.webhooks ? { webhooks: dependencies.metrics.webhooks } : {}),
    },
    clock,
  );
  const onBug = (thrown: unknown, requestId: string): void => {
    const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    logger.error('http.request_failed', { request_id: requestId, error: stack });
  };
  const { rateLimitPerMinute } = config;
  const keys = new KeyGate({ application, clock, rateLimitPerMinute, callerIp });
  const context = { application, checkoutUrl: config.checkoutUrl };
  const gates = { application, context, keys, callerIp, onBug };
  const pipeline = new Pipeline(gates);
  const compat = new CompatPipeline({ ...gates, clock, ids, baseUrl: config.baseUrl }, SURFACES);
  const hub = liveHub({ liveStates: application.liveStates, clock, logger, pace: dependencies.live ?? {} });
  let demoUrl: string | null = null;
  const publicRoutes: readonly PublicRoute[] = [
    frontPage(() => demoUrl),
    ...docsRoutes(openApiDocument(API_ROUTES, config), config.baseUrl),
    ...checkoutRoutes({
      application,
      clock,
      checkoutUrl: config.checkoutUrl,
      rateLimitPerMinute,
      ...(dependencies.checkout === undefined ? {} : { sources: dependencies.checkout }),
      hub,
      liveLimits: dependencies.live ?? {},
      callerIp,
    }),
  ];
  const operationsOnly = dependencies.serves === 'operations';
  const endpoints: readonly Endpoint[] = [
    ...(operationsOnly ? [] : API_ROUTES.map((route) => apiEndpoint(route, pipeline))),
    ...(operationsOnly ? [] : compat.endpoints),
    ...[
      ...systemRoutes({ version: config.version, ready: () => dependencies.health.ready(), metrics }),
      ...(operationsOnly ? [] : publicRoutes),
      ...(dependencies.testRoutes ?? []),
    ].map((route) => openEndpoint(route, onBug)),
  ];

  async function observed(
    request: Request,
    route: string,
    run: (requestId: string) => Promise<Handled>,
  ): Promise<Response> {
    const startedAt = performance.now();
    const given = request.headers.get('x-request-id');
    const requestId = given !== null && REQUEST_ID.test(given) ? given : ids.uuid();
    const { response, merchantId } = await run(requestId);
    const durationMs = performance.now() - startedAt;
    const { method } = request;
    metrics.observe({
      method: KNOWN_METHODS.has(method) ? method : 'other',
      route,
      status: response.status,
      durationMs,
    });
    if (response.status === 429) {
      refusals.count(merchantId ?? networkOf(callerIp(request)));
      return response;
    }
    logger.info('http.request', {
      method,
      route,
      status: response.status,
      duration_ms: Math.round(durationMs * 1000) / 1000,
      merchant_id: merchantId,
      request_id: requestId,
    });
    return response;
  }

  /** What no route took: HEAD of a page that can be read, a wrong method, or no path of ours. */
  function fallback(request: Request): Promise<Response> {
    const path = pathOf(request.url);
    const here = endpoints.filter((endpoint) => matchPath(endpoint.path, path) !== null);
    const readable =
      request.method === 'HEAD' ? here.find((endpoint) => endpoint.method === 'GET') : undefined;
    if (readable) {
      return observed(request, readable.path, async (requestId) => {
        const { response, merchantId } = await readable.run(
          request,
          matchPath(readable.path, path) ?? {},
          requestId,
        );
        return { response: new Response(null, response), merchantId };
      });
    }
    const unsupported = operationsOnly ? null : compat.unsupported(path);
    if (unsupported !== null) return observed(request, 'compat', (id) => unsupported(request, {}, id));
    const allowed = here.map((endpoint) => endpoint.method);
    if (request.method === 'OPTIONS' && here.length > 0)
      return observed(request, here[0]?.path ?? 'none', async (requestId) => ({
        response: noCors(allowed, requestId),
        merchantId: null,
      }));
    return observed(request, here[0]?.path ?? 'none', async (requestId) =>
      isApiPath(path)
        ? pipeline.runUnknown(request, allowed, requestId)
        : { response: unknownPath(allowed, requestId), merchantId: null },
    );
  }

  // Without this, host names under four letters (http://api/) are taken for a part of the path.
  const app = new Elysia({ name: 'http', handler: { standardHostname: false } });
  app.onError(({ code, error, request }) => {
    if (code === 'NOT_FOUND') return fallback(request);
    return observed(request, 'none', async (requestId) => {
      onBug(error, requestId);
      return { response: refused({ error: errorOf(error, requestId) }, requestId), merchantId: null };
    });
  });
  for (const endpoint of endpoints) {
    app.route(
      endpoint.method,
      endpoint.path,
      ({ request, params }: { request: Request; params: PathParams }) =>
        observed(request, endpoint.path, (requestId) => endpoint.run(request, params, requestId)),
      { parse: 'none' },
    );
  }

  /** The first customer does not wait for the page's files to be bundled; neither does the start. */
  function warm(): void {
    pageAssets().catch((error: unknown) =>
      logger.error('checkout.not_built', {
        error: String(error),
      }),
    );
  }

  return {
    app,
    handle: async (request) => app.fetch(request),
    showDemo(url) {
      demoUrl = url;
    },
    listen(port, host = null) {
      server = listenOn({ host, port }, (request) => app.fetch(request));
      if (!operationsOnly) warm();
      return { port: server.port ?? port };
    },
    async stop(graceMs = STOP_GRACE_MS) {
      // Streams of open checkouts would never be answered to their end.
      hub.close();
      await Promise.race([server?.stop(), Bun.sleep(graceMs)]);
      await server?.stop(true);
      server = null;
      refusals.tell();
      metrics.close();
    },
  };
}

const KNOWN_METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

function apiEndpoint(route: Route, pipeline: Pipeline): Endpoint {
  return {
    method: route.method,
    path: route.path,
    run: (request, params, requestId) => pipeline.run(route, request, params, requestId),
  };
}

function openEndpoint(route: PublicRoute, onBug: (thrown: unknown, requestId: string) => void): Endpoint {
  return {
    method: route.method,
    path: route.path,
    async run(request, params, requestId) {
      try {
        return answered(await route.respond(request, params), requestId);
      } catch (thrown) {
        const error = errorOf(thrown, requestId);
        const refusal = { response: refused({ error }, requestId), merchantId: null };
        if (error.code !== 'INTERNAL_ERROR') return refusal;
        onBug(thrown, requestId);
        if (route.failed === undefined) return refusal;
        try {
          return answered(await route.failed(request, params), requestId);
        } catch (again) {
          onBug(again, requestId);
          return refusal;
        }
      }
    },
  };
}

function answered(response: Response, requestId: string): Handled {
  response.headers.set('x-request-id', requestId);
  return { response, merchantId: null };
}

function isApiPath(path: string): boolean {
  return path === API_PREFIX || path.startsWith(`${API_PREFIX}/`);
}
