/**
 * Gas for sweeps leaves the same hot wallet as payouts, one request at a time: payouts must have
 * their turn among it.
 */
import { describe, expect, test } from 'bun:test';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { stageTonJourney } from '../../support/ton/ton-journey.ts';
import { USDT } from '../../support/ton/ton-lab.ts';

/** Addresses to be swept: a busy hour. */
const ADDRESSES = 25;
const ROUNDS = 10;

describe.skipIf(!needs('postgres', postgresAvailable()))(
  'a payout on TON while many addresses are swept',
  () => {
    const on = stageTonJourney();
    const { create, pay, settle, mineToFinality, order, readPayout } = on;

    test('leaves before the gas for all of them has left', async () => {
      await on.fund();
      for (let index = 0; index < ADDRESSES; index += 1) pay(await create({ amount: 500 }));
      await mineToFinality();
      await on.it.run('sweep:ton');
      const id = await order({ to: on.lab.strangersAddress(1), amount: 10, asset: USDT });
      await settle();
      const waits = await on.it.service.dependencies.unitOfWork.run(({ payouts }) => payouts.lock(id));
      expect(waits?.waiting).toMatchObject({
        code: 'signing',
        reason: expect.stringContaining('comes first'),
      });
      const waiting: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        await settle();
        await mineToFinality();
        await settle();
        await on.it.run('sweep:ton');
        const open = await on.it.service.dependencies.unitOfWork.run(({ outgoing }) =>
          outgoing.open('ton', 1_000),
        );
        waiting.push(open.filter(({ purpose }) => purpose === 'topup').length);
      }
      // The wallet did send all the time: one request of gas after the other.
      expect(waiting.at(-1)).toBeLessThan(ADDRESSES - 5);
      expect((await readPayout(id)).status).toBe('success');
    });
  },
);
