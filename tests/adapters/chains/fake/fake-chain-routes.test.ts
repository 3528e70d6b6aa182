/** What a tester can do to a fake chain by hand, over HTTP. */
import { describe, expect, test } from 'bun:test';
import { type FakeChain, fakeChain } from '../../../../src/adapters/chains/fake/fake-chain.ts';
import { fakeDeriver } from '../../../../src/adapters/chains/fake/fake-deriver.ts';
import { fakeChainRoutes } from '../../../../src/compose/chains/fake-chain-routes.ts';
import { AssetCatalog } from '../../../../src/domain/catalog/asset.ts';
import { stageFakeCoins } from '../../../support/fake/fake-utxo-stage.ts';

const [address = '', wallet = ''] = fakeDeriver({ family: 'tron' }).derive({ from: 0, count: 2 });

function open() {
  const chain = fakeChain({
    chain: 'tron',
    family: 'tron',
    assets: [
      { asset: 'trx_tron', decimals: 6 },
      { asset: 'usdt_tron', decimals: 6 },
    ],
    clock: { now: () => new Date(1_700_000_000_000) },
    confirmations: 2,
  });
  return { chain, ...routesOf('tron', chain) };
}

function routesOf(ofChain: string, chain: FakeChain) {
  const routes = fakeChainRoutes(new Map([[ofChain, chain]]), new AssetCatalog());
  const post = async (action: string, body: unknown, name = ofChain) => {
    const route = routes.find(({ path }) => path.endsWith(`/${action}`))!;
    const request = new Request('http://localhost/', { method: 'POST', body: JSON.stringify(body) });
    const response = await route.respond(request, { chain: name });
    return { status: response.status, body: (await response.json()) as { ok: boolean; result?: unknown } };
  };
  return { post };
}

describe('fake chains over HTTP', () => {
  test('what an address received is listed in whole coins, with its blocks', async () => {
    const { post } = open();
    const { result } = (await post('pay', { to: address, asset: 'usdt_tron', amount: '25.25' })).body;
    expect((await post('received', { address })).body).toEqual({ ok: true, result: [] });
    await post('mine', { count: 2 });
    const listed = await post('received', { address });
    expect(listed.body.result).toMatchObject([
      { ...(result as { txid: string }), height: 1, asset: 'usdt_tron', amount: '25.25' },
    ]);
  });

  test('a funded wallet has the money at once, and nothing was received', async () => {
    const { chain, post } = open();
    expect(await post('fund', { to: wallet, asset: 'trx_tron', amount: '1000' })).toEqual({
      status: 200,
      body: { ok: true, result: null },
    });
    const { units } = await chain.sender.balances(wallet, ['trx_tron']);
    expect(units.get('trx_tron')).toBe(1_000_000_000n);
    expect((await post('received', { address: wallet })).body.result).toEqual([]);
  });

  test('on a UTXO chain a block of its own funds a wallet', async () => {
    const stage = stageFakeCoins('bitcoin');
    const { control, hot, freshAddress } = stage;
    const { post } = routesOf('bitcoin', stage);
    control.pay({ to: freshAddress(), asset: 'btc_bitcoin', units: 1_000n });
    expect((await post('fund', { to: hot, asset: 'btc_bitcoin', amount: '0.5' })).status).toBe(200);
    expect((await post('received', { address: hot })).body.result).toMatchObject([
      { height: 11, from: null, asset: 'btc_bitcoin', amount: '0.5' },
    ]);
    expect(control.waiting()).toHaveLength(1);
    expect(control.balanceOf(hot, 'btc_bitcoin')).toBe(50_000_000n);
  });

  test('amounts that the asset cannot carry, strangers and unknown chains are refused', async () => {
    const { post } = open();
    for (const body of [
      { to: wallet, asset: 'trx_tron', amount: '0.0000001' },
      { to: wallet, asset: 'trx_tron', amount: '0' },
      { to: wallet, asset: 'btc_bitcoin', amount: '1' },
      { to: 'nowhere', asset: 'trx_tron', amount: '1' },
      { to: wallet, asset: 'trx_tron' },
    ])
      expect((await post('fund', body)).status).toBe(400);
    expect((await post('received', { address: 'nowhere' })).status).toBe(400);
    expect((await post('received', { address }, 'dogechain')).status).toBe(404);
  });
});
