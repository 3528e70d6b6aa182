/**
 * The clock is held against the chains: told once when it is wrong for a while, and never for a
 * chain that is quiet or a node that is away.
 */
import { beforeEach, describe, expect, test } from 'bun:test';
import { clockCheck } from '../../../src/app/chains/check-clock.ts';
import { type ChainHead, ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import type { UnitOfWork } from '../../../src/ports/repositories.ts';
import { recordingLogger } from '../../support/evm/evm-lab.ts';
import { testClock } from '../../support/runtime/test-clock.ts';

const clock = testClock();
const clockSeconds = () => clock.now().getTime() / 1000;

/**
 * A chain whose newest block is this much older than our clock says; null: its node is away. A
 * block comes before each look.
 */
function chainThatIs(behind: () => number | null) {
  let height = 0;
  return {
    head: async (): Promise<ChainHead> => {
      const seconds = behind();
      if (seconds === null) throw new ChainUnavailable('away');
      height += 1;
      const tip = { height, hash: `${height}`, parentHash: '', time: clockSeconds() - seconds };
      return { tip, finalizedHeight: height };
    },
  };
}

describe('the machine’s clock', () => {
  let logger: ReturnType<typeof recordingLogger>;
  let open: { lastAt: Date }[];
  beforeEach(() => {
    logger = recordingLogger();
    open = [];
  });
  const unitOfWork = {
    run: (work: (on: unknown) => unknown) => work({ operatorNotices: { openOf: async () => open } }),
  } as unknown as UnitOfWork;
  const told = () => logger.lines.map(({ event }) => event);
  const checkOf = (chains: Record<string, ReturnType<typeof chainThatIs>>) =>
    clockCheck({ clock, logger, unitOfWork }, new Map(Object.entries(chains)));
  async function looks(check: () => Promise<void>, times: number): Promise<void> {
    for (let look = 0; look < times; look += 1) await check();
  }

  test.each([
    ['ahead', 3 * 3_600],
    ['behind', -3 * 3_600],
    ['a minute ahead', 61],
    ['a minute behind', -61],
  ])('K7: %s for a while is an alarm, once, and its end is told', async (_, apart) => {
    let wrong = apart;
    const check = checkOf({ ethereum: chainThatIs(() => wrong), tron: chainThatIs(() => wrong) });
    await looks(check, 3);
    expect(told()).toEqual([]);
    await looks(check, 10);
    expect(logger.lines).toMatchObject([{ event: 'clock.differs', fields: { aheadSeconds: apart } }]);
    wrong = 5;
    await looks(check, 2);
    expect(told()).toEqual(['clock.differs', 'clock.agrees']);
  });

  test('K7: an alarm repeats each hour while it lasts', async () => {
    const check = checkOf({ ethereum: chainThatIs(() => 500) });
    await looks(check, 9);
    clock.advance(3_599);
    await looks(check, 1);
    expect(told()).toEqual(['clock.differs']);
    clock.advance(1);
    await looks(check, 3);
    expect(told()).toEqual(['clock.differs', 'clock.differs']);
  });

  test('K7: after a restart the alarm of an earlier process ends, once nobody raises it any more', async () => {
    const check = checkOf({ ethereum: chainThatIs(() => 5) });
    // Another machine may still see it.
    open = [{ lastAt: clock.now() }];
    for (let hour = 0; hour < 2; hour += 1) {
      await looks(check, 9);
      expect(told()).toEqual([]);
      clock.advance(3_600);
    }
    await looks(check, 2);
    expect(told()).toEqual(['clock.agrees']);
    open = [];
    await looks(check, 9);
    clock.advance(7_200);
    await looks(check, 9);
    expect(told()).toEqual(['clock.agrees']);
  });

  test('K7: an alarm of a machine that is hours behind does not end while that machine raises it', async () => {
    const check = checkOf({ ethereum: chainThatIs(() => 5) });
    for (let hour = 0; hour < 9; hour += 1) {
      open = [{ lastAt: new Date(clock.now().getTime() - 3 * 3_600_000) }];
      await looks(check, 9);
      clock.advance(3_600);
    }
    expect(told()).toEqual([]);
  });

  test('K7: is not doubted for one chain of several, for blocks up to a minute old, or by miners of two hours', async () => {
    await looks(checkOf({ ethereum: chainThatIs(() => 12), tron: chainThatIs(() => 9_000) }), 9);
    await looks(checkOf({ ethereum: chainThatIs(() => 60) }), 9);
    await looks(checkOf({ bitcoin: chainThatIs(() => -7_000), litecoin: chainThatIs(() => 3_000) }), 9);
    await looks(checkOf({ ethereum: chainThatIs(() => 3), bitcoin: chainThatIs(() => -7_000) }), 9);
    expect(told()).toEqual([]);
    await looks(checkOf({ bitcoin: chainThatIs(() => 10_800) }), 9);
    expect(told()).toEqual(['clock.differs']);
  });

  test('K7: is not doubted for a chain without new blocks, nor for nodes that are away', async () => {
    const tip = { height: 7, hash: '7', parentHash: '', time: clockSeconds() - 9_000 };
    const quiet = { head: async () => ({ tip, finalizedHeight: 7 }) };
    const away = chainThatIs(() => null);
    await looks(
      clockCheck(
        { clock, logger, unitOfWork },
        new Map([
          ['ethereum', quiet],
          ['tron', away],
        ] as const),
      ),
      9,
    );
    await looks(checkOf({}), 9);
    let looksMade = 0;
    // Two odd blocks in a row, and a sound one between them and the next.
    const odd = chainThatIs(() => {
      looksMade += 1;
      return looksMade % 3 === 0 ? 4 : 500;
    });
    await looks(checkOf({ ethereum: odd }), 20);
    expect(told()).toEqual([]);
  });
});
