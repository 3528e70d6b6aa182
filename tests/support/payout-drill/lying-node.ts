/**
 * A proxy before a node that treats broadcasts as the worst gateways do: of those it gets it drops 10 %, claims to have taken
 * 5 %, and cuts the connection after having taken 20 %. Everything else goes through.
 */
import { seeded } from '../seeded.ts';

export interface LyingNode {
  readonly url: string;
  /** Broadcasts that were dropped, falsely accepted, and taken without an answer. */
  readonly told: { dropped: number; lied: number; silent: number; passed: number };
  stop(): Promise<void>;
}

export function startLyingNode(target: string, seed: number): LyingNode {
  const random = seeded(seed);
  const told = { dropped: 0, lied: 0, silent: 0, passed: 0 };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const body = await request.text();
      const forward = () =>
        fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      if (!body.includes('eth_sendRawTransaction')) return new Response((await forward()).body);
      const fate = random.int(1_000) / 1_000;
      if (fate < 0.1) {
        told.dropped += 1;
        return new Response('bad gateway', { status: 502 });
      }
      if (fate < 0.15) {
        told.lied += 1;
        return Response.json({ jsonrpc: '2.0', id: JSON.parse(body).id, result: `0x${'5'.repeat(64)}` });
      }
      const answer = await forward();
      if (fate < 0.35) {
        told.silent += 1;
        await answer.arrayBuffer();
        return new Response('gateway timeout', { status: 504 });
      }
      told.passed += 1;
      return new Response(answer.body);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, told, stop: () => server.stop(true) };
}
