/**
 * Two workers that sign one batch at once: the bytes of one are stored, the other throws its own
 * away and never hands them to a node, since either of two that are out may be mined (safety.md,
 * "Paid once"). They read the same and interleave as a test says.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cancelPayout, holdPayout } from '../../../src/app/sending/operate-payouts.ts';
import { transferSender } from '../../../src/app/sending/send-transfers.ts';
import { UNLIMITED_PAYOUTS } from '../../../src/domain/payouts/payout-limits.ts';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import type { ChainSender } from '../../../src/ports/sending/chain-sender.ts';
import { openPayoutStage, type PayoutStage } from '../../support/payouts/payout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { OPEN_GATE } from '../../support/runtime/open-gate.ts';

type Worker = ReturnType<typeof workerOf>;

/**
 * A worker of its own on the stage's chain, which tells what it signed and what it handed to a
 * node.
 */
function workerOf({ deps, on }: PayoutStage) {
  const [signed, handedOut]: [string[], string[]] = [[], []];
  let before: (() => Promise<unknown>) | null = null;
  const sender = new Proxy(on.sender, {
    get: (target, name: keyof ChainSender) =>
      name === 'broadcast'
        ? (raw: string) => {
            handedOut.push(raw);
            return target.broadcast(raw);
          }
        : target[name],
  });
  const signer: typeof on.signer = {
    ...on.signer,
    async sign(order) {
      const made = await on.signer.sign(order);
      signed.push(made.raw);
      const now = before;
      before = null;
      await now?.();
      return made;
    },
  };
  let afterRead: (() => Promise<unknown>) | null = null;
  const unitOfWork: typeof deps.unitOfWork = {
    ...deps.unitOfWork,
    async run(work) {
      const done = await deps.unitOfWork.run(work);
      const now = afterRead;
      afterRead = null;
      await now?.();
      return done;
    },
  };
  const needed = { ...deps, unitOfWork };
  const { step } = transferSender(needed, { ...on, sender, signer }, UNLIMITED_PAYOUTS, OPEN_GATE);
  return {
    step,
    signed,
    handedOut,
    /** Happens when it has read what is open; the next time only. */
    afterReading(work: () => Promise<unknown>) {
      afterRead = work;
    },
    /** Happens when it has signed, and before it stores that; the next time only. */
    beforeStoring(work: () => Promise<unknown>) {
      before = work;
    },
  };
}

/** Both wait here until the other has come. */
function meeting(): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let here = 0;
  return () => {
    here += 1;
    if (here === 2) resolve();
    return promise;
  };
}

for (const at of [
  { chain: 'ethereum', native: 'eth_ethereum', nonces: 'counted' },
  { chain: 'tron', native: 'trx_tron', nonces: 'independent' },
] as const)
  describe.skipIf(!needs('postgres', postgresAvailable()))(
    `two workers that sign for one payout where nonces are ${at.nonces}`,
    () => {
      let stage: PayoutStage;
      beforeAll(async () => {
        stage = await openPayoutStage({ at });
        expect(stage.on.sender.capabilities.nonces).toBe(at.nonces);
      });
      afterAll(() => stage.close());

      /** A payout that has its place, with nothing signed. */
      async function placed(): Promise<string> {
        const id = await stage.order();
        stage.over.sender = { prepare: () => Promise.reject(new ChainUnavailable('the node is away')) };
        await expect(stage.step()).rejects.toBeInstanceOf(ChainUnavailable);
        stage.over.sender = {};
        expect(await stage.signedOf(id)).toEqual([]);
        return id;
      }
      let level = 100;
      /** What is prepared now is another transaction than before. */
      function change(byPercent = 20): void {
        level += byPercent;
        if (at.nonces === 'independent') stage.journey.chain().mine();
        else stage.journey.chain().setFeeLevel(level);
      }
      async function isPaidOnce(id: string): Promise<void> {
        await stage.journey.mineToFinality();
        await stage.journey.it.settle();
        const { status, address, sentUnits } = await stage.stored(id);
        expect(status).toBe('success');
        expect(stage.journey.chain().received(address)).toMatchObject([{ units: sentUnits }]);
        expect(await stage.open()).toEqual([]);
        await stage.journey.booksAreRight();
      }
      const workers = (): [Worker, Worker] => [workerOf(stage), workerOf(stage)];

      test('the one that is late throws its bytes away, and goes on with those that are stored', async () => {
        const id = await placed();
        const [late, quick] = workers();
        late.beforeStoring(async () => {
          change();
          await quick.step();
        });
        await late.step();
        const [[wasted], [stored]] = [late.signed, quick.signed];
        expect(wasted).not.toBe(stored);
        expect([late.signed, quick.signed].map(({ length }) => length)).toEqual([1, 1]);
        expect(late.handedOut).toEqual([]);
        expect(quick.handedOut).toEqual([stored!]);
        await late.step();
        expect(late.signed).toHaveLength(1);
        expect(late.handedOut).not.toContain(wasted!);
        expect((await stage.signedOf(id)).map(({ raw }) => raw)).toEqual([stored!]);
        await isPaidOnce(id);
      });

      if (at.nonces === 'counted')
        test('of two that replace what waits one is late, too', async () => {
          const id = await stage.order();
          await stage.step();
          const [transfer] = await stage.open();
          await stage.deps.unitOfWork.run((r) => r.outgoing.save({ ...transfer!, feeBumpRequested: true }));
          change(1_000);
          const [late, quick] = workers();
          late.beforeStoring(async () => {
            change();
            await quick.step();
          });
          await late.step();
          expect(late.signed[0]).not.toBe(quick.signed[0]);
          expect((await stage.signedOf(id)).map(({ ordinal, raw }) => [ordinal, raw])).toMatchObject([
            [1, expect.any(String)],
            [2, quick.signed[0]!],
          ]);
          expect(late.handedOut).not.toContain(late.signed[0]!);
          await isPaidOnce(id);
        });

      test.each([
        ['afterReading', 'cancel'],
        ['afterReading', 'hold'],
        ['beforeStoring', 'cancel'],
        ['beforeStoring', 'hold'],
      ] as const)(
        'one that meets (%s) an operator’s %s, and a worker that has carried it out, does nothing',
        async (moment, decision) => {
          const id = await placed();
          const [late, quick] = workers();
          late[moment](async () => {
            const decide = decision === 'cancel' ? cancelPayout(stage.deps) : holdPayout(stage.deps);
            expect(await decide(id, 'a test')).toMatchObject({ ok: true });
            await quick.step();
          });
          await late.step();
          expect(late.handedOut).toEqual([]);
          const status = decision === 'cancel' ? 'cancelled' : 'pending';
          expect(await stage.stored(id)).toMatchObject({ status, txHashes: [] });
          // It stops nobody behind it.
          const next = await stage.order();
          await late.step();
          await isPaidOnce(next);
          expect(stage.journey.chain().received((await stage.stored(id)).address)).toEqual([]);
        },
      );

      test('of two that store at the same moment one is late', async () => {
        const id = await placed();
        const [one, other] = workers();
        const meet = meeting();
        one.beforeStoring(meet);
        const first = one.step();
        while (one.signed.length === 0) await Bun.sleep(1);
        change();
        other.beforeStoring(meet);
        await Promise.all([first, other.step()]);
        const [stored, ...more] = await stage.signedOf(id);
        expect(more).toEqual([]);
        const bytes = [...one.signed, ...other.signed];
        expect(new Set(bytes).size).toBe(2);
        expect(bytes).toContain(stored!.raw);
        expect([...one.handedOut, ...other.handedOut]).toEqual([stored!.raw]);
        await isPaidOnce(id);
      });

      test('one whose answer comes when the other’s transaction is mined does not take that for somebody else’s', async () => {
        const id = await placed();
        const [late, quick] = workers();
        late.beforeStoring(async () => {
          change();
          await quick.step();
          stage.journey.chain().mine(20);
        });
        await late.step();
        expect(late.handedOut).toEqual([]);
        expect(quick.signed[0]).not.toBe(late.signed[0]);
        expect((await stage.signedOf(id)).map(({ raw }) => raw)).toEqual(quick.signed);
        await isPaidOnce(id);
      });
    },
  );
