/**
 * How often the Solana scanner asks its node: providers count calls, and there are 216,000 slots a
 * day.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { solanaScanner } from '../../../../../src/adapters/chains/solana/read/scanner.ts';
import {
  type ChainScanner,
  ChainUnavailable,
  type ScannedBlock,
} from '../../../../../src/ports/chains/chain-scanner.ts';
import { watchingNobody } from '../../../../support/chains/watch-list.ts';
import { silentLogger } from '../../../../support/runtime/silent-logger.ts';
import { openSolanaLab, type SolanaLab } from '../../../../support/solana/lab.ts';

describe('a Solana node', () => {
  let lab: SolanaLab;
  let scanner: ChainScanner;
  let cursor: number;
  let asked: string[] = [];
  const counting = Object.assign(
    (url: string | URL | Request, init: RequestInit = {}) => {
      const calls = [JSON.parse(String(init.body))].flat() as { method: string }[];
      asked.push(...calls.map(({ method }) => method));
      return lab.node.answer(String(url), init);
    },
    { preconnect: fetch.preconnect },
  );
  beforeAll(() => {
    lab = openSolanaLab();
  });
  beforeEach(async () => {
    scanner = solanaScanner({
      ...{ chain: 'solana', network: 'test', rpc: [lab.node.url], nativeAsset: 'sol_solana' },
      tokens: [{ asset: 'usdc_solana', contract: lab.mints.usdc.mint, decimals: 6 }],
      logger: silentLogger,
      fetch: counting,
    });
    lab.ledger.mine(50);
    cursor = (await scanner.head()).tip.height - 1;
    await poll();
  });
  afterAll(async () => {
    await scanner.close();
    await lab.stop();
  });

  /** As app/watching/watch-chain.ts does it. */
  async function poll(): Promise<readonly ScannedBlock[]> {
    asked = [];
    const { tip } = await scanner.head();
    if (tip.height === cursor) return [];
    const to = Math.min(tip.height, cursor + scanner.maxRange);
    const blocks = await scanner.blocks({ from: cursor + 1, to }, watchingNobody);
    cursor = to;
    return blocks;
  }
  const times = (method: string, count: number): string[] => Array.from({ length: count }, () => method);

  test('is asked for each block once, and twice more for all that are new', async () => {
    lab.ledger.mine(8);
    lab.ledger.skip(3);
    lab.ledger.mine(7);
    const blocks = await poll();
    expect(blocks).toHaveLength(15);
    expect(asked.toSorted()).toEqual([...times('getBlock', 15), 'getBlockHeight', 'getBlocksWithLimit']);
    // A poll every six seconds finds fifteen blocks at most.
    const callsADay = (86_400 / 6) * asked.length;
    expect(callsADay).toBeLessThanOrEqual(250_000);
  });

  test('is asked what is final only where something waits for it', async () => {
    const { finalizedHeight } = await scanner.head();
    lab.ledger.mine(3);
    asked = [];
    const { tip, ...then } = await scanner.head({ finality: false });
    expect(tip.height).toBe(lab.ledger.tip('confirmed').height);
    expect(then).toEqual({ finalizedHeight });
    expect(asked).toEqual(['getBlocksWithLimit', 'getBlock']);
    expect((await scanner.head()).finalizedHeight).toBe(finalizedHeight + 3);
  });

  test('is asked for the slots that follow once in five hundred blocks where many are missing', async () => {
    lab.ledger.mine(300);
    for (let range = 0; range < 4; range++) expect(await poll()).toHaveLength(32);
    expect(asked.toSorted()).toEqual([...times('getBlock', 33), 'getBlockHeight', 'getSlot']);
  });

  test('is believed only where its blocks follow on each other, and is asked anew after a reorganisation', async () => {
    lab.ledger.mine(5);
    await poll();
    // Three blocks are replaced by two, in slots that come later.
    lab.ledger.fork(3);
    lab.ledger.mine(2);
    const { tip } = await scanner.head();
    expect(tip).toMatchObject({ hash: lab.ledger.tip('confirmed').blockhash, height: cursor - 1 });
    lab.ledger.mine(4);
    const { height } = (await scanner.head()).tip;
    const follow = await scanner.blocks({ from: cursor + 1, to: height }, watchingNobody).catch(() => null);
    // What it answers does not follow on what was read, whoever asks.
    expect(follow?.[0]?.parentHash).not.toBe((await scanner.blockAt(cursor - 3))?.hash);
    const again = await scanner.blocks({ from: cursor - 2, to: height }, watchingNobody);
    expect(again.map(({ hash }) => hash)).toEqual(
      lab.ledger
        .blocks()
        .slice(-6)
        .map(({ blockhash }) => blockhash),
    );
  });

  test('that tells slots before their blocks is read up to the last block there is', async () => {
    lab.ledger.mine(6);
    lab.node.settings.unready = 2;
    expect(await poll()).toHaveLength(4);
    delete lab.node.settings.unready;
    expect(await poll()).toHaveLength(2);
    lab.node.settings.instead = (method) => (method === 'getBlock' ? null : undefined);
    lab.ledger.mine(2);
    await expect(poll()).rejects.toThrow(ChainUnavailable);
    delete lab.node.settings.instead;
    expect(await poll()).toHaveLength(2);
  });
});
