/**
 * Sweeps on a real EVM node: gas, the token, the coin, and the chain held against the books after
 * each of them.
 */
import { describe, expect, test } from 'bun:test';
import { sweeper } from '../../../src/app/sweeps/advance-sweeps.ts';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { treasuryChains } from '../../../src/compose/treasury.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { stageAnvilJourney } from '../../support/evm/anvil-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const available = needs('anvil', anvilAvailable()) && needs('postgres', postgresAvailable());

describe.skipIf(!available)('sweeps on anvil', () => {
  const journey = stageAnvilJourney();

  function treasury() {
    const { chains, dependencies } = journey.it.service;
    const on = treasuryChains(chains, dependencies).get('ethereum');
    if (!on) throw new Error('ethereum has no sender');
    const settings = { sharePpm: 20_000n, limits: { floorUnits: new Map() } };
    return { on, deps: dependencies, step: () => sweeper(dependencies, on, settings).step() };
  }
  async function sweepToTheEnd(): Promise<void> {
    for (let round = 0; round < 4; round += 1) {
      await treasury().step();
      await journey.it.settle();
      await journey.mineToFinality();
      await journey.it.settle();
    }
    await treasury().step();
  }
  const balances = async (address: string) => {
    const { units } = await treasury().on.sender.balances(address, ['eth_ethereum', 'usdt_ethereum']);
    return { eth: units.get('eth_ethereum') ?? 0n, usdt: units.get('usdt_ethereum') ?? 0n };
  };
  async function chainAndBooksAgree(): Promise<void> {
    const { deps, on } = treasury();
    const found = await reconcileChain(deps, on, { height: null, everyAddress: true });
    expect(found).toMatchObject({ differences: [], unavailable: null });
    await journey.booksAreRight();
  }

  test('a token and a coin reach the hot wallet, and every unit is where the books say', async () => {
    const { deps, on } = treasury();
    const hot = on.deriver.hotWallet()!;
    await journey.payEth(hot, '1');
    await journey.mineToFinality();
    expect(await bookCapital(deps, on)({ asset: 'eth_ethereum', note: 'gas', dryRun: false })).toMatchObject({
      ok: true,
      value: { units: unitsOf('1', 18) },
    });
    await chainAndBooksAgree();

    const token = await journey.create({ amount: 500, asset: 'usdt_ethereum', fiat_currency: 'USD' });
    const coin = await journey.create({ amount: 500, asset: 'eth_ethereum', fiat_currency: 'USD' });
    await journey.pay(token);
    await journey.pay(coin);
    await journey.mineToFinality();
    await journey.it.settle();
    await chainAndBooksAgree();

    await sweepToTheEnd();
    expect((await balances(hot)).usdt).toBe(journey.due(token));
    expect((await balances(token.address_to)).usdt).toBe(0n);
    const left = await balances(coin.address_to);
    expect(left.eth).toBeLessThan(journey.due(coin) / 100n);
    await chainAndBooksAgree();
  });
});
