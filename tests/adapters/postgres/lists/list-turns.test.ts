import { expect, test } from 'bun:test';
import { listTurns } from '../../../../src/adapters/postgres/lists/list-turns.ts';
import { ListRefused } from '../../../../src/ports/list-queries.ts';

const LIMITS = { atOnce: 2, waitingMax: 3, waitMs: 60_000 };

/** A list that is made when it is told to be. */
function pending() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return { make: () => promise, resolve, reject };
}

test('W2: a merchant has two lists made at once, others come in order, one too many is refused at once, and one that fails gives its turn up', async () => {
  const turns = listTurns(LIMITS);
  const lists = Array.from({ length: 5 }, pending);
  const begun: number[] = [];
  const answers = lists.map(({ make }, place) =>
    turns('one', () => {
      begun.push(place);
      return make();
    }).catch((error: unknown) => String(error)),
  );
  await Bun.sleep(0);
  expect(begun).toEqual([0, 1]);
  const sixth = turns('one', async () => 'made').catch((error: unknown) => error);
  expect(await sixth).toMatchObject({ code: 'busy' });
  lists[1]?.reject(new Error('failed'));
  expect(await answers[1]).toContain('failed');
  expect(begun).toEqual([0, 1, 2]);
  for (const [place, { resolve }] of lists.entries()) resolve(`list ${place}`);
  expect(await Promise.all(answers)).toEqual(['list 0', 'Error: failed', 'list 2', 'list 3', 'list 4']);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  expect(await turns('one', async () => 'again')).toBe('again');
});

test('W2: another merchant waits for none of it; too many waiting are refused, and late ones when their time is over', async () => {
  const turns = listTurns({ ...LIMITS, waitMs: 20 });
  const held = pending();
  const running = [turns('one', held.make), turns('one', held.make)];
  const late = Array.from({ length: 3 }, () =>
    turns('one', async () => 'made').catch((error: unknown) => error),
  );
  const refused = await turns('one', async () => 'made').catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ListRefused);
  expect(await turns('two', async () => 'made')).toBe('made');
  for (const answer of await Promise.all(late)) expect(answer).toMatchObject({ code: 'busy' });
  held.resolve('made after all');
  expect(await Promise.all(running)).toEqual(['made after all', 'made after all']);
  expect(await turns('one', async () => 'made')).toBe('made');
});
