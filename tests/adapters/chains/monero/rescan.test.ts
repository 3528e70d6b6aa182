/** When the Monero wallet reads all of its blocks again, during which it sees no payment. */
import { afterEach, expect, test } from 'bun:test';
import { moneroScanner } from '../../../../src/adapters/chains/monero/scanner.ts';
import type { ChainScanner } from '../../../../src/ports/chains/chain-scanner.ts';
import { watchingNobody } from '../../../support/chains/watch-list.ts';
import { MERCHANT } from '../../../support/monero/monero-lab.ts';
import { silentLogger } from '../../../support/runtime/silent-logger.ts';

const hash = (digit: string): string => digit.repeat(64);
const header = {
  height: 10,
  hash: hash('b'),
  prev_hash: hash('a'),
  timestamp: 1_790_000_000,
  miner_tx_hash: hash('e'),
};

const NOT_FOUND = { code: -45, message: 'Attribute not found.' };

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
        return attributes.has(params.key!) ? { value: attributes.get(params.key!) } : NOT_FOUND;
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
      const answered = answer(method, params);
      return Response.json(answered === NOT_FOUND ? { error: NOT_FOUND } : { result: answered });
    },
  });
  ends.push(() => server.stop(true));
  return { asked, url: `http://127.0.0.1:${server.port}` };
}

/** A scanner of its own; blocks up to 10 are there. */
function opened(url: string): ChainScanner {
  const scanner = moneroScanner({
    ...{ chain: 'monero', asset: 'xmr_monero', rpc: [url], walletRpc: url, keys: MERCHANT },
    ...{ confirmations: 10, startHeight: null, logger: silentLogger },
  });
  ends.push(() => scanner.close());
  return scanner;
}
const reserved = (indexes: number) => ({ ...watchingNobody, reservedIndexes: async () => indexes });
const attributesOf = (more: Readonly<Record<string, string>> = {}) =>
  new Map(Object.entries({ 'quittance.floor': '5', 'quittance.covered': '612', ...more }));

for (const restarted of [false, true])
  test(`a jump of the reserved indexes between two blocks does not make the wallet read its whole history, ${restarted ? 'neither after a restart' : 'when some instances start together'}`, async () => {
    const attributes = attributesOf();
    const { asked, url } = programs(attributes);
    const scanner = opened(url);
    // All blocks were read and asked for while the wallet knew every address that there was.
    await scanner.blocks({ from: 10, to: 10 }, reserved(100));
    // Three instances start, each reserves a block of addresses; no new block has come.
    await (restarted ? opened(url) : scanner).pending(reserved(100 + 3 * 256));
    expect(attributes.get('quittance.covered')).toBe('1380');
    expect(asked).not.toContain('rescan_blockchain');
  });

test.each([
  ['that nobody has asked for yet', attributesOf({ 'quittance.asked': '9' })],
  ['and was never asked for any', attributesOf()],
])('a wallet that read a block %s reads again, when it did not know every address', async (_, attributes) => {
  const { asked, url } = programs(attributes);
  await opened(url).pending(reserved(868));
  expect(asked).toContain('rescan_blockchain');
  expect(attributes.get('quittance.covered')).toBe('1380');
});
