/**
 * What the first view costs: bytes, which are bounded, and the time until it can be used on a slow
 * phone and network, which is told and decides nothing. Chromium's throttle delays every answer by
 * a round trip; it does not slow down connecting.
 */
import { describe, expect, test } from 'bun:test';
import type { CDPSession, Page } from 'playwright-core';
import { sees } from '../support/browser/checkout-page.ts';
import { chromiumAvailable } from '../support/browser/chromium.ts';
import { stageShop } from '../support/browser/shop.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';

/** Everything, with headers and all marks. checkout-assets.test.ts counts without the marks. */
const BYTES_MAX = 20_000;
const SLOW_NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};
/** How many times slower the processor is made: not at all, and as that of a cheap phone. */
const PROCESSORS = [1, 4];

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('the first view', () => {
  const on = stageShop();
  const { stage } = on;

  test.each([
    ['choosing among all currencies', 'choose', { sandbox: true }],
    ['paying', 'waiting', { asset: 'usdt_ethereum' }],
  ] as const)(
    'of %s is less than 20 kB, and how soon it can be used is measured',
    async (what, shown, body) => {
      const { payment_url: url } = await on.shop.invoice(body);
      for (const rate of PROCESSORS) {
        const page = await stage.visitor();
        const session = await page.context().newCDPSession(page);
        await session.send('Network.enable');
        const bytes = countBytes(session);
        await session.send('Network.emulateNetworkConditions', SLOW_NETWORK);
        await session.send('Emulation.setCPUThrottlingRate', { rate });
        await page.goto(url);
        await sees(page, shown);
        const { painted, interactive } = await timings(page);
        console.log(
          `first view of ${what}: ${bytes()} bytes; 1.6 Mbit/s, 150 ms, processor slowed ${rate} times: painted after ${painted} ms, interactive after ${interactive} ms`,
        );
        expect(bytes()).toBeGreaterThan(1_000);
        expect(bytes()).toBeLessThan(BYTES_MAX);
        expect(interactive).toBeGreaterThan(0);
      }
    },
  );
});

/**
 * Everything that came over the network, headers and encoded bodies, of what has not ended (the
 * stream) as far as it came.
 */
function countBytes(session: CDPSession): () => number {
  const bytes = new Map<string, number>();
  const add = (id: string, more: number): unknown => bytes.set(id, (bytes.get(id) ?? 0) + more);
  session.on('Network.responseReceived', ({ requestId, response }) =>
    add(requestId, response.encodedDataLength),
  );
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => add(requestId, encodedDataLength));
  // the whole, which what came before does not always add up to
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    bytes.set(requestId, encodedDataLength),
  );
  return () => [...bytes.values()].reduce((sum, one) => sum + one, 0);
}

/**
 * Milliseconds from the beginning of the navigation: interactive is when the script has run and no
 * long task follows.
 */
function timings(page: Page): Promise<{ painted: number; interactive: number }> {
  return page.evaluate<{ painted: number; interactive: number }>(`(async () => {
    const tasks = [];
    new PerformanceObserver((list) => tasks.push(...list.getEntries())).observe({ type: 'longtask', buffered: true });
    await new Promise((done) => setTimeout(done, 1000));
    const [navigation] = performance.getEntriesByType('navigation');
    const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0;
    const ends = tasks.map((task) => task.startTime + task.duration);
    return {
      painted: Math.round(paint),
      interactive: Math.round(Math.max(navigation.domContentLoadedEventEnd, paint, ...ends)),
    };
  })()`);
}
