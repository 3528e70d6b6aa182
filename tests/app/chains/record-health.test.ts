/** The health of chains as several workers note it, with clocks that are wrong. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { type HealthNotes, type HealthTerms, healthNotes } from '../../../src/app/chains/record-health.ts';
import { knownTip } from '../../../src/app/chains/watch-health.ts';
import type { ChainHealthRepository, FollowedChain } from '../../../src/ports/chains/chain-health.ts';
import type { Repositories, UnitOfWork } from '../../../src/ports/repositories.ts';
import { aHash } from '../../support/builders.ts';
import { type TestClock, testClock } from '../../support/runtime/test-clock.ts';

const HOURS = 3_600;
const TERMS: HealthTerms = { restSeconds: 0, boundSeconds: 600 };

describe('the health of a chain', () => {
  let followed: Map<string, FollowedChain>;
  let unitOfWork: UnitOfWork;
  /** The right time, whatever the clocks of workers say. */
  let time: TestClock;
  beforeEach(() => {
    followed = new Map();
    time = testClock();
    const chainHealth: ChainHealthRepository = {
      all: async () => followed,
      note: async (chain, noted) => {
        followed.set(chain, {
          read: followed.get(chain)?.read ?? null,
          noted: { ...noted, told: null },
        });
      },
      noteTold: async () => true,
    };
    unitOfWork = { run: (work) => work({ chainHealth } as Repositories) };
  });

  /**
   * A worker whose clock is ahead by `ahead`; it reads to the tip, which is `old` seconds of age.
   */
  function worker(chains: readonly string[], ahead = 0) {
    let apart = ahead;
    const clock = { now: () => new Date(time.now().getTime() + apart * 1_000) };
    const tips = new Map<string, { height: number; time: number; at: Date }>();
    const heard = (chain: string) => () => {
      const tip = tips.get(chain);
      return tip ? { tip: { ...tip, hash: aHash(), parentHash: aHash() }, at: tip.at } : null;
    };
    const notes: HealthNotes = healthNotes(
      { clock, unitOfWork },
      new Map(chains.map((chain) => [chain, { ...TERMS, heard: heard(chain) }])),
    );
    return {
      setAhead: (seconds: number) => {
        apart = seconds;
      },
      async reads(chain: string, old = 0) {
        const seconds = Math.floor(time.now().getTime() / 1_000) - old;
        tips.set(chain, { height: seconds, time: seconds, at: clock.now() });
        const read = { height: seconds, time: new Date(seconds * 1_000) };
        followed.set(chain, { noted: followed.get(chain)?.noted ?? null, read });
        await notes.note(chain, null);
      },
      fails: (chain: string) => notes.note(chain, 'unreachable'),
    };
  }
  const state = (chain: string) => followed.get(chain)?.noted?.state;

  test('K7: is sound where the clock is hours ahead, as long as another chain tells the time', async () => {
    const wrong = worker(['tron', 'ton'], 3 * HOURS);
    for (let round = 0; round < 3; round += 1) {
      for (const chain of ['tron', 'ton']) await wrong.reads(chain);
      time.advance(20);
    }
    expect([state('tron'), state('ton')]).toEqual(['ok', 'ok']);
  });

  test('is sound where the nodes of one other chain tell a time that is yet to come', async () => {
    const right = worker(['tron', 'ton', 'solana']);
    await right.reads('tron', -24 * HOURS);
    for (const chain of ['ton', 'solana']) await right.reads(chain);
    expect([state('ton'), state('solana')]).toEqual(['ok', 'ok']);
  });

  test('is behind where its nodes stand still, by the other chains’ time or by our clock', async () => {
    const right = worker(['tron', 'ton']);
    await right.reads('ton');
    await right.reads('tron', 700);
    expect([state('ton'), state('tron')]).toEqual(['ok', 'behind']);
    followed.clear();
    const alone = worker(['tron']);
    await alone.reads('tron', 700);
    expect(state('tron')).toBe('behind');
  });

  test('is not away as long as one of two workers reaches it', async () => {
    const [reaching, cut] = [worker(['tron']), worker(['tron'])];
    await cut.reads('tron');
    for (let round = 0; round < 30; round += 1) {
      time.advance(20);
      await reaching.reads('tron');
      await cut.fails('tron');
      expect(followed.get('tron')?.noted).toMatchObject({ state: 'ok', fault: 'unreachable' });
    }
  });

  test('K7: is told rightly at once when a clock that was ahead is set right', async () => {
    const one = worker(['tron'], 3 * HOURS);
    await one.reads('tron');
    one.setAhead(0);
    time.advance(20);
    await one.reads('tron');
    expect(followed.get('tron')?.noted).toMatchObject({ answeredAt: time.now(), state: 'ok' });
    time.advance(130);
    await one.fails('tron');
    expect(state('tron')).toBe('away');
  });
});

describe('the tip that is known of a chain', () => {
  const at = (height: number) => ({ height, time: new Date(0) });
  const noted = (tip: ReturnType<typeof at> | null) => ({ tip }) as FollowedChain['noted'];

  test('is not known before a block was seen', () => {
    expect([knownTip({ read: null, noted: null }), knownTip({ read: null, noted: noted(null) })]).toEqual([
      null,
      null,
    ]);
  });

  test('is never below what was read: notes of it are older than the cursor', () => {
    expect(knownTip({ read: at(39), noted: noted(at(0)) })).toBe(39);
    expect(knownTip({ read: at(39), noted: noted(at(45)) })).toBe(45);
    expect(knownTip({ read: at(39), noted: null })).toBe(39);
  });
});
