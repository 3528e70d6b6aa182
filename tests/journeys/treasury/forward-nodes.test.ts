/**
 * Forwards on real nodes, and on this project's servers of other chains, with the real signer: they
 * reach the cold address of its policy, and books and chain agree.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { bookAsOwnerFunding } from '../../../src/app/treasury/pooled-funding.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { openRestoreStage } from '../../support/operators/restore-stage.ts';
import { forwardOnce, forwardSettings, lookForForwards } from '../../support/payouts/forward-settings.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { stageSolanaJourney } from '../../support/solana/journey.ts';
import type { TestService } from '../../support/test-service.ts';
import { stageTonJourney } from '../../support/ton/ton-journey.ts';
import { TON } from '../../support/ton/ton-lab.ts';
import { stageTronJourney } from '../../support/tron/journey.ts';
import { stageUtxoJourney } from '../../support/utxo/utxo-journey.ts';
import { UTXO_CHAINS } from '../../support/utxo/utxo-nodes.ts';
import { receivedSince } from '../../support/utxo/utxo-received.ts';
import { stageXrpJourney, XRP } from '../../support/xrp/journey.ts';

const postgres = needs('postgres', postgresAvailable());

async function agrees(it: TestService, chain: string): Promise<void> {
  const { dependencies, sending } = it.service;
  expect(await dependencies.operatorQueries.reconciliationFaults()).toEqual([]);
  const on = sending.chains.get(chain)!;
  expect(await reconcileChain(dependencies, on, { height: null, everyAddress: true })).toMatchObject({
    ...{ differences: [], unavailable: null },
  });
}

describe.skipIf(!(postgres && needs('anvil', anvilAvailable())))('forwards on anvil', () => {
  const [USDT, ETH] = ['usdt_ethereum', 'eth_ethereum'];
  const rules = { [USDT]: { above: '100', keep: '20' }, [ETH]: { above: '5', keep: '1' } };

  test('G12 and K4: a token and the coin, once, also after a backup of before was put back', async () => {
    const settings = forwardSettings(rules);
    const on = await openRestoreStage(settings.file, settings.env);
    try {
      const { lab } = on;
      const cold = lab.freshAddress();
      settings.policy({ cold_addresses: { ethereum: cold } });
      const sending = () => on.it().service.sending.chains.get('ethereum')!;
      const hot = sending().deriver.hotWallet()!;
      const { bookCapital } = await import('../../../src/app/treasury/book-capital.ts');
      const book = async (): Promise<void> => {
        for (const asset of [USDT, ETH]) {
          const { dependencies } = on.it().service;
          const booked = await bookCapital(dependencies, sending())({ asset, note: '', dryRun: false });
          expect(booked.ok).toBe(true);
        }
      };
      await lab.send({ to: hot, value: 10n * 10n ** 18n });
      const data = lab.call('TetherLikeToken', 'transfer', [hot, 150_000_000n]);
      await lab.send({ to: lab.contracts.tether, data });
      await on.mine(8);
      await book();
      await on.backUp();
      const mine = () => on.mine(3);
      await forwardOnce(on.it(), { chain: 'ethereum', asset: USDT }, mine);
      const newest = (asset: string) =>
        on.it().service.dependencies.unitOfWork.run(({ outgoing }) => outgoing.newestForwards(asset, 5));
      for (let round = 0; round < 4; round += 1) await mine();
      const [coin] = await newest(ETH);
      expect(coin).toMatchObject({ status: 'confirmed' });
      const coldHas = async (): Promise<readonly bigint[]> => [
        BigInt(await lab.anvil.rpc<string>('eth_getBalance', [cold, 'latest'])),
        BigInt(
          await lab.anvil.rpc<string>('eth_call', [
            { to: lab.contracts.tether, data: lab.call('TetherLikeToken', 'balanceOf', [cold]) },
            'latest',
          ]),
        ),
      ];
      expect(await coldHas()).toEqual([coin!.units, 130_000_000n]);
      expect(coin!.units).toBeGreaterThan(8_900_000_000_000_000_000n);
      expect(BigInt(await lab.anvil.rpc<string>('eth_getBalance', [hot, 'latest']))).toBeGreaterThan(
        10n ** 18n,
      );
      await agrees(on.it(), 'ethereum');

      await on.stop();
      await on.putBack({ dataDir: true });
      await on.restart({ idle: true });
      await lookForForwards(on.it(), 'ethereum');
      expect([await newest(USDT), await newest(ETH)]).toEqual([[], []]);
      for (let round = 0; round < 4; round += 1) {
        await on.mine(3, 12);
        await lookForForwards(on.it(), 'ethereum');
      }
      expect([await newest(USDT), await newest(ETH)]).toEqual([[], []]);
      expect(await coldHas()).toEqual([coin!.units, 130_000_000n]);
      expect(on.lines().filter(({ event }) => event === 'wallet.unknown_transaction')).not.toEqual([]);
      await book();
      await on.mine(3, 12);
      await lookForForwards(on.it(), 'ethereum');
      expect([await newest(USDT), await newest(ETH)]).toEqual([[], []]);
      await agrees(on.it(), 'ethereum');
    } finally {
      await on.close();
      settings.remove();
    }
  }, 120_000);
});

for (const chain of UTXO_CHAINS) {
  describe.skipIf(!(chain.there() && postgres))(`forwards on ${chain.family}`, () => {
    const { family, asset } = chain;
    const settings = forwardSettings({ [asset]: { above: '1', keep: '0.25' } });
    afterAll(() => settings.remove());
    const on = stageUtxoJourney(chain, 'rpc', settings);

    test('G12: several UTXOs in one transaction, whose change comes back', async () => {
      const cold = on.node.freshAddress();
      settings.policy({ cold_addresses: { [asset]: cold } });
      const hot = on.it.service.sending.chains.get(family)!.deriver.hotWallet()!;
      for (const units of [40_000_000n, 50_000_000n, 60_000_000n]) await on.node.pay([{ to: hot, units }]);
      await on.mineToFinality();
      await on.settle();
      const before = await on.node.height();
      const forward = await forwardOnce(on.it, { chain: family, asset }, on.mineToFinality);
      expect(forward.units).toBeLessThan(125_000_000n);
      expect(forward.units).toBeGreaterThan(124_000_000n);
      expect(await receivedSince(on.node, before, cold)).toBe(forward.units);
      const free = await on.it.service.dependencies.unitOfWork.run(({ utxos }) =>
        utxos.freeUnits(family, Number.MAX_SAFE_INTEGER),
      );
      expect(free).toBeGreaterThanOrEqual(25_000_000n);
      await agrees(on.it, family);
    }, 120_000);
  });
}

describe.skipIf(!postgres)('forwards on tron', () => {
  const asset = 'usdt_tron';
  const settings = forwardSettings({ [asset]: { above: '5000', keep: '2000' } });
  afterAll(() => settings.remove());
  const on = stageTronJourney(settings);

  test('G12: a token, with the fee in TRX', async () => {
    const cold = on.lab.freshAddress();
    settings.policy({ cold_addresses: { tron: cold } });
    await on.endow(25);
    const forward = await forwardOnce(on.it, { chain: 'tron', asset }, on.mineToFinality);
    expect([forward.units, forward.to]).toEqual([8_000_000_000n, cold]);
    await on.chainIsRight();
  }, 120_000);
});

describe.skipIf(!postgres)('forwards on solana', () => {
  const asset = 'usdc_solana';
  const settings = forwardSettings({
    [asset]: { above: '500', keep: '100' },
    sol_solana: { above: '5', keep: '2' },
  });
  afterAll(() => settings.remove());
  const on = stageSolanaJourney(settings);

  test('G12: a token to an owner without an account for it, and the coin', async () => {
    const cold = on.lab.freshAddress();
    settings.policy({ cold_addresses: { solana: cold } });
    await on.fund();
    await forwardOnce(on.it, { chain: 'solana', asset }, on.mineToFinality);
    expect(on.held(cold, asset)).toBe(900_000_000n);
    for (let round = 0; round < 4; round += 1) {
      await on.mineToFinality();
      await lookForForwards(on.it, 'solana');
    }
    expect(on.held(cold, 'sol_solana')).toBeGreaterThan(7_900_000_000n);
    expect(on.held(on.hot, 'sol_solana')).toBeGreaterThanOrEqual(2_000_000_000n);
    await on.chainAndBooksAgree();
  }, 120_000);
});

describe.skipIf(!postgres)('forwards on ton', () => {
  const asset = 'ton_ton';
  const settings = forwardSettings({ [asset]: { above: '500', keep: '100' } });
  afterAll(() => settings.remove());
  const on = stageTonJourney(settings);

  test('G12: the coin, and keeps what it should', async () => {
    const cold = on.lab.freshAddress();
    settings.policy({ cold_addresses: { ton: cold } });
    await on.fund();
    const forward = await forwardOnce(on.it, { chain: 'ton', asset }, on.mineToFinality);
    expect(forward.units).toBeLessThanOrEqual(900n * TON);
    expect(forward.units).toBeGreaterThan(899n * TON);
    await on.chainAndBooksAgree();
  }, 120_000);
});

describe.skipIf(!postgres)('forwards on XRP', () => {
  const asset = 'xrp_xrp';
  const settings = forwardSettings({ [asset]: { above: '500', keep: '100' } });
  afterAll(() => settings.remove());
  const on = stageXrpJourney({ more: settings });

  test('G12: to a tag, and nothing of what nobody decided on, although it lies in the same account', async () => {
    const exchange = on.lab.account('exchange');
    settings.policy({ cold_addresses: { xrp: `${exchange}:77` } });
    // Without a tag of ours, and to one that was not given out: neither is ours to forward.
    const txid = on.lab.pay(on.hot, 3_000n * XRP);
    await on.closed(2);
    const before = on.lab.balanceOf(exchange);
    const forward = await forwardOnce(on.it, { chain: 'xrp', asset }, () => on.closed(2));
    expect(on.lab.balanceOf(exchange) - before).toBe(forward.units);
    // Of the 1,000 that opened the account its reserve stays, too.
    expect(forward.units).toBeLessThan(900n * XRP);
    expect(forward.units).toBeGreaterThan(890n * XRP);
    const sent = on.lab.network.ledgers.flatMap(({ transactions }) => transactions).map(({ tx }) => tx);
    expect(sent.filter((tx) => tx.Destination === exchange && tx.Account === on.hot)).toMatchObject([
      { DestinationTag: 77 },
    ]);
    await on.ledgerIsRight();
    const { dependencies } = on.it.service;
    const funding = await bookAsOwnerFunding(
      dependencies,
      on.it.service.sending.chains.get('xrp')!,
    )({
      ...{ txid, note: '' },
    });
    expect(funding.ok).toBe(true);
    await lookForForwards(on.it, 'xrp');
    const newest = await dependencies.unitOfWork.run(({ outgoing }) => outgoing.newestForwards(asset, 5));
    expect(newest).toHaveLength(2);
    expect(newest[0]!.units).toBeGreaterThan(2_999n * XRP);
  }, 120_000);
});
