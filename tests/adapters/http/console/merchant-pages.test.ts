/** The operators' list of merchants comes in pages, which lead on with their filter. */
import { expect, test } from 'bun:test';
import type { ConsoleDependencies } from '../../../../src/adapters/http/console/console.ts';
import { aMerchant } from '../../../support/builders.ts';
import { consoleStage, type Person } from '../../../support/console/console-stage.ts';
import { elementsOf } from '../../../support/http/checkout-page.ts';

const VIEWER: Person = { operatorRole: 'viewer' };
const STORED = Array.from({ length: 120 }, (_, nth) =>
  aMerchant({ id: (1_000 - nth).toString(16).padStart(24, '0'), name: `Shop ${nth}` }),
);

function stage() {
  const keys = { hasLiveKey: true, hasSandboxKey: true, oldLiveKeyUntil: null, oldSandboxKeyUntil: null };
  const operatorQueries = {
    merchantPage: async (text: string | null, { before, limit }: { before: string | null; limit: number }) =>
      STORED.filter(({ id, name }) => (before === null || id < before) && name.includes(text ?? ''))
        .slice(0, limit)
        .map((merchant) => ({ ...merchant, ...keys })),
  };
  return consoleStage({ operatorQueries } as unknown as Partial<ConsoleDependencies>);
}

test.each([
  ['', 120],
  ['?q=Shop+1', 31],
])('the pages of /o/merchants%s have each merchant once', async (query, count) => {
  const names: string[] = [];
  let path: string | null = `/console/o/merchants${query}`;
  for (let pages = 0; path !== null && pages < 9; pages += 1) {
    const text = await (await stage().ask('GET', path, VIEWER)).text();
    names.push(...[...text.matchAll(/>(Shop \d+)</g)].map(([, name = '']) => name));
    const [next] = elementsOf(text, 'nav.pager a');
    path =
      next === undefined ? null : `/console/o/merchants${next.attributes.href?.replaceAll('&amp;', '&')}`;
  }
  expect([names.length, new Set(names).size]).toEqual([count, count]);
});
