/** Which pages of a merchant hear of new invoices, and which are left in peace. */
import { expect, test } from 'bun:test';
import type { ConsoleDependencies } from '../../../../src/adapters/http/console/console.ts';
import { AssetCatalog } from '../../../../src/domain/catalog/asset.ts';
import { aMerchant, NOW } from '../../../support/builders.ts';
import { consoleStage, OWN } from '../../../support/console/console-stage.ts';
import { elementsOf } from '../../../support/http/checkout-page.ts';

const DAY = 86_400_000;
const day = (away: number): string => new Date(NOW.getTime() + away * DAY).toISOString().slice(0, 10);

function stage() {
  const numbers = [
    { merchantId: OWN, sandbox: false, stream: 'events', seq: 12n },
    { merchantId: OWN, sandbox: false, stream: 'invoices', seq: 40n },
    { merchantId: OWN, sandbox: true, stream: 'events', seq: 7n },
  ];
  const application = {
    catalog: new AssetCatalog(),
    queries: {
      merchantById: async (id: string) => aMerchant({ id }),
      lastNumbers: async () => numbers,
      invoices: async () => ({ rows: [], total: 0 }),
    },
    console: {
      overview: async () => ({ days: [], received: [], sent: [], invoices: {} }),
      attentionCounts: async () => ({}),
    },
  };
  return consoleStage({ application } as unknown as Partial<ConsoleDependencies>);
}

/** What the page follows, and the state that it was made of; null: nothing. */
async function followed(path: string): Promise<readonly [string | null, string] | null> {
  const text = await (await stage().ask('GET', `/console/m/${OWN}${path}`, { role: 'owner' })).text();
  const [main] = elementsOf(text, 'main').map(({ attributes }) => attributes);
  const at = main?.['data-live'];
  if (at === undefined) return null;
  return [
    new URL(at.replaceAll('&amp;', '&'), 'http://localhost').searchParams.get('follow'),
    main?.['data-state'] ?? '',
  ];
}

test.each([
  ['the overview', '/live', ['invoices', '12-40']],
  ['the overview of the sandbox', '/sandbox', ['invoices', '7-0']],
  ['the first page of payments', '/live/payments', ['invoices', '12-40']],
  ['its part that new invoices are in', '/live/payments?status=created', ['invoices', '12-40']],
  ['its part of today', `/live/payments?from=${day(-1)}&to=${day(0)}`, ['invoices', '12-40']],
  ['its part that no new invoice is in', '/live/payments?status=success', ['changes', '12']],
  ['its part of the past', `/live/payments?to=${day(-1)}`, ['changes', '12']],
  ['a further page', '/live/payments?page=2', null],
] as const)('%s follows what it shows', async (_, path, expected) => {
  expect(await followed(path)).toEqual(expected === null ? null : [...expected]);
});
