/**
 * When a chain is looked at whose nodes tell heads: at once where that shows payments sooner, and
 * never much more often than by polling.
 */
import { expect, test } from 'bun:test';
import { toldHeads } from '../../../src/app/chains/announced-heads.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import { virtualTime } from '../../support/runtime/virtual-time.ts';

const HOUR_MS = 3_600_000;
const LOOK_MS = 200;
const TICK_MS = 1_000;

/**
 * A chain with a block each `blockMs`, and the scheduler's part of following it. Looks find the tip
 * of `lagMs` ago.
 */
function stage(of: { chain: string; blockMs: number; lagMs?: number; pollMs?: number; silent?: boolean }) {
  const world = virtualTime();
  const chain = chainNamed(of.chain);
  const { blockMs, lagMs = 0, pollMs = chain.pollMs, silent = false } = of;
  const stopping = new AbortController();
  const looks: number[] = [];
  let tip = -1;
  let alive = true;
  let setBackMs = 0;
  let tell: (height: number | null) => void = () => {};
  const told = toldHeads(
    { clock: { now: () => new Date(world.now().getTime() - setBackMs) }, timers: world.timers },
    {
      ...{
        chain,
        pollMs,
        heard: () => ({ tip: { height: tip, hash: '', parentHash: '', time: 0 }, at: world.now() }),
      },
      streams: {
        listen: (hears) => {
          tell = hears;
        },
        isAlive: () => alive,
        isAliveAt: () => alive,
      },
    },
  );
  const wait = (ms: number) => new Promise<void>((done) => void world.timers.after(ms, done));
  let [running, again] = [false, false];
  let next = (): void => {};
  async function look(): Promise<void> {
    again = running;
    if (running) return;
    running = true;
    next();
    looks.push(world.elapsedMs());
    await told.look(async () => {
      tip = Math.floor((world.elapsedMs() - lagMs) / blockMs);
      await wait(LOOK_MS);
    });
    running = false;
    next = world.timers.after(told.everyMs() + TICK_MS - LOOK_MS, () => void look());
    if (again) await look();
  }
  function block(): void {
    if (!silent) tell(world.elapsedMs() / blockMs);
    world.timers.after(blockMs, block);
  }
  told.listen(() => void look(), stopping.signal);
  world.timers.after(0, () => void look());
  world.timers.after(blockMs, block);
  return {
    ...{ world, looks, stopping, tell: (height: number | null) => tell(height) },
    die: () => {
      alive = false;
    },
    setBack: (ms: number) => {
      setBackMs = ms;
    },
    /**
     * Lets so long pass; answers how long the blocks of it waited to be found, milliseconds, in the
     * mean.
     */
    async wait(ms: number): Promise<number> {
      const from = Math.floor(world.elapsedMs() / blockMs) + 1;
      await world.pass(ms);
      const to = Math.floor((world.elapsedMs() - 2 * pollMs) / blockMs);
      const waited = Array.from({ length: to - from + 1 }, (_, nth) => {
        const at = (from + nth) * blockMs;
        return looks.find((time) => time >= at + lagMs)! - at;
      });
      return waited.reduce((sum, each) => sum + each, 0) / waited.length;
    },
  };
}

const ETHEREUM = { chain: 'ethereum', blockMs: 12_000 };
/** What polling does in an hour. */
const POLLS = HOUR_MS / (12_000 + TICK_MS);

test('R11: a head that is told is looked for at once, and only once, while there are no polls besides', async () => {
  for (const chain of [ETHEREUM, { chain: 'xrp', blockMs: 3_900 }]) {
    const { wait, looks } = stage(chain);
    expect(await wait(HOUR_MS)).toBe(0);
    expect(looks.length).toBe(1 + Math.floor(HOUR_MS / chain.blockMs));
  }
});

test('R11: what several nodes tell is looked for once', async () => {
  const { world, looks, tell } = stage({ ...ETHEREUM, silent: true });
  for (let height = 1; height <= 100; height += 1) {
    await world.pass(12_000 * height - world.elapsedMs());
    tell(height);
    await world.pass(1);
    tell(height);
    await world.pass(LOOK_MS);
    tell(height);
    tell(height - 1);
  }
  expect(looks.length).toBe(101);
});

test('R11: a head that another machine of the node does not have yet is looked for again, once', async () => {
  const { wait, looks } = stage({ ...ETHEREUM, lagMs: 2_000 });
  expect(await wait(HOUR_MS)).toBe(3_000 + LOOK_MS);
  // The last is found after the hour.
  expect(looks.length).toBe(2 * 300);
  const never = stage({ ...ETHEREUM, lagMs: HOUR_MS });
  await never.wait(HOUR_MS);
  expect(never.looks.length).toBe(2 + 300);
});

test('R11: a fast chain is looked at as often as by polling, whatever is told', async () => {
  for (const [chain, blockMs] of [
    ['arbitrum', 250],
    ['bsc', 750],
    ['solana', 400],
    ['base', 2_000],
  ] as const) {
    const { wait, looks } = stage({ chain, blockMs });
    await wait(700_000);
    expect(looks.length).toBeLessThan(100 + 4);
    expect(looks.length).toBeGreaterThan(100 - 4);
  }
});

test('R11: a stream that lies or floods makes a third more looks than polling at the most', async () => {
  const most = (4 / 3) * (HOUR_MS / 12_000) + 4;
  for (const everyMs of [100, 500, 3_000, 8_900, 9_000, 11_000]) {
    const { world, looks, tell } = stage({ ...ETHEREUM, silent: true });
    for (let lie = 1; world.elapsedMs() < HOUR_MS; lie += 1) {
      tell(lie % 2 === 0 ? null : 1_000_000 + lie);
      await world.pass(everyMs);
    }
    expect(looks.length).toBeLessThan(most);
  }
  // A rest makes no room for a crowd.
  const { world, looks, tell } = stage({ ...ETHEREUM, silent: true });
  for (let lie = 1; world.elapsedMs() < HOUR_MS; lie += 1) {
    if (lie % 10 === 0) await world.pass(120_000);
    tell(1_000_000 + lie);
  }
  expect(looks.length).toBeLessThan(most);
});

test('R11: a chain whose streams are dead is polled, and one whose streams tell nothing new', async () => {
  const dead = stage({ ...ETHEREUM, silent: true });
  await dead.world.pass(5_000);
  dead.tell(null);
  dead.die();
  await dead.world.pass(14_000);
  expect(dead.looks).toEqual([0, 5_000, 18_000]);
  const stuck = stage({ ...ETHEREUM, silent: true });
  stuck.tell(1);
  while (stuck.world.elapsedMs() < HOUR_MS) {
    await stuck.world.pass(6_000);
    stuck.tell(1);
  }
  expect(stuck.looks.length).toBeGreaterThan(POLLS - 4);
});

test('R11: a stream spares the polls of an operator who wants payments soon, and keeps to the pace of one who wants few calls', async () => {
  const soon = stage({ ...ETHEREUM, pollMs: 1_000 });
  expect(await soon.wait(HOUR_MS)).toBe(0);
  // It is polled until it is told for the first time.
  expect(soon.looks.length).toBeLessThan(301 + 12);
  const few = stage({ ...ETHEREUM, pollMs: 60_000 });
  await few.wait(HOUR_MS);
  expect(few.looks.length).toBeLessThan(64);
});

test('K7: a clock that is set back keeps no head waiting', async () => {
  const { wait, setBack } = stage(ETHEREUM);
  await wait(60_000);
  setBack(6 * HOUR_MS);
  expect(await wait(HOUR_MS)).toBe(0);
});

test('R11: nothing is looked for again once the process stops', async () => {
  const { world, looks, stopping, tell } = stage({ ...ETHEREUM, silent: true, lagMs: HOUR_MS });
  await world.pass(10_000);
  tell(5);
  await world.pass(1_000);
  stopping.abort();
  await world.pass(5_000);
  expect(looks.length).toBe(2);
});
