/** How often the database is asked for a merchant's keys, and whom they let in meanwhile. */
import { describe, expect, test } from 'bun:test';
import { keyThatFits } from '../../../src/app/merchants/key-that-fits.ts';
import { strangersBound } from '../../../src/app/merchants/unknown-key-budget.ts';
import { testClock } from '../../support/runtime/test-clock.ts';

type Needs = Parameters<typeof keyThatFits>[0];

/** Keys are sealed as they are. */
function desk(keys: Record<string, string>) {
  const clock = testClock();
  let reads = 0;
  const merchants = {
    async signingKeys(id: string, environment: string) {
      const current = keys[id];
      return environment === 'live' && current !== undefined ? { current, other: null, secrets: [] } : null;
    },
  };
  const unitOfWork = {
    run(work: (repositories: unknown) => unknown) {
      reads += 1;
      return work({ merchants });
    },
  };
  const deps = { clock, unitOfWork, vault: { open: (sealed: string) => sealed } } as unknown as Needs;
  const find = keyThatFits(deps, strangersBound(clock));
  return {
    clock,
    keys,
    reads: () => reads,
    ask: (merchant: string, key: string, admitted = true) =>
      find(
        merchant,
        (each) => each === key,
        () => admitted,
      ),
  };
}

describe('W4: a merchant that a signature names', () => {
  test('is looked up once in five seconds for good ones, and a revoked key ends with that', async () => {
    const { ask, reads, clock, keys } = desk({ a: 'good' });
    for (let time = 0; time < 5; time++) expect(await ask('a', 'good')).toBe('good');
    expect(reads()).toBe(1);
    keys.a = 'next';
    clock.advance(5);
    expect(await ask('a', 'good', false)).toBeNull();
    expect(reads()).toBe(2);
  });

  test('is looked up at once for a key that is younger than what is kept, unless its address may not try', async () => {
    const { ask, keys } = desk({ a: 'good' });
    await ask('a', 'good');
    keys.a = 'next';
    expect(await ask('a', 'next', false)).toBeNull();
    expect(await ask('a', 'next')).toBe('next');
  });

  test('is looked up once for all that ask for it at the same moment, also when what is kept has ended', async () => {
    const { ask, reads, clock } = desk({ a: 'good' });
    const storm = () =>
      Promise.all(Array.from({ length: 50 }, (_, nth) => ask('a', nth === 7 ? 'good' : 'x')));
    for (const read of [1, 2]) {
      expect((await storm()).filter((key) => key !== null)).toEqual(['good']);
      expect(reads()).toBe(read);
      clock.advance(6);
    }
  });

  test('is looked up once in five seconds where there is none', async () => {
    const { ask, reads, clock } = desk({});
    for (let time = 0; time < 5; time++) expect(await ask('none', 'x')).toBeNull();
    expect(reads()).toBe(1);
    clock.advance(6);
    await ask('none', 'x');
    expect(reads()).toBe(2);
  });

  test('costs a hundred look-ups a second at most, and twenty behind an address that may not try', async () => {
    const { ask, reads } = desk({ a: 'good' });
    for (let id = 0; id < 300; id++) await ask(`none-${id}`, 'x', false);
    expect(reads()).toBe(20);
    expect(await ask('a', 'good')).toBe('good');
    for (let id = 300; id < 600; id++) await ask(`none-${id}`, 'x');
    expect(reads()).toBe(120);
    expect(await ask('a', 'good', false)).toBe('good');
  });
});
