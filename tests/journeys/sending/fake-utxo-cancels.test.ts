/**
 * What operators cancel on UTXO chains after it was signed: whatever a block takes decides, and
 * each payout is paid once or not at all.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cancelPayout } from '../../../src/app/sending/operate-payouts.ts';
import { settleTransfer } from '../../../src/app/sending/settle-transfer.ts';
import type { OutgoingTransfer } from '../../../src/domain/sending/outgoing.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import { type FakeCoinJourney, openFakeCoinJourney } from '../../support/fake/fake-utxo-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

for (const family of ['bitcoin', 'litecoin'] as const)
  describe.skipIf(!needs('postgres', postgresAvailable()))(`a cancelled payout on the fake ${family}`, () => {
    let at: FakeCoinJourney;
    beforeAll(async () => {
      at = await openFakeCoinJourney(family);
    });
    afterAll(() => at.journey.close());

    if (family === 'bitcoin')
      test('G3: one of several that are signed is cancelled, and the others are paid without it', async () => {
        await at.earn(1_000);
        const all = [150_000n, 250_000n, 250_000n].map(at.someone);
        // Two payments alike: only one of them is cancelled.
        all[2] = all[1]!;
        const ids = await at.order(...all);
        await at.settle();
        const [first] = at.control().waiting();
        const before = await at.journey.balance();
        const cancel = cancelPayout(at.journey.it.service.dependencies);
        expect((await cancel(ids[1]!)).ok).toBe(true);
        await at.settle();
        expect(at.control().waiting()).toHaveLength(1);
        expect(at.control().waiting()).not.toContain(first);
        await at.mine();
        const statuses = await Promise.all(ids.map(async (id) => (await at.payout(id)).status));
        expect(statuses).toEqual(['success', 'cancelled', 'success']);
        expect([at.received(all[0]!.address), at.received(all[1]!.address)]).toEqual([150_000n, 250_000n]);
        expect((await at.journey.balance()).available).toBeGreaterThan(before.available);
        await at.chainIsRight();
        // All of them: the UTXOs come back to us.
        const others = [150_000n, 350_000n].map(at.someone);
        const given = await at.order(...others);
        await at.settle();
        for (const id of given) expect((await cancel(id)).ok).toBe(true);
        await at.settle();
        await at.mine();
        for (const id of given) expect((await at.payout(id)).status).toBe('cancelled');
        for (const { address } of others) expect(at.received(address)).toBe(0n);
        await at.chainIsRight();
      });

    if (family === 'bitcoin')
      test('G3: one that is mined before what leaves it out is paid, once', async () => {
        await at.earn(1_000);
        const [one, other] = [at.someone(150_000n), at.someone(250_000n)];
        const ids = await at.order(one, other);
        await at.settle();
        expect((await cancelPayout(at.journey.it.service.dependencies)(ids[0]!)).ok).toBe(true);
        await at.mine();
        for (const id of ids) expect((await at.payout(id)).status).toBe('success');
        expect([at.received(one.address), at.received(other.address)]).toEqual([150_000n, 250_000n]);
        await at.chainIsRight();
      });

    if (family === 'bitcoin')
      test('G3: of two alike the one that was paid stays so when a worker dies between them, and an operator cancels both', async () => {
        await at.earn(1_000);
        const to = at.someone(250_000n);
        const ids = await at.order(to, to);
        await at.settle();
        const deps = at.journey.it.service.dependencies;
        expect((await cancelPayout(deps)(ids[0]!)).ok).toBe(true);
        await at.settle();
        const { chain, sender } = at.sending();
        at.control().mine(at.confirmations);
        const { batch, transactions, inputs } = await deps.unitOfWork.run(async (r) => {
          const open = await r.outgoing.open(chain, 10);
          const [{ transferBatchId }] = open as [OutgoingTransfer];
          return {
            batch: open,
            transactions: await r.outgoing.signedOf([transferBatchId]),
            inputs: await r.utxos.ofBatch(transferBatchId),
          };
        });
        const [cancelled, paid] = batch as [OutgoingTransfer, OutgoingTransfer];
        const { wallet, nonce } = cancelled;
        const payments = [paid, cancelled];
        const mined = await sender.outcome({
          wallet,
          nonce,
          transactions,
          inputs,
          order: { asset: at.asset, payments },
        });
        if (mined.kind !== 'mined') throw new Error(`the batch is ${mined.kind}`);
        expect({ effects: mined.effects, id: cancelled.referenceId }).toEqual({
          effects: [true, false],
          id: ids[0]!,
        });
        // The worker dies after the first of them.
        const unpaid = { type: 'mined_without_effect', ...mined, reason: failureOf('reverted') } as const;
        expect(await settleTransfer(deps, cancelled, unpaid, sender)).toBe(true);
        expect((await cancelPayout(deps)(ids[1]!)).ok).toBe(true);
        await at.settle();
        await at.settle();
        const statuses = await Promise.all(ids.map(async (id) => (await at.payout(id)).status));
        expect(statuses).toEqual(['cancelled', 'success']);
        expect(at.received(to.address)).toBe(250_000n);
      });

    if (family !== 'bitcoin')
      test('G3: one that is signed cannot be cancelled where nodes replace nothing that waits: the operator is told', async () => {
        await at.earn(1_000);
        const [id = ''] = await at.order(at.someone(150_000n));
        await at.settle();
        expect(await cancelPayout(at.journey.it.service.dependencies)(id)).toMatchObject({
          error: { code: 'INVALID_TRANSITION', message: expect.stringContaining('replace nothing') },
        });
        await at.mine();
        expect((await at.payout(id)).status).toBe('success');
      });
  });
