/** When a node that did not trace is asked for traces again. */
import { expect, test } from 'bun:test';
import type { NodeBlock } from '../../../../../src/adapters/chains/evm/decode.ts';
import { blockTraces } from '../../../../../src/adapters/chains/evm/read/traces.ts';
import { RpcError } from '../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import type { RpcNode } from '../../../../../src/adapters/chains/shared/nodes/rpc-node.ts';
import { silentLogger } from '../../../../support/runtime/silent-logger.ts';

test('R4: a plan without traces is asked again after an hour', async () => {
  const block = { transactions: [{}] } as unknown as NodeBlock;
  for (const [code, message] of [
    [-32_601, 'the method debug_traceBlockByHash does not exist/is not available'],
    [-32_600, 'debug_traceBlockByHash is not available on the Free tier - upgrade to Pay As You Go'],
    [-32_004, 'Unsupported method'],
  ] as const) {
    let [now, asked] = [0, 0];
    const call = async (): Promise<never> => {
      asked += 1;
      throw new RpcError(code, message);
    };
    const node = { label: 'node 1', call } as unknown as RpcNode;
    const traces = blockTraces({ chain: 'ethereum', logger: silentLogger, time: { now: () => now } });
    for (const [at, times] of [
      [0, 1],
      [3_599_000, 1],
      [3_600_000, 2],
    ] as const) {
      now = at;
      expect(await traces.framesOf(node, [block])).toBeNull();
      expect(asked).toBe(times);
    }
  }
});
