/** A node as a service sees it, whose requests are counted. */
import type { DrillNode } from './drill-chain.ts';

export interface CountingNode {
  readonly url: string;
  readonly requests: number;
  readonly broadcasts: number;
  /** The requests by what they ask, beside the broadcasts. */
  readonly asked: ReadonlyMap<string, number>;
  stop(): void;
}

/** A proxy that hands everything on, and counts it. */
export function startCountingNode(node: DrillNode): CountingNode {
  const { origin } = new URL(node.url);
  let [requests, broadcasts] = [0, 0];
  const asked = new Map<string, number>();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const body = await request.text();
      const { pathname, search } = new URL(request.url);
      if (`${pathname} ${body}`.includes(node.broadcastMethod)) broadcasts += 1;
      else {
        requests += 1;
        const what = askedIn(pathname, body);
        asked.set(what, (asked.get(what) ?? 0) + 1);
      }
      const headers = { 'content-type': 'application/json' };
      const { method } = request;
      const given = method === 'GET' ? {} : { body };
      const answer = await fetch(`${origin}${pathname}${search}`, { method, headers, ...given });
      return new Response(answer.body, { status: answer.status });
    },
  });
  const url = new URL(node.url);
  url.port = String(server.port);
  return {
    url: url.href.replace(/\/$/, ''),
    get requests() {
      return requests;
    },
    get broadcasts() {
      return broadcasts;
    },
    asked,
    stop: () => void server.stop(true),
  };
}

/** The methods of a request: of its body where that is JSON-RPC, or else its path. */
function askedIn(path: string, body: string): string {
  const methods = [...body.matchAll(/"method":"(\w+)"/g)].map(([, method]) => method);
  return methods.length === 0 ? path : [...new Set(methods)].join(' ');
}
