/** Payments that wait for a price: the alarm of a process that is gone still ends, once. */
import { expect, test } from 'bun:test';
import { priceWatch } from '../../../src/app/rates/price-watch.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { type LogLine, memoryLogger } from '../../support/runtime/memory-logger.ts';
import { testClock } from '../../support/runtime/test-clock.ts';

const ETH = 'eth_ethereum';
const catalog = new AssetCatalog();

test('P1: after a restart the alarm of an earlier process repeats an hour later, and its end is told once', async () => {
  const [clock, lines] = [testClock(), [] as LogLine[]];
  let waits = true;
  const open = [{ subject: ETH, lastAt: clock.now() }];
  const since = new Date(clock.now().getTime() - 5_000_000);
  const watch = () =>
    priceWatch({
      ...{ clock, logger: memoryLogger(lines), catalog, rateBook: null as never },
      unitOfWork: {
        run: (work: (on: unknown) => unknown) =>
          work({
            deposits: { waitingForPrice: async () => (waits ? [{ asset: ETH, since }] : []) },
            operatorNotices: { openOf: async () => open },
          }),
      } as never,
    });
  const told = () => lines.splice(0).map(({ event }) => event);
  const run = watch();
  await run([]);
  expect(told()).toEqual([]);
  clock.advance(3_600);
  await run([]);
  expect(told()).toEqual(['deposit.price_overdue']);

  waits = false;
  const after = watch();
  for (const priced of [[], catalog.all.map(({ key }) => key)]) await after(priced);
  expect(told()).toEqual(['deposit.price_back']);
});
