/** Review of stage 3: when the Monero wallet reads all of its blocks again, during which it sees no payment. */
import { afterEach, expect, test } from 'bun:test';
import { moneroScanner } from '../../src/adapters/chains/monero/scanner.ts';
import { MERCHANT } from '../support/monero-lab.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { watchingNobody } from '../support/watch-list.ts';

const hash = (digit: string): string => digit.repeat(64);
const header = {
  height: 10,
  hash: hash('b'),
  prev_hash: hash('a'),
  timestamp: 1_790_000_000,
  miner_tx_hash: hash('e'),
};

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Both programs at block 10; the wallet has read it, and remembers what it is told. */
function programs(attributes: Map<string, string>) {
  const asked: string[] = [];
  const answer = (method: string, params: Record<string, string>): unknown => {
    asked.push(method);
    switch (method) {
      case 'get_info':
        return { nettype: 'fakechain' };
      case 'get_last_block_header':
      case 'get_block_header_by_height':
        return { block_header: header };
      case 'get_block_headers_range':
        return { headers: [header] };
      case 'get_address':
        return { address: MERCHANT.primaryAddress };
      case 'get_attribute':
        return { value: attributes.get(params.key!) };
      case 'set_attribute':
        attributes.set(params.key!, params.value!);
        return {};
      case 'get_height':
        return { height: 11 };
      case 'refresh':
        return { blocks_fetched: 0 };
      default:
        return {};
    }
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { method, params } = (await request.json()) as { method: string; params: Record<string, string> };
      return new Response(JSON.stringify({ result: answer(method, params) }));
    },
  });
  ends.push(() => server.stop(true));
  return { asked, url: `http://127.0.0.1:${server.port}` };
}

test('a jump of the reserved indexes between two blocks (some instances start together) does not make the wallet read its whole history', async () => {
  const attributes = new Map([
    ['quittance.floor', '5'],
    ['quittance.covered', '612'],
  ]);
  const { asked, url } = programs(attributes);
  const scanner = moneroScanner({
    ...{ chain: 'monero', asset: 'xmr_monero', rpc: [url], walletRpc: url, keys: MERCHANT },
    ...{ confirmations: 10, startHeight: null, logger: silentLogger },
  });
  ends.push(() => scanner.close());
  const reserved = (indexes: number) => ({ ...watchingNobody, reservedIndexes: async () => indexes });
  // All blocks were read and asked for while the wallet knew every address that there was.
  await scanner.blocks({ from: 10, to: 10 }, reserved(100));
  // Three instances start, each reserves a block of addresses; no new block has come.
  await scanner.pending(reserved(100 + 3 * 256));
  expect(attributes.get('quittance.covered')).toBe('1380');
  expect(asked).not.toContain('rescan_blockchain');
});
