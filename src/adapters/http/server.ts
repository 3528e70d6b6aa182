/** The HTTP server: all endpoints, each with a request id, a log line and metrics. */
import { Elysia } from 'elysia';
import type { Application } from '../../app/application.ts';
import type { Clock } from '../../ports/runtime/clock.ts';
import type { Logger } from '../../ports/runtime/logger.ts';
import { API_PREFIX, API_ROUTES } from './api.ts';
import { pageAssets } from './checkout/assets.ts';
import type { CheckoutSources } from './checkout/data.ts';
import type { LiveLimits } from './checkout/live/live.ts';
import { type LiveHub, type LivePace, liveHub } from './checkout/live/live-hub.ts';
import { checkoutRoutes } from './checkout/routes.ts';
import { CompatPipeline } from './compat/compat-pipeline.ts';
import { SURFACES } from './compat/surfaces.ts';
import { type ConsoleParts, consoleRoutes } from './console/console.ts';
import { consoleAssets } from './console/kit/assets.ts';
import { consoleHub } from './console/live.ts';
import { CallerIp } from './kit/caller-ip.ts';
import { errorOf } from './kit/errors.ts';
import { KeyGate } from './kit/key-gate.ts';
import { listenOn } from './kit/listen.ts';
import { matchPath, type PathParams, pathOf } from './kit/path.ts';
import { Pipeline, unknownPath } from './kit/pipeline.ts';
import { type Endpoint, publicEndpoint } from './kit/public-endpoint.ts';
import { noCors, refused } from './kit/refusal.ts';
import { RefusalLog } from './kit/refusal-log.ts';
import type { PublicRoute, Route } from './kit/route.ts';
import { docsRoutes } from './openapi/docs.ts';
import { openApiDocument } from './openapi/document.ts';
import { frontPage } from './system/front-page.ts';
import { HttpMetrics } from './system/metrics.ts';
import type { MetricSources } from './system/metrics-sources.ts';
import { logBug, type Observer, observed } from './system/observer.ts';
import { type Readiness, systemRoutes } from './system/system.ts';

export interface HttpConfig {
  /** Public address of the API, without a trailing slash. */
  readonly baseUrl: string;
  readonly checkoutUrl: string;
  /** Addresses or CIDRs whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Per key, and per network for requests without one. 0 switches the limit off. */
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
  readonly metrics: Omit<MetricSources, 'rateAgeSeconds'>;
  /** `operations`: health, readiness and metrics only, as a worker serves. Default: everything. */
  readonly serves?: 'everything' | 'operations';
  /** What the checkout shows besides the data of the use cases. */
  readonly checkout?: Partial<CheckoutSources>;
  /** The console's use cases; null: it is switched off. */
  readonly console?: ConsoleParts | null;
  /** Further endpoints, which control fake chains. */
  readonly testRoutes?: readonly PublicRoute[];
  /** Limits and pace of the checkout's streams. What is missing has its default. */
  readonly live?: Partial<LiveLimits & LivePace>;
  /** Replaces the socket's address, for requests without a socket. */
  readonly socketAddress?: (request: Request) => string | null;
}

export interface HttpServer {
  /** Responds to a request without a socket. */
  handle(request: Request): Promise<Response>;
  /**
   * The same, by an endpoint that is found without Elysia where there is one: a server that answers
   * few requests spares the compilation of all routes. Nothing in the path is percent-encoded.
   */
  handleOnce(request: Request): Promise<Response>;
  /**
   * Port 0 selects a free port. Without a host: all addresses of this machine, IPv4 and IPv6.
   * Throws if the port is taken.
   */
  listen(port: number, host?: string | null): { readonly port: number };
  /** Lets the front page link to a sandbox checkout. */
  showDemo(url: string): void;
  /** Accepts no new connections, and waits at most `graceMs` for the requests in flight. */
  stop(graceMs?: number): Promise<void>;
}

/** One server: what its requests share, and what changes while it runs. */
interface RunningServer extends Observer {
  readonly dependencies: HttpDependencies;
  readonly pipeline: Pipeline;
  readonly compat: CompatPipeline;
  readonly hub: LiveHub;
  /** Of open consoles. */
  readonly consoleHub: LiveHub;
  readonly servesAll: boolean;
  socket: Bun.Server<undefined> | null;
  demoUrl: string | null;
}

const STOP_GRACE_MS = 4_000;

export function httpServer(dependencies: HttpDependencies): HttpServer {
  const server = serverOf(dependencies);
  const endpoints = endpointsOf(server);
  let made: Elysia | null = null;
  const app = (): Elysia => {
    made ??= routed(server, endpoints);
    return made;
  };
  return {
    handle: async (request) => app().fetch(request),
    handleOnce: async (request) => found(server, endpoints, request) ?? app().fetch(request),
    showDemo(url) {
      server.demoUrl = url;
    },
    listen(port, host = null) {
      const routes = app();
      server.socket = listenOn({ host, port }, (request) => routes.fetch(request));
      if (server.servesAll) void warm(server);
      return { port: server.socket.port ?? port };
    },
    stop: (graceMs = STOP_GRACE_MS) => stop(server, graceMs),
  };
}

function serverOf(dependencies: HttpDependencies): RunningServer {
  const { application, config, clock, logger, ids } = dependencies;
  const socketAddress =
    dependencies.socketAddress ?? ((request) => server.socket?.requestIP(request)?.address ?? null);
  const proxies = new CallerIp(config.trustedProxies);
  const callerIp = (request: Request): string | null =>
    proxies.resolve(socketAddress(request), request.headers.get('x-forwarded-for'));
  const { rateLimitPerMinute } = config;
  const gates = {
    application,
    context: { application, checkoutUrl: config.checkoutUrl },
    keys: new KeyGate({ application, clock, rateLimitPerMinute, callerIp }),
    callerIp,
    onBug: (thrown: unknown, requestId: string) => logBug(server, thrown, requestId),
  };
  const server: RunningServer = {
    dependencies,
    ids,
    logger,
    metrics: metricsOf(dependencies),
    refusals: new RefusalLog(logger),
    callerIp,
    pipeline: new Pipeline(gates),
    compat: new CompatPipeline({ ...gates, clock, ids, baseUrl: config.baseUrl }, SURFACES),
    hub: liveHub({ liveStates: application.liveStates, clock, logger, pace: dependencies.live ?? {} }),
    consoleHub: consoleHub({ application, clock, logger }),
    servesAll: dependencies.serves !== 'operations',
    socket: null,
    demoUrl: null,
  };
  return server;
}

function metricsOf({ application, config, clock, metrics }: HttpDependencies): HttpMetrics {
  return new HttpMetrics(
    { ...metrics, rateAgeSeconds: () => application.rates.latest().ageSeconds },
    { clock, version: config.version },
  );
}

/** Every endpoint that this process serves. */
function endpointsOf(server: RunningServer): readonly Endpoint[] {
  const { dependencies, pipeline, compat, metrics, servesAll } = server;
  const { config, health, testRoutes = [] } = dependencies;
  const system = systemRoutes({ version: config.version, ready: () => health.ready(), metrics });
  const open = [...system, ...(servesAll ? pagesOf(server) : []), ...testRoutes];
  return [
    ...(servesAll ? API_ROUTES.map((route) => apiEndpoint(route, pipeline)) : []),
    ...(servesAll ? compat.endpoints : []),
    ...open.map((route) => publicEndpoint(route, (thrown, requestId) => logBug(server, thrown, requestId))),
  ];
}

/** The front page, the documentation, the checkout and the console. */
function pagesOf(server: RunningServer): readonly PublicRoute[] {
  const { application, clock, config, checkout, live = {}, console = null } = server.dependencies;
  return [
    frontPage(() => server.demoUrl, console === null ? null : `${config.baseUrl}/console`),
    ...docsRoutes(() => openApiDocument(API_ROUTES, config), config.baseUrl),
    ...checkoutRoutes({
      application,
      clock,
      checkoutUrl: config.checkoutUrl,
      rateLimitPerMinute: config.rateLimitPerMinute,
      ...(checkout === undefined ? {} : { sources: checkout }),
      hub: server.hub,
      liveLimits: live,
      callerIp: server.callerIp,
    }),
    ...(console
      ? consoleRoutes({
          ...console,
          ...{ application, clock, config, ids: server.ids, hub: server.consoleHub },
          callerIp: server.callerIp,
          onBug: (thrown) => logBug(server, thrown, 'none'),
        })
      : []),
  ];
}

function apiEndpoint(route: Route, pipeline: Pipeline): Endpoint {
  return {
    method: route.method,
    path: route.path,
    run: (request, params, requestId) => pipeline.run(route, request, params, requestId),
  };
}

/** What Elysia would find; null where it would find nothing. */
function found(
  server: RunningServer,
  endpoints: readonly Endpoint[],
  request: Request,
): Promise<Response> | null {
  const path = pathOf(request.url);
  for (const endpoint of endpoints) {
    const params = endpoint.method === request.method ? matchPath(endpoint.path, path) : null;
    if (params !== null)
      return observed(server, request, endpoint.path, (id) => endpoint.run(request, params, id));
  }
  return null;
}

function routed(server: RunningServer, endpoints: readonly Endpoint[]): Elysia {
  // Without this, Elysia takes a host name of less than four letters (http://api/) for a part of
  // the path.
  const app = new Elysia({ name: 'http', handler: { standardHostname: false } });
  app.onError(({ code, error, request }) => {
    if (code === 'NOT_FOUND') return fallback(server, endpoints, request);
    return observed(server, request, 'none', async (requestId) => {
      logBug(server, error, requestId);
      return { response: refused({ error: errorOf(error, requestId) }, requestId), merchantId: null };
    });
  });
  for (const endpoint of endpoints) {
    app.route(
      endpoint.method,
      endpoint.path,
      ({ request, params }: { request: Request; params: PathParams }) =>
        observed(server, request, endpoint.path, (requestId) => endpoint.run(request, params, requestId)),
      { parse: 'none' },
    );
  }
  return app;
}

/** Responds to a request that matches no route: its path has other methods, or is unknown. */
function fallback(
  server: RunningServer,
  endpoints: readonly Endpoint[],
  request: Request,
): Promise<Response> {
  const path = pathOf(request.url);
  const here = endpoints.filter((endpoint) => matchPath(endpoint.path, path) !== null);
  const unsupported = server.servesAll ? server.compat.unsupported(path) : null;
  if (unsupported !== null) return observed(server, request, 'compat', (id) => unsupported(request, {}, id));
  const allowed = here.map(({ method }) => method);
  return observed(server, request, here[0]?.path ?? 'none', async (requestId) => {
    if (request.method === 'OPTIONS' && here.length > 0)
      return { response: noCors(allowed, requestId), merchantId: null };
    if (isApiPath(path)) return server.pipeline.runUnknown(request, allowed, requestId);
    return { response: unknownPath(allowed, requestId), merchantId: null };
  });
}

function isApiPath(path: string): boolean {
  return path === API_PREFIX || path.startsWith(`${API_PREFIX}/`);
}

/**
 * Bundles and compresses the files of the checkout and of the console after the start, so that the
 * first customer and the first user do not wait for it.
 */
async function warm({ logger, dependencies }: RunningServer): Promise<void> {
  const files = [pageAssets, ...(dependencies.console ? [consoleAssets] : [])];
  for (const build of files)
    try {
      await (await build()).prepare();
    } catch (error) {
      logger.error('checkout.not_built', { error: String(error) });
    }
}

async function stop(server: RunningServer, graceMs: number): Promise<void> {
  // The streams of open pages do not end on their own.
  server.hub.close();
  server.consoleHub.close();
  await Promise.race([server.socket?.stop(), Bun.sleep(graceMs)]);
  await server.socket?.stop(true);
  server.socket = null;
  server.refusals.tell();
  server.metrics.close();
}
