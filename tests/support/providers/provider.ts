/**
 * A provider of nodes in front of any node: it counts calls as the plan does, refuses what is too
 * much in the plan's words, and has machines that lag, index nothing, answer web pages or cut the
 * connection when a test wants it. As a `fetch` it runs in virtual time as well; as a proxy it
 * stands in front of the nodes of a lab.
 */
import { type Plan, type RefusedAnswer, UNLIMITED } from './plans.ts';

export interface RpcCall {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: readonly unknown[] | Readonly<Record<string, unknown>>;
}

export interface ProviderTroubles {
  /** Of so many requests, one is answered by a web page with status 502. */
  readonly pageEvery?: number;
  /** Of so many requests, one ends with a cut connection. */
  readonly cutEvery?: number;
  /** The result of a call that the node is not asked for; undefined lets it pass. */
  readonly instead?: (call: RpcCall) => unknown;
  /** An error of a call that the node is not asked for. */
  readonly refuse?: (call: RpcCall) => { code: number; message: string } | undefined;
}

export interface Provider {
  readonly fetch: typeof fetch;
  readonly counts: ProviderCounts;
  /** Calls by method or path. */
  readonly asked: ReadonlyMap<string, number>;
  trouble(troubles: ProviderTroubles): void;
}

export interface ProviderCounts {
  readonly requests: number;
  readonly calls: number;
  /** Calls that were too many. */
  readonly refused: number;
  readonly bytes: number;
}

/** Where a provider gets its time from. */
export interface ProviderTime {
  /** Milliseconds. */
  now(): number;
  wait(ms: number): Promise<void>;
}

const REAL_TIME: ProviderTime = { now: () => performance.now(), wait: (ms) => Bun.sleep(ms) };
const DAY_MS = 86_400_000;

/** `node` answers the request as the node behind the provider does. */
export function provider(options: {
  plan?: Plan;
  node: (url: string, init: RequestInit) => Promise<Response>;
  time?: ProviderTime;
  latencyMs?: number;
}): Provider {
  const { plan = UNLIMITED, node, time = REAL_TIME, latencyMs = 0 } = options;
  const counts = { requests: 0, calls: 0, refused: 0, bytes: 0 };
  const asked = new Map<string, number>();
  let troubles: ProviderTroubles = {};
  let served: number[] = [];
  let today = { day: 0, calls: 0 };
  let suspendedUntil = 0;

  /** How many of `calls` the plan has room for; it notes them. */
  function admitted(calls: number): number {
    const now = time.now();
    if (now < suspendedUntil) return 0;
    const day = Math.floor(now / DAY_MS);
    if (today.day !== day) today = { day, calls: 0 };
    served = served.filter((at) => now - at < 1_000);
    const room = Math.min(
      (plan.perSecond ?? Number.POSITIVE_INFINITY) - served.length,
      (plan.perDay ?? Number.POSITIVE_INFINITY) - today.calls,
    );
    const admits = room >= calls || plan.refusesByCall === true ? Math.max(0, Math.min(calls, room)) : 0;
    for (let call = 0; call < admits; call++) served.push(now);
    today.calls += admits;
    if (admits < calls && plan.suspendsFor !== undefined) suspendedUntil = now + plan.suspendsFor * 1_000;
    return admits;
  }

  function refusal(): RefusedAnswer {
    const ofDay = plan.perDay !== undefined && today.calls >= plan.perDay;
    return plan.refuse({ suspendedFor: Math.ceil((suspendedUntil - time.now()) / 1_000), ofDay });
  }

  async function one(url: string, init: RequestInit, call: RpcCall): Promise<unknown> {
    const error = troubles.refuse?.(call) ?? tooWide(call, plan);
    if (error !== undefined) return { jsonrpc: '2.0', id: call.id, error };
    const invented = troubles.instead?.(call);
    if (invented !== undefined) return { jsonrpc: '2.0', id: call.id, result: invented };
    return (await node(url, { ...init, body: JSON.stringify(call) })).json();
  }

  async function answer(url: string, init: RequestInit): Promise<Response> {
    const body = typeof init.body === 'string' ? parsed(init.body) : undefined;
    const calls = callsIn(body);
    counts.requests += 1;
    counts.calls += calls?.length ?? 1;
    for (const name of calls?.map(({ method }) => method) ?? [new URL(url).pathname])
      asked.set(name, (asked.get(name) ?? 0) + 1);
    if (troubles.cutEvery !== undefined && counts.requests % troubles.cutEvery === 0)
      throw new TypeError('the connection was cut');
    if (troubles.pageEvery !== undefined && counts.requests % troubles.pageEvery === 0)
      return new Response('<html>502 Bad Gateway</html>', { status: 502 });
    if (calls !== null && calls.length > (plan.batchMost ?? Number.POSITIVE_INFINITY))
      return Response.json({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_600, message: 'batch too large' },
      });
    const admits = admitted(calls?.length ?? 1);
    const tooMany = (calls?.length ?? 1) - admits;
    counts.refused += tooMany;
    if (calls === null) return tooMany > 0 ? refused(refusal(), null) : node(url, init);
    if (tooMany > 0 && plan.refusesByCall !== true) return refused(refusal(), calls[0]?.id ?? null);
    const answers = await Promise.all(
      calls.map((call, position) =>
        position < admits
          ? one(url, init, call)
          : { jsonrpc: '2.0', id: call.id ?? null, error: refusal().error },
      ),
    );
    return Response.json(Array.isArray(body) ? answers : answers[0]);
  }

  const fetchOf = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    await time.wait(latencyMs);
    const response = await answer(String(input), init);
    const bytes = await response.arrayBuffer();
    counts.bytes += bytes.byteLength;
    return new Response(bytes, { status: response.status, headers: response.headers });
  };
  return {
    fetch: Object.assign(fetchOf, { preconnect: fetch.preconnect }),
    counts,
    asked,
    trouble(next) {
      troubles = next;
    },
  };
}

export interface ProviderProxy extends Omit<Provider, 'fetch'> {
  readonly url: string;
  stop(): Promise<void>;
}

/** The provider as a server of its own, in front of the node at `target`. */
export function startProviderProxy(options: {
  target: string;
  plan?: Plan;
  latencyMs?: number;
}): ProviderProxy {
  const target = options.target.replace(/\/+$/, '');
  const own = provider({
    ...options,
    node: (url, init) => {
      const { pathname, search } = new URL(url);
      return fetch(`${target}${pathname === '/' ? '' : pathname}${search}`, init);
    },
  });
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const body = request.method === 'GET' ? {} : { body: await request.text() };
      const headers = { 'content-type': request.headers.get('content-type') ?? 'application/json' };
      return own
        .fetch(request.url, { method: request.method, headers, ...body })
        .catch(() => new Response('', { status: 502 }));
    },
  });
  return {
    ...own,
    counts: own.counts,
    url: `http://127.0.0.1:${server.port}`,
    stop: () => server.stop(true),
  };
}

function refused({ status, headers = {}, error, body }: RefusedAnswer, id: unknown): Response {
  const answered = error === undefined ? (body ?? '') : { jsonrpc: '2.0', id, error };
  return typeof answered === 'string'
    ? new Response(answered, { status, headers })
    : Response.json(answered, { status, headers });
}

/** The plan's bound on eth_getLogs, in the words of Alchemy. */
function tooWide({ method, params }: RpcCall, { logBlocksMost }: Plan) {
  if (logBlocksMost === undefined || method !== 'eth_getLogs' || !Array.isArray(params)) return undefined;
  const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock?: string; toBlock?: string };
  if (fromBlock === undefined || toBlock === undefined) return undefined;
  if (Number(toBlock) - Number(fromBlock) < logBlocksMost) return undefined;
  const message = `Under the Free tier plan, you can make eth_getLogs requests with up to a ${logBlocksMost} block range.`;
  return { code: -32_600, message };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Null where the request is none of JSON-RPC. */
function callsIn(body: unknown): readonly RpcCall[] | null {
  const all: readonly unknown[] = Array.isArray(body) ? body : [body];
  const isCall = (each: unknown): each is RpcCall =>
    typeof each === 'object' && each !== null && 'method' in each && typeof each.method === 'string';
  return all.length > 0 && all.every(isCall) ? all : null;
}
