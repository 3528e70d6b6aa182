/** What is due is run by a clock that only goes forward. */
import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { scheduler } from '../../src/adapters/cron/scheduler.ts';
import { until } from '../support/poll.ts';
import { silentLogger } from '../support/silent-logger.ts';

const THREE_HOURS_MS = 3 * 3_600_000;
let errorMs = 0;
const [startedAt, realNow] = [performance.now(), Date.now()];
/** The machine's clock goes on, wrong by `errorMs`. */
const ticking = setInterval(() => setSystemTime(realNow + performance.now() - startedAt + errorMs), 20);
afterEach(() => {
  clearInterval(ticking);
  setSystemTime();
});

test('K7: a clock that was ahead and is set right keeps no job waiting', async () => {
  let runs = 0;
  const run = async () => {
    runs += 1;
  };
  errorMs = THREE_HOURS_MS;
  const jobs = scheduler([{ name: 'read-the-chain', everyMs: 100, run }], { logger: silentLogger });
  jobs.start();
  await until('it ran', 10_000, () => runs > 0);
  errorMs = 0;
  const before = runs;
  await until('it ran again', 10_000, () => runs > before);
  await jobs.stop(1_000);
  expect(runs).toBeGreaterThan(before);
});
