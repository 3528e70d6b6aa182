/** The contract of NodeUsageRepository. */
import { describe, expect, test } from 'bun:test';
import type { NodeUse } from '../../../src/ports/chains/node-usage.ts';
import { anId, NOW, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

const DAY = 20_605;

export function describeNodeUsageRepository(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: what was used of nodes`, () => {
    const storage = openedFor(open);
    const use = (chain: string, node: string, calls: number, day = DAY): NodeUse => ({
      ...{ chain, node, state: 'able' },
      used: { day, calls, refusals: 1, bytes: calls * 3_000_000_000 },
    });
    const add = (uses: readonly NodeUse[], at = NOW) =>
      storage.run(({ nodeUsage }) => nodeUsage.add(uses, at));
    const noted = async (chain: string, day = DAY) =>
      (await storage.run(({ nodeUsage }) => nodeUsage.since(day))).filter((one) => one.chain === chain);

    test('is added up by day, in whatever order and by however many at once, and the sums are answered', async () => {
      const chain = `chain ${anId()}`;
      const [a, b] = ['node 1 (a.example)', 'node 2 (b.example)'];
      expect(await add([use(chain, b, 5), use(chain, a, 0)])).toEqual([
        { day: DAY, calls: 5, refusals: 1, bytes: 15_000_000_000 },
        { day: DAY, calls: 0, refusals: 1, bytes: 0 },
      ]);
      await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          add(i % 2 === 0 ? [use(chain, a, 1), use(chain, b, 2)] : [use(chain, b, 2), use(chain, a, 1)]),
        ),
      );
      const [total] = await add([{ ...use(chain, a, 1), state: 'limited' }], secondsAfter(60, NOW));
      expect(total?.calls).toBe(9);
      expect((await noted(chain)).map(({ node, state, used }) => [node, state, used.calls])).toEqual([
        [a, 'limited', 9],
        [b, 'able', 21],
      ]);
    });

    test('is noted with the state of its stream, which a process that does not listen leaves as it is', async () => {
      const chain = `chain ${anId()}`;
      const one = use(chain, 'node 1 (a)', 1);
      const seen = [];
      for (const stream of [null, true, null, false]) {
        await add([{ ...one, stream }]);
        seen.push((await noted(chain))[0]?.stream);
      }
      expect(seen).toEqual([null, true, true, false]);
    });

    test('keeps days apart, with the time that each was counted over, until they are forgotten', async () => {
      const chain = `chain ${anId()}`;
      await add([use(chain, 'node 1 (a)', 7, DAY)]);
      await add([use(chain, 'node 1 (a)', 2, DAY + 1)], secondsAfter(60, NOW));
      await add([use(chain, 'node 1 (a)', 2, DAY + 1)], secondsAfter(90, NOW));
      expect((await noted(chain)).map(({ used }) => [used.day, used.calls])).toEqual([
        [DAY, 7],
        [DAY + 1, 4],
      ]);
      const [today] = await noted(chain, DAY + 1);
      expect([today?.countedFrom, today?.countedUntil]).toEqual([
        secondsAfter(60, NOW),
        secondsAfter(90, NOW),
      ]);
      await storage.run(({ nodeUsage }) => nodeUsage.forgetBefore(DAY + 1));
      expect((await noted(chain)).map(({ used }) => used.day)).toEqual([DAY + 1]);
    });
  });
}
