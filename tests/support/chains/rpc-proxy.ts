/**
 * A loopback JSON-RPC proxy that misbehaves on demand: for fail-over, time-outs, nodes that trace
 * nothing, lying nodes.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

interface ProxyBehaviour {
  /** Cut every connection. */
  readonly drop?: boolean;
  /** Wait before answering. */
  readonly delayMs?: number;
  /** Answer with this HTTP status and no JSON-RPC. */
  readonly status?: number;
  /** Answer requests with such a call with this HTTP status and no JSON-RPC. */
  readonly statusOf?: (call: Call) => number | undefined;
  /** Calls answered with `method not found`: method prefixes, or a judge. */
  readonly refuse?: readonly string[] | ((call: Call) => boolean);
  /** What a refused call hears instead of that. */
  readonly refusal?: { readonly code: number; readonly message: string };
  /** Refuse JSON-RPC batches with one error object, as some gateways do. */
  readonly noBatch?: boolean;
  /** Another node to forward to. */
  readonly target?: string;
  /** The result of a call that no node is asked for; undefined lets it pass. May take its time. */
  readonly instead?: (call: Call) => unknown;
  /** Replaces a result on its way back; undefined leaves it. May take its time. */
  readonly answer?: (call: Call, result: unknown) => unknown;
}

export interface RpcProxy {
  readonly url: string;
  /** Methods asked since the last `behave`, in order; what a batch holds counts one by one. */
  readonly asked: readonly string[];
  /** HTTP requests since the last `behave`. */
  readonly requests: number;
  /** Authorization headers seen since the last `behave`. */
  readonly authorizations: readonly (string | undefined)[];
  behave(behaviour: ProxyBehaviour): void;
  stop(): Promise<void>;
}

export async function startRpcProxy(target: string): Promise<RpcProxy> {
  let behaviour: ProxyBehaviour = {};
  let asked: string[] = [];
  let requests = 0;
  let authorizations: (string | undefined)[] = [];

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { drop, delayMs, statusOf, noBatch } = behaviour;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests += 1;
    authorizations.push(request.headers.authorization);
    const body: Call | readonly Call[] = JSON.parse(Buffer.concat(chunks).toString());
    const calls = Array.isArray(body) ? (body as readonly Call[]) : [body as Call];
    asked.push(...calls.map(({ method }) => method));
    if (drop === true) return void request.socket.destroy();
    if (delayMs !== undefined) await Bun.sleep(delayMs);
    const status =
      behaviour.status ?? calls.map((call) => statusOf?.(call)).find((each) => each !== undefined);
    if (status !== undefined) return void response.writeHead(status).end('<html>no</html>');
    response.setHeader('content-type', 'application/json');
    if (Array.isArray(body) && noBatch === true) {
      const error = { code: -32_600, message: 'batch requests are not supported' };
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    }
    const answers = await Promise.all(calls.map((call) => forward(call)));
    // Batches answer in any order: the reverse is as right as any other.
    response.end(JSON.stringify(Array.isArray(body) ? answers.reverse() : answers[0]));
  }

  async function forward(call: Call): Promise<unknown> {
    const { refuse = [], refusal, instead, answer, target: other } = behaviour;
    const refused =
      typeof refuse === 'function' ? refuse(call) : refuse.some((prefix) => call.method.startsWith(prefix));
    if (refused) {
      const unknown = `the method ${call.method} does not exist/is not available`;
      const error = refusal ?? { code: -32_601, message: unknown };
      return { jsonrpc: '2.0', id: call.id, error };
    }
    const invented = await instead?.(call);
    if (invented !== undefined) return { jsonrpc: '2.0', id: call.id, result: invented };
    const upstream = await fetch(other ?? target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...call }),
    });
    const reply = (await upstream.json()) as { result?: unknown };
    const replaced = await answer?.(call, reply.result);
    return replaced === undefined ? reply : { jsonrpc: '2.0', id: call.id, result: replaced };
  }

  const server = createServer((request, response) => {
    void handle(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get asked() {
      return asked;
    },
    get requests() {
      return requests;
    },
    get authorizations() {
      return authorizations;
    },
    behave: (next) => {
      behaviour = next;
      asked = [];
      requests = 0;
      authorizations = [];
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
