/** What a source is told to follow that shows payments by address. */
import { expect, test } from 'bun:test';
import type { AppDependencies } from '../../../src/app/dependencies.ts';
import { watchList } from '../../../src/app/watching/watch-list.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import { anOutgoing, aSigned } from '../../support/payouts/outgoing-builders.ts';

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

test('R9: what left our addresses is told by all that was signed for it until a block settles it, without what leaves the wallet', async () => {
  const sweep = anOutgoing({ wallet: 'a', asset: 'eth_ethereum', units: 7n, purpose: 'sweep' });
  const ofToken = anOutgoing({ wallet: 'b', purpose: 'sweep' });
  const settled = anOutgoing({ wallet: 'c', asset: 'eth_ethereum', units: 9n, txid: '0xc2' });
  const payout = anOutgoing({ wallet: 'hot', asset: 'eth_ethereum' });
  const signed = [
    aSigned({ transferBatchId: sweep.id, txid: '0xa1' }),
    aSigned({ transferBatchId: sweep.id, txid: '0xa2', voids: true }),
    aSigned({ transferBatchId: ofToken.id, txid: '0xb1' }),
    aSigned({ transferBatchId: settled.id, txid: '0xc1' }),
    aSigned({ transferBatchId: settled.id, txid: '0xc2' }),
    aSigned({ transferBatchId: payout.id, txid: '0xd1' }),
  ];
  const outgoing = {
    open: async () => [sweep, ofToken, payout],
    settledFrom: async (_: string, height: number) => (height === 5 ? [settled] : []),
    signedOf: async (ids: readonly string[]) =>
      signed.filter(({ transferBatchId }) => ids.includes(transferBatchId)),
  };
  const deps = {
    catalog: new AssetCatalog(),
    unitOfWork: { run: (work: (given: unknown) => unknown) => work({ outgoing }) },
  } as unknown as AppDependencies;
  const spending = { wallet: 'hot', change: null };
  const watch = watchList(deps, chainNamed('ethereum'), { arrivals: null, spending });
  expect(await watch.spending?.sent(5)).toEqual([
    { txid: '0xa1', from: 'a', units: 7n },
    { txid: '0xa2', from: 'a', units: 0n },
    { txid: '0xb1', from: 'b', units: 0n },
    { txid: '0xc2', from: 'c', units: 9n },
  ]);
});
