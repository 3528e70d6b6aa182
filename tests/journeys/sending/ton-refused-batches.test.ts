/**
 * Batches of several payouts on TON that cannot be signed: they give the hot wallet's only place
 * up, and who is to blame fails alone.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { TRIES_MAX } from '../../../src/domain/payouts/waiting-reasons.ts';
import { type ChainSender, SendingRefused } from '../../../src/ports/sending/chain-sender.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { stageTonJourney } from '../../support/ton/ton-journey.ts';
import { NATIVE, USDT } from '../../support/ton/ton-lab.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('payouts on TON that cannot be signed', () => {
  const on = stageTonJourney();
  const { create, pay, settle, mineToFinality, chainAndBooksAgree, order, readPayout } = on;
  let mend = (): void => undefined;
  afterEach(() => mend());

  /** Until `mend`, what is to be signed in `asset` is refused. */
  function refuse(asset: string, error: () => SendingRefused): void {
    const sender: { prepare: ChainSender['prepare'] } = on.it.service.sending.chains.get('ton')!.sender;
    const { prepare } = sender;
    sender.prepare = async (wanted, replaces) => {
      if (wanted.asset === asset && !wanted.voids && wanted.payments.length > 0) throw error();
      return prepare(wanted, replaces);
    };
    mend = () => {
      sender.prepare = prepare;
      mend = () => undefined;
    };
  }
  async function ready(): Promise<void> {
    pay(await create({ amount: 2_000 }));
    if (on.lab.jettonsOf(on.hot) === 0n) await on.fund();
    await mineToFinality();
  }
  const ordered = async (from: number, asset: string, count: number): Promise<string[]> => {
    const ids = [];
    for (let index = from; index < from + count; index += 1)
      ids.push(await order({ to: on.lab.strangersAddress(index), amount: 5, asset }));
    return ids;
  };
  const statuses = async (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await readPayout(id)).status));
  async function finish(rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      await settle();
      await mineToFinality();
      await settle();
    }
  }

  for (const because of ['unclear', 'money'] as const)
    test(`for the reason "${because}" keep no other asset waiting, and are paid once when they can be`, async () => {
      await ready();
      refuse(USDT, () => new SendingRefused(because, 'the asset cannot be used at present'));
      const stuck = await ordered(400, USDT, 3);
      const others = await ordered(500, NATIVE, 1);
      await finish(3);
      expect(await statuses(others)).toEqual(['success']);
      expect(await statuses(stuck)).toEqual(['pending', 'pending', 'pending']);
      mend();
      await finish(4);
      expect(await statuses(stuck)).toEqual(['success', 'success', 'success']);
      await chainAndBooksAgree();
    });

  test('for one of them fail that one alone', async () => {
    await ready();
    const ids = await ordered(600, USDT, 3);
    let told = 0;
    refuse(USDT, () => {
      told += 1;
      mend();
      return new SendingRefused('undone', 'it is no address', 1);
    });
    await finish(3);
    expect(told).toBe(1);
    expect(await statuses(ids)).toEqual(['success', 'failed', 'success']);
    await chainAndBooksAgree();
  });

  test('again and again are left to an operator', async () => {
    await ready();
    refuse(USDT, () => new SendingRefused('unclear', 'the asset cannot be used'));
    const ids = await ordered(700, USDT, 2);
    const { unitOfWork } = on.it.service.dependencies;
    const stored = () =>
      unitOfWork.run(async ({ payouts }) => [(await payouts.lock(ids[0]!))!, (await payouts.lock(ids[1]!))!]);
    await finish(1);
    for (const payout of await stored())
      await unitOfWork.run(({ payouts }) => payouts.save({ ...payout, tries: TRIES_MAX }));
    await finish(2);
    for (const payout of await stored())
      expect(payout).toMatchObject({
        status: 'pending',
        held: { code: 'unclear' },
      });
    await chainAndBooksAgree();
  });
});
