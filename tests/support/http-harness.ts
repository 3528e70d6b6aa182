/** Opens the HTTP server over the in-memory application, and calls it without a socket, holding every answer against the document. */

import {
  type HttpConfig,
  type HttpDependencies,
  type HttpServer,
  httpServer,
} from '../../src/adapters/http/server.ts';
import type { Merchant } from '../../src/domain/merchant.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { LogEvent } from '../../src/ports/log-events.ts';
import type { Logger } from '../../src/ports/logger.ts';
import type { OperatorMetrics } from '../../src/ports/queries.ts';
import { type FakeApplication, fakeApplication } from './fake-application.ts';
import { openApiChecker } from './openapi-check.ts';

export interface LogLine {
  readonly level: string;
  readonly event: LogEvent;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly key?: string | null;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Address at the other end of the socket; 127.0.0.1 unless given. */
  readonly from?: string | null;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into field by field, after the document has checked their shape.
  readonly json: any;
}

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

export const NO_FIGURES: OperatorMetrics = {
  webhooksPending: 0,
  oldestDueWebhookSeconds: 0,
  depositsToScreen: 0,
  straysOpen: 0,
  heldOpen: 0,
  payoutsByStatus: {},
  payoutsHeld: 0,
  payoutsWaiting: {},
  signingStopped: false,
  invoicesByStatus: {},
  cursors: [],
};

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

function memoryLogger(lines: LogLine[], bound: Readonly<Record<string, unknown>> = {}): Logger {
  const at =
    (level: string) =>
    (event: LogEvent, fields: Readonly<Record<string, unknown>> = {}) => {
      lines.push({ level, event, fields: { ...bound, ...fields } });
    };
  return {
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => memoryLogger(lines, { ...bound, ...fields }),
  };
}
