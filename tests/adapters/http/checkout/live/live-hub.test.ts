/** Thousands of open checkouts, all of which a late chain changes in one moment. */
import { expect, test } from 'bun:test';
import { liveHub } from '../../../../../src/adapters/http/checkout/live/live-hub.ts';
import { NOW } from '../../../../support/builders.ts';
import { silentLogger } from '../../../../support/runtime/silent-logger.ts';

test('pages that change together are told over some seconds, and each once: all ask for themselves then', async () => {
  const ticks: number[] = [];
  const told: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const hub = liveHub({
    async liveStates(externalIds) {
      ticks.push(told.length);
      if (ticks.length === 4) resolve();
      return new Map(externalIds.map((id) => [id, 'late']));
    },
    ...{ clock: { now: () => NOW }, logger: silentLogger, pace: { everyMs: 1 } },
  });
  for (let page = 0; page < 1_200; page++)
    hub.join({
      ...{ externalId: String(page), since: NOW, told: 'in time', beat() {}, end() {} },
      tell: () => void told.push(String(page)),
    });
  await promise;
  hub.close();
  expect(ticks).toEqual([0, 500, 1_000, 1_200]);
  expect(new Set(told).size).toBe(1_200);
});
