/**
 * Reconciliation on TON while money is between two accounts: a transfer leaves its sender in one
 * block and arrives in a later one.
 */
import { describe, expect, test } from 'bun:test';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';
import { unpayableContract } from '../../support/ton/small-contracts.ts';
import { stageTonJourney } from '../../support/ton/ton-journey.ts';
import { NATIVE, TON, USDT } from '../../support/ton/ton-lab.ts';

/** Enough for two requests of payouts, a sweep of coins, and one of jettons after its gas. */
const BLOCKS = 16;
/** Blocks after which nothing that was settled can still be on its way. */
const LATELY = 50;

describe.skipIf(!needs('postgres', postgresAvailable()))('reconciliation on TON', () => {
  const on = stageTonJourney();
  const stranger = (number: number): string => on.lab.strangersAddress(number);
  const height = (): number => on.lab.chain.tip.seqno;

  /** Answers the invoice that was paid, in jettons. */
  async function ready(): Promise<Json> {
    const invoice = await on.create({ amount: 2_000 });
    on.pay(invoice);
    if (on.lab.jettonsOf(on.hot) === 0n) await on.fund();
    await on.mineToFinality();
    return invoice;
  }
  async function sweep(): Promise<void> {
    await on.it.run('sweep:ton');
  }
  /**
   * At each new block, with what is on its way there; then at all of them once more, when it is
   * settled.
   */
  async function agreesAtEveryBlock(blocks: number): Promise<void> {
    const from = height();
    const agreesAt = async (at: number) =>
      expect({ at, differences: await on.differencesAt(at) }).toEqual({ at, differences: [] });
    await on.settle();
    for (let mined = 0; mined < blocks; mined += 1) {
      await on.mine();
      await agreesAt(height());
      await sweep();
    }
    for (let at = from; at < height(); at += 1) await agreesAt(at);
  }

  test('finds no difference at any block in what is between two accounts: payouts, what comes back, sweeps and their gas', async () => {
    const jettons = await ready();
    const refusing = on.lab.addressOf(stranger(10));
    on.lab.place(refusing, unpayableContract());
    const coins = await on.create({ asset: NATIVE, amount: 300 });
    on.pay(coins);
    await on.mineToFinality();
    await sweep();
    const paid = [await on.order({ to: stranger(11), amount: 5, asset: NATIVE })];
    // Four times 0.04 TON go along with jettons, and come back in part.
    for (let index = 0; index < 4; index += 1)
      paid.push(await on.order({ to: stranger(index), amount: 10, asset: USDT }));
    const to = refusing.toString({ bounceable: true });
    const returned = await on.order({ to, amount: 5, asset: NATIVE });
    await agreesAtEveryBlock(BLOCKS);
    for (const id of paid) expect(await on.readPayout(id)).toMatchObject({ status: 'success' });
    expect(await on.readPayout(returned)).toMatchObject({ status: 'failed' });
    // Of a difference that is one of time nothing may be booked.
    expect(await on.book(NATIVE)).toMatchObject({ ok: false });
    await on.mine(LATELY);
    expect(await on.book(NATIVE)).toMatchObject({ ok: true });
    // Rent and the gas of messages are no difference of an address.
    const addresses = [coins, jettons].map(({ address_to: address }) => address);
    for (const [index, more] of [1_000n, -1_000n].entries()) {
      const raw = on.lab.addressOf(addresses[index]!).toRawString();
      on.lab.setBalance(raw, on.lab.balanceOf(raw) + more);
    }
    await on.mineToFinality();
    for (const address of addresses)
      expect(await on.book(NATIVE, address)).toMatchObject({ value: { units: 0n, booked: false } });
    expect(on.lab.balanceOf(coins.address_to)).toBeLessThan(TON / 50n);
    expect(on.lab.jettonsOf(jettons.address_to)).toBe(0n);
  });

  test('tells at once what was stolen, of an address and of the wallet that sends at every block', async () => {
    await ready();
    const invoice = await on.create({ asset: NATIVE, amount: 30 });
    on.pay(invoice);
    await on.mineToFinality();
    const address = on.lab.addressOf(invoice.address_to).toRawString();
    for (let round = 1n; round <= 3n; round += 1n) {
      await on.order({ to: stranger(20 + Number(round)), amount: 5, asset: USDT });
      await on.settle();
      await on.mine();
      for (const robbed of [address, on.hot]) on.lab.setBalance(robbed, on.lab.balanceOf(robbed) - TON);
      const told = (await on.differencesAt(height())).map(({ foundUnits, expectedUnits, ...found }) => ({
        ...found,
        lost: Math.round(Number(expectedUnits - foundUnits) / Number(TON)),
      }));
      const stolen = { kind: 'unrecorded_outgoing' as const, asset: NATIVE, lost: Number(round) };
      expect(told).toEqual([
        { ...stolen, address: on.hot },
        { ...stolen, address },
      ]);
    }
  });
});
