/**
 * R9: of several nodes each is asked for blocks that were read, as far as that is worth its calls,
 * and what any shows is told.
 */
import { describe, expect, test } from 'bun:test';
import { hasteNow } from '../../../../../src/adapters/chains/shared/nodes/urgency.ts';
import { blockOmissions } from '../../../../../src/adapters/chains/shared/read/omissions.ts';
import { toldBlocks } from '../../../../../src/adapters/chains/shared/read/told-blocks.ts';
import {
  ChainUnavailable,
  type ScannedBlock,
  type Transfer,
} from '../../../../../src/ports/chains/chain-scanner.ts';
import { watchingNobody } from '../../../../support/chains/watch-list.ts';
import { recordingLogger } from '../../../../support/evm/evm-lab.ts';

const payment = (height: number, nth: number): Transfer => ({
  ...{ txid: `${height}-${nth}`, output: 'native', asset: 'coin', to: 'us', from: null },
  ...{ units: 1n, kind: 'payment' },
});
const block = (height: number, transfers: readonly Transfer[] = []): ScannedBlock => ({
  ...{ height, hash: `b${height}`, parentHash: `b${height - 1}`, time: height, transfers },
});

/**
 * A node from which all is read, and another: of two payments in each of the `paid` blocks each
 * shows one. What is older than `kept` none has.
 */
function stage({ share = 1, paid = [] as readonly number[], first = 101, kept = 0, before = 4 } = {}) {
  const logger = recordingLogger();
  const told = toldBlocks();
  const asked: string[] = [];
  const taken: ScannedBlock[] = [];
  let away = false;
  const nodes = [{ label: 'first' }, { label: 'other' }] as const;
  const late = blockOmissions<(typeof nodes)[number]>({
    ...{ chain: 'test', logger, told, share, before, least: 4, most: 4 },
    pool: {
      size: 2,
      use: (work) => work(nodes[0]),
      every: (work) => Promise.all(nodes.filter(({ label }) => !away || label === 'first').map(work)),
      doubt: () => {},
    },
    async scan({ label }, { from, to }) {
      if (from < kept) throw new ChainUnavailable(`block ${from} is forgotten`);
      expect(hasteNow()).toEqual({ urgency: 'audit', hasChoice: true, round: null, spared: false });
      asked.push(`${label} ${from} ${to}`);
      const shows = (height: number) =>
        [0, 1].filter((nth) => paid.includes(height) && (label === 'other') === (nth === 1));
      const heights = Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
      return heights.map((height) =>
        block(
          height,
          shows(height).map((nth) => payment(height, nth)),
        ),
      );
    },
  });
  return {
    ...{ logger, asked, taken },
    read(to: number): void {
      const heights = Array.from({ length: to - first + 1 }, (_, offset) => first + offset);
      const blocks = heights.map((height) =>
        block(height, paid.includes(height) ? [payment(height, 0)] : []),
      );
      told.note('first', { from: first, to, after: { height: first - 1, hash: '' } }, blocks);
    },
    async look(upTo: number, times = 1): Promise<void> {
      for (let looks = 0; looks < times; looks++)
        await late(upTo, watchingNobody, async (blocks) => void taken.push(...blocks));
    },
    leave(isAway: boolean): void {
      away = isAway;
    },
  };
}

describe('blocks that were read from one of several nodes', () => {
  test('R9: are asked of the others once, and before them those that the process before read last', async () => {
    const { asked, taken, logger, read, look } = stage({ paid: [102] });
    read(120);
    await look(110, 9);
    expect(asked).toEqual(['first 97 100', 'other 97 100', 'other 101 104', 'other 105 108']);
    expect(taken).toEqual([block(102, [payment(102, 0), payment(102, 1)])]);
    const missing = (node: string) => ({ event: 'node.payments_missing', fields: { node, height: 102 } });
    expect(logger.lines).toMatchObject([missing('first'), missing('other')]);
  });

  test('R9: are looked at as far back as the process before had read what was not final', async () => {
    const { asked, read, look } = stage({ before: 12 });
    read(120);
    await look(115, 4);
    expect(asked.filter((each) => each.startsWith('other'))).toEqual([
      ...['other 89 92', 'other 93 96', 'other 97 100', 'other 101 104'],
    ]);
  });

  test('R9: wait for a node that is away, but not for ever', async () => {
    const { asked, taken, read, look, leave } = stage({ paid: [102, 106] });
    read(120);
    await look(110);
    leave(true);
    await look(110, 9);
    expect(taken).toEqual([]);
    await look(110);
    leave(false);
    await look(110);
    expect(taken.map(({ height }) => height)).toEqual([102, 106]);
    expect(taken[0]!.transfers).toHaveLength(1);
    expect(asked.slice(2)).toEqual(['other 105 108']);
  });

  test('R9: that no node has any more hold up none of those after them', async () => {
    const { taken, read, look } = stage({ paid: [102], kept: 101 });
    read(120);
    await look(110, 10);
    expect(taken).toEqual([]);
    await look(110);
    expect(taken.map(({ height }) => height)).toEqual([102]);
  });

  test('R9: are looked at in shares where that is dear, and all of them once one left something out', async () => {
    const { asked, taken, read, look } = stage({ share: 3, paid: [106] });
    read(140);
    await look(140, 2);
    expect(asked).toEqual(['other 105 108', 'other 109 112']);
    expect(taken.map(({ height }) => height)).toEqual([106]);
    const honest = stage({ share: 3 });
    honest.read(140);
    await honest.look(140, 9);
    expect(honest.asked).toEqual(['other 105 108', 'other 117 120', 'other 129 132']);
  });
});
