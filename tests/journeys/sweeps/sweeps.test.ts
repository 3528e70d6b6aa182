/**
 * Money of deposit addresses goes to the hot wallet: when it is worth it, once, and never what is
 * not decided.
 */
import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { requestSweeps } from '../../../src/app/sweeps/plan-sweeps.ts';
import { usdt } from '../../support/fake/fake-journey.ts';
import {
  ETH,
  ETHER,
  openTreasuryJourney,
  type TreasuryJourney,
  USDT,
} from '../../support/payouts/treasury-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('sweeps', () => {
  let journey: TreasuryJourney;
  beforeEach(async () => {
    journey = await openTreasuryJourney({ funded: true });
  });
  afterEach(() => journey.close());

  const statuses = async (address: string) => (await journey.sweepsOf(address)).map(({ status }) => status);
  const deps = () => journey.it.service.dependencies;
  async function booksAndChainAgree(): Promise<void> {
    await journey.booksAreRight();
    expect(await journey.reconciled()).toMatchObject({ differences: [], unavailable: null });
  }

  test('a token is swept in one job: gas is sent, is final, and then all of the token is moved', async () => {
    const address = await journey.credited('25');
    await journey.sweep();
    expect(await statuses(address)).toEqual(['topping_up']);
    await journey.sweep();
    expect(await journey.transfersOf('sweep', address)).toEqual([]);
    await journey.finish();
    await journey.sweep();
    expect(await statuses(address)).toEqual(['sweeping']);
    await journey.finish();
    await journey.sweep();
    expect(await statuses(address)).toEqual(['done']);
    expect(journey.balanceOf(address, USDT)).toBe(0n);
    expect(journey.balanceOf(journey.hot, USDT)).toBe(usdt('25'));
    await booksAndChainAgree();
  });

  test('gas that is sent to a deposit address is no payment', async () => {
    const address = await journey.credited('25');
    await journey.sweepToTheEnd();
    const deposits = await deps().operatorQueries.deposits({
      statuses: ['confirming', 'arrived', 'credited', 'held', 'rejected', 'stray'],
      sandbox: null,
      limit: 100,
    });
    expect(deposits.filter((deposit) => deposit.address === address).map(({ asset }) => asset)).toEqual([
      USDT,
    ]);
    expect(await journey.transfersOf('topup', address)).toHaveLength(1);
  });

  test('a coin is swept without gas; what its fee left stays, is counted, and pays for the next sweep', async () => {
    const address = await journey.credited(String(ETHER), ETH);
    const before = journey.balanceOf(journey.hot, ETH);
    await journey.sweepToTheEnd();
    expect(await statuses(address)).toEqual(['done']);
    expect(await journey.transfersOf('topup', address)).toEqual([]);
    const left = journey.balanceOf(address, ETH);
    expect(left).toBeLessThan(ETHER / 1_000n);
    expect(journey.balanceOf(journey.hot, ETH) - before).toBeGreaterThan((ETHER * 999n) / 1_000n);
    await booksAndChainAgree();
  });

  test('what is not worth it stays until an operator asks for it', async () => {
    const [address, other] = [await journey.credited('3'), await journey.credited('3')];
    await journey.sweepToTheEnd();
    expect(await statuses(address)).toEqual([]);
    expect(await requestSweeps(deps(), journey.on, { asset: null, address })).toEqual([
      { address, asset: USDT, units: usdt('3') },
    ]);
    expect(await requestSweeps(deps(), journey.on, { asset: null, address })).toEqual([]);
    await journey.sweepToTheEnd();
    expect(await statuses(address)).toEqual(['done']);
    expect(journey.balanceOf(journey.hot, USDT)).toBe(usdt('3'));
    expect(await statuses(other)).toEqual([]);
  });

  test('what an operator asked for in vain is swept as usual once it is there', async () => {
    const address = await journey.credited(String(ETHER), ETH);
    expect(await requestSweeps(deps(), journey.on, { asset: null, address })).toHaveLength(1);
    const { sender } = journey.on;
    const { balances } = sender;
    const gone = spyOn(sender, 'balances').mockImplementation(async (...asked) => ({
      ...(await balances(...asked)),
      units: new Map(),
    }));
    await journey.sweep();
    gone.mockRestore();
    expect(await journey.sweepsOf(address)).toMatchObject([{ status: 'failed', reason: { code: 'empty' } }]);
    await journey.sweepToTheEnd();
    expect(await statuses(address)).toEqual(['failed', 'done']);
  });

  test('when a payout waits for the asset, a sweep only has to bring more than it costs', async () => {
    const address = await journey.credited('3');
    const payout = await journey.it.call(
      journey.merchant.live,
      'POST',
      '/api/v2/payouts',
      { address: '0x52908400098527886E0F7030069857D2E4169EE7', amount: 2, asset: USDT },
      { 'x-uniq-id': randomUUID() },
    );
    expect(payout.body).toMatchObject({ ok: true });
    await journey.finish();
    await journey.sweepToTheEnd();
    expect(await statuses(address)).toEqual(['done']);
    await journey.finish();
    expect((await journey.transfersOf('payout', journey.hot)).map(({ status }) => status)).toEqual([
      'confirmed',
    ]);
    await booksAndChainAgree();
  });

  test('an address with a payment that the risk check holds is left alone, on demand too', async () => {
    journey.screen({ kind: 'hit', reason: 'drawn' });
    const address = await journey.credited('25');
    journey.screen({ kind: 'pass' });
    await journey.sweepToTheEnd();
    expect(await requestSweeps(deps(), journey.on, { asset: null, address })).toEqual([]);
    expect(await statuses(address)).toEqual([]);
  });

  test('several workers at once send gas once and move the money once', async () => {
    const addresses = [
      await journey.credited('25'),
      await journey.credited('30'),
      await journey.credited('35'),
    ];
    for (let round = 0; round < 5; round += 1) {
      await journey.sweep(3);
      await journey.sweep(3);
      await journey.finish();
    }
    for (const address of addresses) {
      expect(await statuses(address)).toEqual(['done']);
      expect(await journey.transfersOf('topup', address)).toHaveLength(1);
      expect(await journey.transfersOf('sweep', address)).toHaveLength(1);
    }
    expect(journey.balanceOf(journey.hot, USDT)).toBe(usdt('90'));
    await booksAndChainAgree();
  });

  test('when fees rise above the gas that was sent, a second job brings what is missing', async () => {
    const address = await journey.credited('1000');
    await journey.sweep();
    await journey.finish();
    journey.chain().setFeeLevel(300);
    await journey.sweepToTheEnd();
    expect(await statuses(address)).toEqual(['failed', 'done']);
    expect(await journey.transfersOf('topup', address)).toHaveLength(2);
    expect(journey.balanceOf(journey.hot, USDT)).toBe(usdt('1000'));
    await booksAndChainAgree();
  });

  test('a sweep that the chain undid is not tried again by itself, but on demand', async () => {
    const address = await journey.credited('25');
    await journey.sweep();
    await journey.finish();
    journey.chain().revertNext(journey.hot);
    await journey.sweepToTheEnd();
    expect(await statuses(address)).toEqual(['failed']);
    await booksAndChainAgree();
    expect(await requestSweeps(deps(), journey.on, { asset: USDT, address: null })).toHaveLength(1);
    await journey.sweepToTheEnd();
    expect(await statuses(address)).toEqual(['failed', 'done']);
    expect(journey.balanceOf(journey.hot, USDT)).toBe(usdt('25'));
    await booksAndChainAgree();
  });

  test('without gas in the hot wallet a sweep waits and says so, and goes on when there is some', async () => {
    await journey.close();
    journey = await openTreasuryJourney({ funded: false });
    const address = await journey.credited('25');
    await journey.sweep();
    expect(await journey.sweepsOf(address)).toMatchObject([
      {
        status: 'planned',
        reason: { code: 'liquidity', text: `liquidity: the hot wallet has too little ${ETH}` },
      },
    ]);
    journey.chain().fund(journey.hot, ETH, ETHER);
    await journey.sweep();
    expect(await journey.sweepsOf(address)).toMatchObject([{ status: 'topping_up', reason: null }]);
    await journey.sweepToTheEnd();
    expect(await statuses(address)).toEqual(['done']);
  });

  test('an address with a coin and a token gives the token first, then the coin', async () => {
    const address = await journey.credited('25');
    journey.chain().pay({ to: address, asset: ETH, units: ETHER });
    await journey.mineToFinality();
    await journey.damage(`update deposits set status = 'credited' where asset = '${ETH}'`);
    await journey.sweepToTheEnd();
    const swept = await journey.sweepsOf(address);
    expect(swept.map(({ status }) => status)).toEqual(['done', 'done']);
    expect(await journey.transfersOf('topup', address)).toEqual([]);
    const [token, coin] = [USDT, ETH].map((asset) => swept.find((sweep) => sweep.asset === asset)?.endedAt);
    expect(token?.getTime()).toBeLessThanOrEqual(coin?.getTime() ?? 0);
    expect(journey.balanceOf(address, USDT)).toBe(0n);
    expect(journey.balanceOf(address, ETH)).toBeLessThan(ETHER / 1_000n);
  });

  test('while signing is stopped nothing is planned or begun', async () => {
    const address = await journey.credited('25');
    const stop = (at: { at: Date; note: string } | null) =>
      deps().unitOfWork.run((repositories) => repositories.outgoing.setSigningStopped(at));
    await stop({ at: journey.clock.now(), note: 'test' });
    await journey.sweep();
    expect(await statuses(address)).toEqual([]);
    await stop(null);
    await journey.sweep();
    expect(await statuses(address)).toEqual(['topping_up']);
  });

  test('money that was paid while the sweep was under way stays for the next one', async () => {
    const address = await journey.credited('25');
    await journey.sweep();
    await journey.finish();
    journey.chain().pay({ to: address, asset: USDT, units: usdt('7') });
    journey.chain().mine();
    await journey.sweepToTheEnd();
    expect(journey.balanceOf(address, USDT)).toBe(usdt('7'));
    expect(journey.balanceOf(journey.hot, USDT)).toBe(usdt('25'));
  });
});
