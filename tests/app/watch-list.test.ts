/** What a source is told to follow that shows payments by address. */
import { expect, test } from 'bun:test';
import type { AppDependencies } from '../../src/app/dependencies.ts';
import { watchList } from '../../src/app/watch-list.ts';
import { AssetCatalog } from '../../src/domain/asset.ts';
import { chainNamed } from '../../src/domain/chain.ts';

test('K4: whom we owe a payout is followed too: what paid him after a backup is in no history of ours', async () => {
  const repositories = { payouts: { owed: async () => [{ address: 'recipient', sentUnits: 5n }] } };
  const deps = {
    catalog: new AssetCatalog(),
    unitOfWork: { run: (work: (given: unknown) => unknown) => work(repositories) },
    operatorQueries: { addressesToFollow: async () => ['invoice', 'wallet'] },
    liveDerivers: new Map([['bitcoin', { normalize: (address: string) => address }]]),
  } as unknown as AppDependencies;
  const watch = watchList(deps, chainNamed('bitcoin'), {
    arrivals: 'wallet',
    spending: { wallet: 'wallet', change: null },
  });
  expect((await watch.following()).toSorted()).toEqual(['invoice', 'recipient', 'wallet']);
});
