/**
 * A proxy before a node that treats broadcasts as the worst gateways do: of those it gets it drops
 * 10 %, answers 5 % as a node that took them and then loses the bytes, and cuts the connection
 * after having taken 20 %. Everything else goes through.
 */
import { seeded } from '../runtime/seeded.ts';
import type { DrillNode } from './drill-chain.ts';

export interface LyingNode {
  /** As the node's own, user and password included. */
  readonly url: string;
  /** Broadcasts that were dropped, falsely accepted, and taken without an answer. */
  readonly told: { dropped: number; lied: number; silent: number; passed: number };
  stop(): Promise<void>;
}

export function startLyingNode(node: DrillNode, seed: number): LyingNode {
  const random = seeded(seed);
  const told = { dropped: 0, lied: 0, silent: 0, passed: 0 };
  const { origin } = new URL(node.url);
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const body = await request.text();
      const { pathname, search } = new URL(request.url);
      const forward = () => handedOn(`${origin}${pathname}${search}`, request, body);
      if (!`${pathname} ${body}`.includes(node.broadcastMethod)) return forward();
      const fate = random.int(1_000) / 1_000;
      if (fate < 0.1) {
        told.dropped += 1;
        return new Response('bad gateway', { status: 502 });
      }
      if (fate < 0.15) {
        told.lied += 1;
        return Response.json(await (node.accepting?.(body) ?? acceptedOverRpc(node, body)));
      }
      const answer = await forward();
      if (fate < 0.35) {
        told.silent += 1;
        await answer.arrayBuffer();
        return new Response('gateway timeout', { status: 504 });
      }
      told.passed += 1;
      return answer;
    },
  });
  const url = new URL(node.url);
  url.port = String(server.port);
  return { url: url.href.replace(/\/$/, ''), told, stop: () => server.stop(true) };
}

async function acceptedOverRpc(node: DrillNode, body: string): Promise<object> {
  const { id, params } = JSON.parse(body) as { id: number; params: [raw: string] };
  return { jsonrpc: '2.0', id, result: await node.txidOf(params[0]) };
}

/**
 * The connection is closed where the client wants that: litecoind does not stop while one is open.
 */
async function handedOn(target: string, request: Request, body: string): Promise<Response> {
  const headers = new Headers({ 'content-type': 'application/json' });
  for (const name of ['authorization', 'connection']) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const keepalive = headers.get('connection') !== 'close';
  const { method } = request;
  const answer = await fetch(target, { method, headers, keepalive, ...(method === 'GET' ? {} : { body }) });
  return new Response(answer.body, { status: answer.status });
}
