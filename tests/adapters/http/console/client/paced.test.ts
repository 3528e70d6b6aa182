/** How often an open page renews itself, however often it hears of changes. */
import { expect, test } from 'bun:test';
import { paced } from '../../../../../src/adapters/http/console/client/paced.ts';

/** A page whose renewal takes `takes` ms, on a clock that the test moves. */
function page(takes: number) {
  let now = 0;
  const due: { at: number; act: () => void }[] = [];
  const renewed: number[] = [];
  const after = (ms: number, act: () => void): void => void due.push({ at: now + ms, act });
  const renew = paced(
    async () => {
      renewed.push(now);
      await new Promise<void>((done) => after(takes, done));
    },
    { now: () => now, after },
  );
  return {
    renew,
    renewed,
    async until(end: number): Promise<void> {
      for (;;) {
        for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
        const [next] = due.toSorted((a, b) => a.at - b.at);
        if (next === undefined || next.at > end) break;
        due.splice(due.indexOf(next), 1);
        now = Math.max(now, next.at);
        next.act();
      }
      now = end;
    },
  };
}

test('a change is shown at once, and those that follow within a second together', async () => {
  const { renew, renewed, until } = page(20);
  renew();
  await until(100);
  expect(renewed).toEqual([0]);
  for (let nth = 0; nth < 9; nth += 1) renew();
  await until(5_000);
  expect(renewed).toEqual([0, 1_000]);
});

test('a page that hears of changes all the time renews itself once a second', async () => {
  const { renew, renewed, until } = page(20);
  for (let at = 0; at <= 10_000; at += 50) {
    await until(at);
    renew();
  }
  await until(10_000);
  expect(renewed.length).toBe(11);
});

test('a renewal never runs beside another, and a slow one is left time', async () => {
  const { renew, renewed, until } = page(600);
  for (let at = 0; at <= 30_000; at += 100) {
    await until(at);
    renew();
  }
  await until(30_000);
  // A tenth of the time at most.
  expect(renewed).toEqual([0, 6_000, 12_000, 18_000, 24_000, 30_000]);
});

test('a renewal that fails ends nothing', async () => {
  let tries = 0;
  let now = 0;
  const waiting: (() => void)[] = [];
  const renew = paced(
    async () => {
      tries += 1;
      throw new Error('no network');
    },
    { now: () => now, after: (_, act) => void waiting.push(act) },
  );
  for (let nth = 1; nth <= 3; nth += 1) {
    renew();
    for (const act of waiting.splice(0)) act();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    now += 10_000;
    expect(tries).toBe(nth);
  }
});
