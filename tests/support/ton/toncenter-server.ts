/**
 * A loopback server that speaks toncenter's API v2 (JSON-RPC over POST) about a TON chain in memory
 * (ton-chain.ts says what of a chain that models), and of version 3 what index-answers.ts has.
 * Modelled of version 2: the methods in toncenter-answers.ts with their parameters' names, answers'
 * shapes and errors (`ok: false` with a text, HTTP 500), states as of an earlier masterchain block,
 * pages of a block's transactions, API keys. Not modelled: the GET forms, rate limits, the load
 * balancer behind which nodes differ, archives.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { indexAnswerOf } from './index-answers.ts';
import type { TonChain } from './ton-chain.ts';
import { answerOf, type Params } from './toncenter-answers.ts';

const KEEP_ALIVE_MS = 120_000;
const INDEX = '/api/v3/';

interface Call {
  readonly id?: unknown;
  readonly method: string;
  readonly params: Params;
}

interface Behaviour {
  /** Cut every connection. */
  readonly drop?: boolean;
  /** Answer with this HTTP status and no JSON. */
  readonly status?: number;
  /** Methods answered with an error. */
  readonly refuse?: (method: string, params: Params) => boolean;
  /** `none`: the node has no API v3. A number: masterchain blocks that its index is behind. */
  readonly index?: 'none' | number;
  /**
   * Replaces a result on its way back; undefined leaves it. Of the API v3 the method is the path,
   * `v3/blocks` for example.
   */
  readonly answer?: (method: string, params: Params, result: unknown) => unknown;
}

export interface ToncenterServer {
  readonly url: string;
  /** Methods asked since the last `behave`, in order. */
  readonly asked: readonly string[];
  /** API keys seen since the last `behave`. */
  readonly apiKeys: readonly (string | null)[];
  behave(behaviour: Behaviour): void;
  /**
   * The server without a network, as a provider asks the node behind it. Throws where the
   * connection is cut.
   */
  answer(url: string, init: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

export async function startToncenterServer(chain: TonChain): Promise<ToncenterServer> {
  let behaviour: Behaviour = {};
  let asked: string[] = [];
  let apiKeys: (string | null)[] = [];

  async function resultOf({ method, params }: Call, answered: () => unknown): Promise<unknown> {
    if (behaviour.refuse?.(method, params)) throw new Error('LITE_SERVER_NETWORK: timeout');
    const result = await answered();
    return behaviour.answer?.(method, params, result) ?? result;
  }

  async function answer(url: string, init: RequestInit): Promise<Response> {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const indexed = pathname.startsWith(INDEX);
    const call: Call = indexed
      ? { method: `v3/${pathname.slice(INDEX.length)}`, params: Object.fromEntries(searchParams) }
      : JSON.parse(String(init.body));
    asked.push(call.method);
    apiKeys.push(new Headers(init.headers).get('x-api-key') || null);
    const { drop, status, index = 0 } = behaviour;
    if (drop === true) throw new TypeError('the connection is cut');
    if (status !== undefined) return new Response('<html>no</html>', { status });
    if (indexed && index === 'none') return Response.json({ detail: 'Not Found' }, { status: 404 });
    const head = { jsonrpc: '2.0', id: call.id };
    try {
      const result = await resultOf(call, () =>
        indexed
          ? indexAnswerOf(chain, pathname.slice(INDEX.length), searchParams, Number(index))
          : answerOf(chain, call.method, call.params),
      );
      return Response.json(indexed ? result : { ok: true, result, ...head });
    } catch (error) {
      const { message } = error as Error;
      if (indexed) return Response.json({ error: message }, { status: 422 });
      return Response.json({ ok: false, error: message, code: 500, ...head }, { status: 500 });
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = { 'x-api-key': String(request.headers['x-api-key'] ?? '') };
    const init = { method: request.method ?? 'GET', body: Buffer.concat(chunks).toString(), headers };
    const answered = await answer(request.url ?? '/', init);
    response.writeHead(answered.status, { 'content-type': 'application/json' }).end(await answered.text());
  }

  const server = createServer((request, response) => {
    void handle(request, response).catch(() => request.socket.destroy());
  });
  // The machine may be busy for longer than the default: a connection that is closed between two
  // questions is no node's fault.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api/v2/jsonRPC`,
    get asked() {
      return asked;
    },
    get apiKeys() {
      return apiKeys;
    },
    answer,
    behave: (next) => {
      behaviour = next;
      asked = [];
      apiKeys = [];
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
