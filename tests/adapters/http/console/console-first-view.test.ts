/**
 * The first view of a page of the console is small: page, stylesheet, scripts and icon, as they are
 * sent.
 */
import { expect, test } from 'bun:test';
import type { ConsoleDependencies } from '../../../../src/adapters/http/console/console.ts';
import type { Overview } from '../../../../src/app/console/overview.ts';
import { AssetCatalog } from '../../../../src/domain/catalog/asset.ts';
import { dayOf } from '../../../../src/domain/console/day-figure.ts';
import type { AssetSum, OverviewDay } from '../../../../src/domain/console/overview.ts';
import { aMerchant, anInvoice, NOW } from '../../../support/builders.ts';
import { consoleStage, OWN } from '../../../support/console/console-stage.ts';
import { elementsOf } from '../../../support/http/checkout-page.ts';

const FIRST_VIEW_LIMIT_BYTES = 60_000;
const DAYS = 365;
const MERCHANT = `/console/m/${OWN}/live`;

/** A merchant who sells every day, for every coin: no figure is like another. */
function stage() {
  const catalog = new AssetCatalog();
  const sums = (seed: number): AssetSum[] =>
    catalog.all.map(({ key }, nth) => {
      const odd = BigInt((seed * 7_919 + nth * 104_729) % 1_000_003);
      return { asset: key, count: nth, units: odd * 1_000_003n, microUsd: odd * 7_919n, feeMicroUsd: odd };
    });
  const days: OverviewDay[] = Array.from({ length: DAYS }, (_, nth) => ({
    ...{ day: dayOf(NOW) - DAYS + 1 + nth, created: nth * 31, paid: nth * 17, expired: nth, open: nth },
    ...{ received: sums(nth), sent: sums(nth + 1), refundedMicroUsd: BigInt(nth) * 977_777n },
    feesMicroUsd: BigInt(nth) * 12_345_678n,
  }));
  const overview: Overview = { days, received: sums(1), sent: sums(2), invoices: { created: 1, success: 2 } };
  const rows = Array.from({ length: 25 }, (_, nth) => anInvoice({ extra: `order-${nth}` }));
  const application = {
    catalog,
    queries: {
      merchantById: async (id: string) => aMerchant({ id, name: 'Shop' }),
      lastNumbers: async () => [],
      invoices: async () => ({ rows, total: 1_000_000 }),
    },
    console: { overview: async () => overview, attentionCounts: async () => ({ partial: 26_000 }) },
  };
  return consoleStage({ application } as unknown as Partial<ConsoleDependencies>);
}

test.each([
  ['a year of the overview, with its chart', `${MERCHANT}?days=${DAYS}`],
  ['payments', `${MERCHANT}/payments`],
  ['signing in', '/console/sign-in'],
])('the first view of %s is below 60 kB, in either compression', async (_, path) => {
  const { ask } = stage();
  const person = path.endsWith('/sign-in') ? null : ({ role: 'owner' } as const);
  const text = await (await ask('GET', path, person)).text();
  const files = elementsOf(text, 'script[src], link[href]').map(
    ({ attributes: a }) => new URL(a.src ?? a.href ?? '', 'http://localhost').pathname,
  );
  expect(files.length).toBe(path.includes('days') ? 4 : 3);
  for (const encoding of ['gzip', 'br']) {
    let bytes = 0;
    for (const one of [path, ...files]) {
      const answer = await ask('GET', one, person, { headers: { 'accept-encoding': encoding } });
      expect([one, answer.status, answer.headers.get('content-encoding')]).toEqual([one, 200, encoding]);
      bytes += (await answer.arrayBuffer()).byteLength;
    }
    expect([encoding, bytes < FIRST_VIEW_LIMIT_BYTES]).toEqual([encoding, true]);
  }
});
