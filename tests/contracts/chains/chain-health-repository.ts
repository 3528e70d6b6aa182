/** The contract of ChainHealthRepository. */
import { describe, expect, test } from 'bun:test';
import type { FollowedChain, NotedHealth } from '../../../src/ports/chains/chain-health.ts';
import { aHash, anId, NOW, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export function describeChainHealthRepository(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: the health of chains`, () => {
    const storage = openedFor(open);
    const followed = async (chain: string): Promise<FollowedChain | null> =>
      (await storage.run(({ chainHealth }) => chainHealth.all())).get(chain) ?? null;
    const health = (given: Partial<NotedHealth> = {}): NotedHealth => ({
      ...{ state: 'behind', lagBlocks: 7, lagSeconds: 900, since: secondsAfter(5, NOW) },
      ...{ tip: { height: 30, time: NOW }, answeredAt: secondsAfter(9, NOW), fault: 'limited', told: null },
      ...given,
    });
    const note = (chain: string, noted: NotedHealth) =>
      storage.run(({ chainHealth }) => chainHealth.note(chain, noted));

    test('tells what was noted last, beside how far the chain was read', async () => {
      const chain = `chain ${anId()}`;
      expect(await followed(chain)).toBeNull();
      const never = health({
        state: 'never_reached',
        tip: null,
        answeredAt: null,
        lagBlocks: 0,
        lagSeconds: 0,
      });
      await note(chain, never);
      expect(await followed(chain)).toEqual({ read: null, noted: never });
      const cursor = { height: 23, hash: aHash(), coveredUntil: NOW, finalizedHeight: 11 };
      await storage.run(({ chains }) => chains.moveCursor(chain, null, cursor));
      await note(chain, health({ fault: null }));
      expect(await followed(chain)).toEqual({
        read: { height: 23, time: NOW },
        noted: health({ fault: null }),
      });
    });

    test('tells a chain that was read and never noted', async () => {
      const chain = `chain ${anId()}`;
      const cursor = { height: 23, hash: aHash(), coveredUntil: NOW, finalizedHeight: 11 };
      await storage.run(({ chains }) => chains.moveCursor(chain, null, cursor));
      expect(await followed(chain)).toEqual({ read: { height: 23, time: NOW }, noted: null });
    });

    test('tells the time of the block that was read, and not up to when all payments were seen', async () => {
      const chain = `chain ${anId()}`;
      const block = { height: 23, hash: aHash(), parentHash: aHash(), time: NOW.getTime() / 1000 };
      const cursor = { ...block, coveredUntil: secondsAfter(-120, NOW), finalizedHeight: 11 };
      await storage.run(({ chains }) => chains.moveCursor(chain, null, cursor));
      await storage.run(({ chains }) => chains.rememberBlocks(chain, [block], 10));
      expect(await followed(chain)).toEqual({ read: { height: 23, time: NOW }, noted: null });
    });

    test('of many who tell the same alarm at once one does, and a later note leaves it standing', async () => {
      const chain = `chain ${anId()}`;
      await note(chain, health());
      const first = { at: NOW, times: 1 };
      const tell = (change: { before: typeof first | null; now: typeof first | null }) =>
        storage.run(({ chainHealth }) => chainHealth.noteTold(chain, change));
      const told = await Promise.all(Array.from({ length: 5 }, () => tell({ before: null, now: first })));
      expect(told.filter(Boolean)).toHaveLength(1);
      await note(chain, health({ lagSeconds: 1_000 }));
      expect((await followed(chain))?.noted).toEqual(health({ lagSeconds: 1_000, told: first }));
      expect(await tell({ before: null, now: first })).toBe(false);
      expect(await tell({ before: first, now: null })).toBe(true);
      expect((await followed(chain))?.noted?.told).toBeNull();
    });
  });
}
