/**
 * How often the Tron scanner asks its node: providers count calls, and at the tip every block
 * counts.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { tronScanner } from '../../../../../src/adapters/chains/tron/read/scanner.ts';
import type { ChainScanner, ScannedBlock } from '../../../../../src/ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../../src/ports/chains/watch-list.ts';
import { watching, watchingNobody } from '../../../../support/chains/watch-list.ts';
import { silentLogger } from '../../../../support/runtime/silent-logger.ts';
import { openTronLab, type TronLab } from '../../../../support/tron/lab.ts';

const SOLID = '/walletsolidity/getblock';
const TIP = '/wallet/getblock';
const BLOCKS = '/wallet/getblockbylimitnext';
const INFOS = '/wallet/gettransactioninfobyblocknum';

describe('a Tron node', () => {
  let lab: TronLab;
  let scanner: ChainScanner;
  let cursor: number;
  beforeAll(async () => {
    lab = await openTronLab();
  });
  beforeEach(async () => {
    scanner = tronScanner({
      ...{ chain: 'tron', network: 'main', rpc: [lab.server.node.url], asset: 'trx_tron' },
      tokens: [{ asset: 'usdt_tron', contract: lab.contracts.usdt, decimals: 6 }],
      confirmations: null,
      logger: silentLogger,
    });
    await lab.mine();
    cursor = (await scanner.head()).tip.height - 1;
    await poll();
  });
  afterAll(async () => {
    await scanner.close();
    await lab.server.stop();
  });

  /** As app/watching/watch-chain.ts does it. */
  async function poll(watch: WatchList = watchingNobody): Promise<readonly ScannedBlock[]> {
    lab.server.node.behave({});
    const { tip } = await scanner.head();
    if (tip.height === cursor) return [];
    const to = Math.min(tip.height, cursor + scanner.maxRange);
    const blocks = await scanner.blocks({ from: cursor + 1, to }, watch);
    cursor = to;
    return blocks;
  }
  /** Blocks with a stranger's payment each. */
  async function busy(count: number): Promise<void> {
    for (let mined = 0; mined < count; mined++) {
      await lab.payTrx(lab.freshAddress(), 5n);
      await lab.mine();
    }
  }

  test('is asked for each block once, and twice more for all that are new', async () => {
    await busy(2);
    expect(await poll()).toHaveLength(2);
    expect(lab.server.node.asked).toEqual([SOLID, BLOCKS, INFOS, INFOS]);
    // A poll every six seconds finds two blocks.
    const callsADay = (86_400 / 6) * lab.server.node.asked.length;
    expect(callsADay).toBeLessThanOrEqual(60_000);
  });

  test('is asked what is solidified only where something waits for it', async () => {
    const { finalizedHeight } = await scanner.head();
    await busy(3);
    lab.server.node.behave({});
    const { tip, ...then } = await scanner.head({ finality: false });
    expect(tip.height).toBe(lab.server.chain.tip().height);
    expect(then).toEqual({ finalizedHeight });
    expect(lab.server.node.asked).toEqual([BLOCKS]);
    expect((await scanner.head()).finalizedHeight).toBe(finalizedHeight + 3);
  });

  test('is asked whether it still has the blocks only where one of ours is in them', async () => {
    const to = lab.freshAddress();
    await lab.payTrx(to, 5n);
    await lab.mine();
    expect((await poll(watching([to])))[0]?.transfers).toMatchObject([{ to, units: 5n }]);
    expect(lab.server.node.asked).toEqual([SOLID, BLOCKS, INFOS, TIP]);
  });

  test('is asked for its tip while nothing is new, and where more than a range is', async () => {
    expect(await poll()).toEqual([]);
    expect(lab.server.node.asked).toEqual([SOLID, BLOCKS, TIP]);
    await lab.mine(20);
    expect(await poll()).toHaveLength(8);
    expect(lab.server.node.asked).toEqual([SOLID, BLOCKS, TIP]);
    expect(await poll()).toHaveLength(8);
    expect(lab.server.node.asked).toEqual([SOLID, TIP, BLOCKS]);
    expect(await poll()).toHaveLength(4);
  });

  test('never has blocks of a lost branch told again', async () => {
    const to = lab.freshAddress();
    await lab.payTrx(to, 5n);
    await lab.mine(2);
    const lost = await poll(watching([to]));
    expect(lost.flatMap(({ transfers }) => transfers)).toHaveLength(1);
    await lab.server.chain.fork(2);
    const { tip } = await scanner.head();
    const from = cursor - 1;
    const blocks = await scanner.blocks({ from, to: tip.height }, watching([to]));
    expect(blocks.flatMap(({ transfers }) => transfers)).toEqual([]);
    for (const { height, hash } of blocks) expect(lab.server.chain.block(height)!.id).toBe(hash);
  });
});
