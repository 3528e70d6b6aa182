/**
 * The HTTP server over an application, called without a socket; every answer of the API is held
 * against the document.
 */
import {
  type HttpConfig,
  type HttpDependencies,
  type HttpServer,
  httpServer,
} from '../../../src/adapters/http/server.ts';
import type { OperatorMetrics } from '../../../src/ports/operator-queries.ts';
import { openApiChecker } from './openapi-check.ts';

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

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answered>;

export interface ServerOptions {
  config?: Partial<HttpConfig>;
  dependencies?: Partial<HttpDependencies>;
  /** Callers have the address of their socket, not the one that a call names. */
  realSockets?: boolean;
}

export const NO_FIGURES: OperatorMetrics = {
  webhooksPending: 0,
  oldestDueWebhookSeconds: 0,
  webhooksHeldBack: 0,
  circuitsByState: {},
  depositsToScreen: 0,
  straysOpen: 0,
  heldOpen: 0,
  payoutsByStatus: {},
  payoutsHeld: 0,
  payoutsWaiting: {},
  signingStopped: false,
  invoicesByStatus: {},
  noticesOpen: 0,
  noticesUnsent: 0,
  newestBackupAt: null,
  cursors: [],
};

const SOCKET_HEADER = 'x-test-socket';

/** `key`: whose requests those are that name none. */
export function calledServer(
  parts: Pick<HttpDependencies, 'application' | 'clock' | 'logger'> & { readonly key: string },
  options: ServerOptions,
): { readonly server: HttpServer; readonly call: Call } {
  const { application, clock, logger, key: ownKey } = parts;
  const config: HttpConfig = {
    baseUrl: 'http://localhost',
    checkoutUrl: 'http://localhost',
    trustedProxies: [],
    rateLimitPerMinute: 0,
    version: '0.0.0-test',
    ...options.config,
  };
  let uuids = 0;
  const server = httpServer({
    ...{ application, config, clock, logger },
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
  const call: Call = async (method, path, given = {}) => {
    const { key = ownKey, body, headers = {}, from = '127.0.0.1' } = given;
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
    const isCsv = response.headers.get('content-type')?.startsWith('text/csv') === true;
    if (path.startsWith('/api/v2/') && method !== 'HEAD' && !isCsv) await check(method, path, answered);
    return answered;
  };
  return { server, call };
}
