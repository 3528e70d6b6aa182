/** One node over JSON-RPC: what it sends without end does not fill our memory. */
import { expect, test } from 'bun:test';
import { nodeEndpoint } from '../../../../../src/adapters/chains/shared/nodes/node-endpoint.ts';
import { NodeError } from '../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import { rpcNode } from '../../../../../src/adapters/chains/shared/nodes/rpc-node.ts';

const MAX = 200_000;

test('an answer that is longer than the limit is given up on the way, and one below it is read', async () => {
  let sent = 0;
  let endless = true;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () =>
      endless
        ? new Response(
            new ReadableStream({
              async pull(controller) {
                sent += 50_000;
                controller.enqueue(new Uint8Array(50_000).fill(32));
                await Bun.sleep(1);
              },
            }),
          )
        : Response.json({ jsonrpc: '2.0', id: 1, result: 'é'.repeat(50_000) }),
  });
  const node = rpcNode({
    endpoint: nodeEndpoint({ url: `http://127.0.0.1:${server.port}` }, 0),
    timeoutMs: 20_000,
    fetch,
    closed: new AbortController().signal,
    answerBytesMax: MAX,
  });
  const refused = await node.call('x').catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(NodeError);
  expect((refused as Error).message).toContain('too big');
  expect(sent).toBeLessThan(100 * MAX);
  endless = false;
  expect(await node.call('x')).toBe('é'.repeat(50_000));
  await server.stop(true);
});
