/**
 * A loan of energy that is not there any more when it is to be taken back must not keep its deposit
 * address closed for ever.
 */
import { describe, expect, test } from 'bun:test';
import { addressHex } from '../../../src/adapters/chains/tron/address.ts';
import { settleTransfer } from '../../../src/app/sending/settle-transfer.ts';
import { giveUpSweep } from '../../../src/app/sweeps/give-up-sweep.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { stageEnergyJourney } from '../../support/tron/energy-journey.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a loan of energy', () => {
  const on = stageEnergyJourney();
  const { hot, lentTo, usdtOf, stake, paid, sweepsOf, round, until } = on;

  /**
   * Takes sun of the loan back with a wallet of the operator's own that has the same seed, as for
   * unstaking he must.
   */
  async function byHand(address: string, sun: bigint): Promise<void> {
    const [owner, receiver] = [addressHex(hot())!, addressHex(address)!];
    const { chain } = on.lab.server;
    await chain.change(async ({ accounts }) => {
      accounts.takeBack(owner, receiver, sun, chain.tip().timeMs);
    });
  }
  async function hours(count: number): Promise<void> {
    for (let hour = 0; hour < count; hour += 1) {
      on.lab.server.chain.pass(3_600_000);
      await on.mineToFinality();
      await on.it.service.refreshRates();
      await round();
    }
  }
  const ended = async (address: string) => (await sweepsOf(address)).map(({ status }) => status);

  test('that somebody took back by hand (the operator unstaked) lets the address be swept again', async () => {
    await stake(20_000n);
    const address = await paid();
    await until(address, 'reclaim');
    await byHand(address, lentTo(address));
    await hours(6);
    expect(await ended(address)).toEqual(['done']);
    expect(on.lines.filter(({ event }) => event === 'sweep.energy_gone')).toHaveLength(1);
    expect(await usdtOf(address)).toBe(0n);
    await on.chainIsRight();
  });

  test('and its return cost what the network takes, which is booked as any other fee; the stake is not', async () => {
    await on.rest();
    const address = await paid();
    const { chain } = on.lab.server;
    const trxOfHot = () => on.lab.balanceOf(hot(), null);
    const before = await trxOfHot();
    // So that the bytes of what the hot wallet signs are paid for.
    chain.world.accounts.useFreeNet(addressHex(hot())!, 600n, chain.tip().timeMs);
    await on.sweepToTheEnd(address);
    const { dependencies } = on.it.service;
    const { unitOfWork } = dependencies;
    const entries = async () =>
      Object.fromEntries(
        await Promise.all(
          (await on.transfersOf(address)).map(async ({ id, purpose }) => {
            const found = await unitOfWork.run((r) => r.ledger.entriesOf(id));
            const told = found.map(({ kind, postings }) => [
              kind,
              ...postings.map(({ account, currency, amount }) => `${account} ${currency} ${amount}`),
            ]);
            return [purpose, told] as const;
          }),
        ),
      );
    const postings = (sun: number, microUsd: number) => [
      ...[`treasury trx_tron ${-sun}`, `trading trx_tron ${sun}`],
      ...[`trading USD ${-microUsd}`, `network_fees USD ${microUsd}`],
    ];
    const took = (sun: number, microUsd: number) => ['network_fee', ...postings(sun, microUsd)];
    // An activation, and 279 and 281 bytes at 1,000 sun; a TRX is 0.25 USD.
    const [topup, lend, reclaim] = [
      [1_100_000, 275_000],
      [279_000, 69_750],
      [281_000, 70_250],
    ] as const;
    const once = { topup: [took(...topup)], lend: [took(...lend)], sweep: [], reclaim: [took(...reclaim)] };
    expect(await entries()).toEqual(once);
    expect(before - (await trxOfHot())).toBe(1_660_000n + 1n);

    const loans = (await on.transfersOf(address)).filter(({ purpose }) => /lend|reclaim/.test(purpose));
    for (const transfer of await unitOfWork.run((r) => r.outgoing.find(loans.map(({ id }) => id))))
      await settleTransfer(dependencies, transfer, { type: 'reorganised' }, on.on.sender);
    const back = (sun: number, microUsd: number) => ['network_fee_reversed', ...postings(-sun, -microUsd)];
    const gone = { lend: [...once.lend, back(...lend)], reclaim: [...once.reclaim, back(...reclaim)] };
    expect(await entries()).toEqual({ ...once, ...gone });
    await on.sweepToTheEnd(address);
    await on.settle();
    expect(await entries()).toEqual({
      ...once,
      lend: [...gone.lend, took(...lend)],
      reclaim: [...gone.reclaim, took(...reclaim)],
    });
    await on.chainIsRight();
  });

  test('whose return was signed when somebody took it back ends all the same', async () => {
    await on.rest();
    const address = await paid();
    await until(address, 'reclaim');
    on.lab.server.node.behave({ refuse: (path) => path === '/wallet/broadcasthex' });
    await on.settle();
    await byHand(address, lentTo(address));
    on.lab.server.node.behave({});
    await hours(6);
    expect(await ended(address)).toEqual(['done']);
  });

  test('of which a part was taken back by hand gives back the rest', async () => {
    await on.rest();
    const address = await paid();
    await until(address, 'reclaim');
    await byHand(address, lentTo(address) / 3n);
    expect(lentTo(address)).toBeGreaterThan(0n);
    await hours(6);
    expect(await ended(address)).toEqual(['done']);
    expect(lentTo(address)).toBe(0n);
  });

  test('whose return an operator gives up is left lent, and the address can be swept again', async () => {
    await on.rest();
    const address = await paid();
    const reclaim = await until(address, 'reclaim');
    const [sweep] = await sweepsOf(address);
    const giveUp = giveUpSweep(on.it.service.dependencies);
    expect(await giveUp(sweep!.id)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining(reclaim) },
    });
    expect(await giveUp(reclaim)).toMatchObject({ ok: true });
    await on.reword(address);
    const lent = lentTo(address);
    await on.sweepToTheEnd(address);
    expect(await ended(address)).toEqual(['done']);
    expect(lentTo(address)).toBe(lent);
  });

  test('that is not given within an hour is done without, whatever words say so', async () => {
    await on.rest();
    const address = await paid();
    await until(address, 'lend');
    on.lab.server.chain.pass(3_600_000);
    await on.mineToFinality();
    await on.sweep();
    expect(await sweepsOf(address)).toMatchObject([{ status: 'lending', reason_code: 'loan_late' }]);
    await on.reword(address);
    await hours(1);
    const [first] = await sweepsOf(address);
    expect(first).toMatchObject({ status: 'failed', reason_code: 'loan_late' });
    expect((await sweepsOf(address)).length).toBe(2);
    await on.sweepToTheEnd(address);
    expect(await ended(address)).toEqual(['failed', 'done']);
    expect(await usdtOf(address)).toBe(0n);
  });

  test('of which no node can tell is taken back as before', async () => {
    await on.rest();
    const address = await paid();
    on.lab.server.node.behave({ refuse: (path) => path.endsWith('getdelegatedresourcev2') });
    await on.sweepToTheEnd(address);
    on.lab.server.node.behave({});
    expect(lentTo(address)).toBe(0n);
  });
});
