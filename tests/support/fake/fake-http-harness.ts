/** The HTTP server over an application in memory, for tests of the checkout's pages, which need states that no payment leads to. */
import {
  type HttpConfig,
  type HttpDependencies,
  type HttpServer,
  httpServer,
} from '../../../src/adapters/http/server.ts';
import type { Merchant } from '../../../src/domain/merchants/merchant.ts';
import type { Clock } from '../../../src/ports/runtime/clock.ts';
import { type Answered, type CallOptions, NO_FIGURES } from '../http/http-harness.ts';
import { openApiChecker } from '../http/openapi-check.ts';
import { type LogLine, memoryLogger } from '../runtime/memory-logger.ts';
import { type FakeApplication, fakeApplication } from './fake-application.ts';

export interface Harness {
  readonly server: HttpServer;
  readonly application: FakeApplication;
  readonly merchant: Merchant;
  readonly liveKey: string;
  readonly sandboxKey: string;
  readonly logs: LogLine[];
  readonly clock: Clock & { advance(milliseconds: number): void };
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Answered>;
}

const SOCKET_HEADER = 'x-test-socket';

export function openHarness(
  options: {
    config?: Partial<HttpConfig>;
    dependencies?: Partial<HttpDependencies>;
    merchant?: Partial<Merchant>;
    /** Callers have the address of their socket, not the one that a call names. */
    realSockets?: boolean;
  } = {},
): Harness {
  const application = fakeApplication();
  const { merchant, liveKey, sandboxKey } = application.addMerchant(options.merchant);
  const logs: LogLine[] = [];
  const config: HttpConfig = {
    baseUrl: 'http://localhost',
    checkoutUrl: 'http://localhost',
    trustedProxies: [],
    rateLimitPerMinute: 0,
    version: '0.0.0-test',
    ...options.config,
  };
  const clock = {
    now: () => application.now,
    advance(milliseconds: number) {
      application.now = new Date(application.now.getTime() + milliseconds);
    },
  };
  let uuids = 0;
  const server = httpServer({
    application,
    config,
    clock,
    logger: memoryLogger(logs),
    ids: {
      uuid() {
        uuids += 1;
        return `10000000-0000-4000-8000-${uuids.toString(16).padStart(12, '0')}`;
      },
    },
    health: { ready: async () => ({ ok: true, checks: { database: 'ok' } }) },
    metrics: { operator: async () => NO_FIGURES },
    ...(options.realSockets === true
      ? {}
      : { socketAddress: (request: Request) => request.headers.get(SOCKET_HEADER) }),
    ...options.dependencies,
  });
  const check = openApiChecker(config.baseUrl, server);
  return {
    server,
    application,
    merchant,
    liveKey,
    sandboxKey,
    logs,
    clock,
    async call(method, path, { key = liveKey, body, headers = {}, from = '127.0.0.1' } = {}) {
      const request = new Request(`http://localhost${path}`, {
        method,
        headers: {
          ...(key === null ? {} : { 'x-api-key': key }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(from === null ? {} : { [SOCKET_HEADER]: from }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const response = await server.handle(request);
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
      const answered = {
        status: response.status,
        headers: response.headers,
        text,
        json: isJson && text !== '' ? JSON.parse(text) : null,
      };
      if (path.startsWith('/api/v2/') && method !== 'HEAD') await check(method, path, answered);
      return answered;
    },
  };
}
