/** The order of PayoutRepository's payouts to send, and its records of dispatched ones. */
import { describe, expect, test } from 'bun:test';
import { heldFor } from '../../../src/domain/payouts/held.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import type { Waiting } from '../../../src/domain/payouts/waiting-reasons.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import { aHash, anId, aPayout, aWaiting, NOW, secondsAfter } from '../../support/builders.ts';
import { aBatch, anOutgoing } from '../../support/payouts/outgoing-builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export function describePayoutsToSend(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: payouts to send`, () => {
    const storage = openedFor(open);
    const lock = (id: string) => storage.run((r) => r.payouts.lock(id));

    async function inserted(...given: Partial<Payout>[]): Promise<Payout[]> {
      const payouts = given.map((each) => aPayout(each));
      for (const payout of payouts) await storage.run((r) => r.payouts.insert(payout));
      return payouts;
    }
    const sendable = (assets: readonly string[], limit: number, now = secondsAfter(3_600)) =>
      storage.run(async (r) => (await r.payouts.sendable(assets, limit, now)).map(({ id }) => id));
    const ids = (payouts: readonly (Payout | undefined)[]) => payouts.map((payout) => payout?.id ?? '');

    test('why a payout waits, and when it was let go, are stored with it', async () => {
      const { id: merchantId } = await storage.merchant();
      const [payout] = await inserted({
        merchantId,
        waiting: aWaiting(),
        tries: 3,
        dispatchedAt: secondsAfter(3),
      });
      if (!payout) throw new Error('not inserted');
      expect(await lock(payout.id)).toEqual(payout);
      const changed: Payout = {
        ...payout,
        waiting: aWaiting({ code: 'dust', at: secondsAfter(1) }),
        tries: 4,
        dispatchedAt: null,
      };
      await storage.run((r) => r.payouts.save(changed));
      expect(await lock(payout.id)).toEqual(changed);
    });

    test('assets and merchants take turns, each with its oldest', async () => {
      const [{ id: busy }, { id: quiet }] = [await storage.merchant(), await storage.merchant()];
      const [one, other] = [`asset-${anId()}`, `asset-${anId()}`];
      const many = await inserted(...Array.from({ length: 6 }, () => ({ merchantId: busy, asset: one })));
      const [late] = await inserted({ merchantId: quiet, asset: one });
      const [elsewhere] = await inserted({ merchantId: busy, asset: other });
      const first = [many[0], late, elsewhere];
      expect((await sendable([one, other], 3)).toSorted()).toEqual(ids(first).toSorted());
      expect(await sendable([one], 100)).toEqual(ids([many[0], late, ...many.slice(1)]));
    });

    test('K4: payouts that may have been paid are those that are pending, and those on their way where asked', async () => {
      const { id: merchantId } = await storage.merchant();
      const asset = `asset-${anId()}`;
      const txid = aHash();
      const [pending, onItsWay] = await inserted(
        { merchantId, asset },
        { merchantId, asset, status: 'processing', txid, txHashes: [txid] },
        { merchantId, asset, status: 'cancelled', processedAt: NOW },
        { merchantId, asset, sandbox: true },
      );
      const all = { assets: [asset], madeBefore: null, now: NOW };
      const asked = (processing?: boolean) =>
        storage.run((r) => r.payouts.pendingOf(processing === undefined ? all : { ...all, processing }));
      expect(await asked()).toEqual(ids([pending]));
      expect(await asked(false)).toEqual(ids([pending]));
      expect(await asked(true)).toEqual(ids([pending, onItsWay]));
    });

    test('G4: a merchant has its turn however many older ones of another merchant there are, and where those wait, too', async () => {
      const [{ id: busy }, { id: quiet }] = [await storage.merchant(), await storage.merchant()];
      const [made, tried] = [`asset-${anId()}`, `asset-${anId()}`];
      const many = await inserted(...Array.from({ length: 12 }, () => ({ merchantId: busy, asset: made })));
      const [late] = await inserted({ merchantId: quiet, asset: made });
      expect(await sendable([made], 2)).toEqual(ids([many[0], late]));
      const waitingOf = (merchantId: string, seconds: number) =>
        inserted({ merchantId, asset: tried, waiting: aWaiting({ at: secondsAfter(seconds) }) });
      const [first] = await waitingOf(busy, 0);
      for (let seconds = 1; seconds < 6; seconds += 1) await waitingOf(busy, seconds);
      const [last] = await waitingOf(quiet, 9);
      expect(await sendable([tried], 8)).toEqual(ids([first, last]));
    });

    test('what is on its way is not sent again, and what was given up or failed is', async () => {
      const { id: merchantId } = await storage.merchant();
      const asset = `asset-${anId()}`;
      const of = { merchantId, asset };
      const [open, voided, failed, fresh] = await inserted(of, of, of, of);
      const transfers = [
        anOutgoing({ referenceId: open?.id ?? '' }),
        anOutgoing({ referenceId: voided?.id ?? '', voided: true, failure: failureOf('operator') }),
        anOutgoing({ referenceId: failed?.id ?? '', status: 'failed', failure: failureOf('operator') }),
      ];
      for (const transfer of transfers) await storage.run((r) => r.outgoing.insert(transfer));
      expect(await sendable([asset], 9)).toEqual(ids([voided, failed, fresh]));
    });

    test('G7: whose merchant may not be paid out is told of a batch while nothing of it is signed', async () => {
      const { id: merchantId } = await storage.merchant({ status: 'paused' });
      const [first, second, waived] = await inserted(
        { merchantId },
        { merchantId },
        { merchantId, merchantWaived: true },
      );
      const payouts = ids([first, second, waived]);
      const [one, two, three] = aBatch(3);
      const batch = [one, two!, three!].map((transfer, place) => ({
        ...transfer,
        referenceId: payouts[place] ?? '',
      }));
      for (const transfer of batch) await storage.run((r) => r.outgoing.insert(transfer));
      const barred = () =>
        storage.run(async (r) => [...(await r.payouts.barredIn([one.transferBatchId])).keys()].toSorted());
      expect(await barred()).toEqual(payouts.slice(0, 2));
      await storage.run((r) => r.outgoing.save({ ...batch[0]!, status: 'signed' }));
      expect(await barred()).toEqual(payouts.slice(1, 2));
      await storage.run((r) =>
        r.outgoing.save({ ...batch[1]!, voided: true, failure: failureOf('operator') }),
      );
      expect(await barred()).toEqual([]);
    });

    test('those that wait come after new ones, take a quarter at most, and have their turns by rotation', async () => {
      const { id: merchantId } = await storage.merchant();
      const asset = `asset-${anId()}`;
      const waitsSince = (seconds: number): Waiting => aWaiting({ at: secondsAfter(seconds) });
      const given = [3, 1, 2, 0].map((at) => ({ merchantId, asset, waiting: waitsSince(at) }));
      const [third, first, second, zeroth] = await inserted(...given);
      const fresh = await inserted(...Array.from({ length: 8 }, () => ({ merchantId, asset })));
      expect(await sendable([asset], 8)).toEqual(ids([...fresh.slice(0, 6), zeroth, first]));
      expect(await sendable([asset], 40)).toEqual(ids([...fresh, zeroth, first, second, third]));
      await storage.run((r) => r.payouts.putOff(ids([zeroth, first, fresh[0]]), secondsAfter(4)));
      expect(await sendable([asset], 8)).toEqual(ids([...fresh.slice(0, 6), second, third]));
      expect((await lock(zeroth?.id ?? ''))?.waiting).toEqual(waitsSince(4));
      expect((await lock(fresh[0]?.id ?? ''))?.waiting).toBeNull();
      expect(await sendable([asset], 40, secondsAfter(2))).toEqual(ids([...fresh, second]));
    });

    test('one that lacks nothing but its turn is new, or waits to be signed', async () => {
      const { id: merchantId } = await storage.merchant();
      const asset = `asset-${anId()}`;
      const anyReady = (...assets: string[]) => storage.run((r) => r.payouts.anyReady(assets));
      await inserted(
        { merchantId, asset, waiting: aWaiting({ code: 'liquidity' }) },
        { merchantId, asset, held: heldFor('operator') },
        { merchantId, asset, status: 'cancelled', processedAt: NOW },
      );
      expect(await anyReady(asset)).toBe(false);
      const [other, third] = [`asset-${anId()}`, `asset-${anId()}`];
      await inserted({ merchantId, asset: other, waiting: aWaiting({ code: 'signing' }) });
      await inserted({ merchantId, asset: third });
      expect([await anyReady(asset, other), await anyReady(third), await anyReady()]).toEqual([
        true,
        true,
        false,
      ]);
    });

    test('G7: those that wait for their merchant come again once the merchant may be paid out, some of each at a time', async () => {
      const merchant = await storage.merchant();
      const [paused, unknown] = [
        await storage.merchant({ status: 'paused' }),
        await storage.merchant({ kyc: 'pending' }),
      ];
      const asset = `asset-${anId()}`;
      const waits = ({ id }: { id: string }) => ({
        merchantId: id,
        asset,
        waiting: aWaiting({ code: 'merchant' }),
      });
      const barred = await inserted(waits(paused), waits(unknown));
      const own = await inserted(waits(merchant), waits(merchant), waits(merchant));
      expect(await sendable([asset], 9)).toEqual([]);
      await storage.run((r) => r.payouts.readmit(2));
      expect(await sendable([asset], 9)).toEqual(ids(own.slice(0, 2)));
      await storage.run((r) => r.payouts.readmit(2));
      expect(await sendable([asset], 9)).toEqual(ids(own));
      expect(await lock(own[0]?.id ?? '')).toMatchObject({ waiting: null });
      await storage.run((r) => r.merchants.update({ ...paused, status: 'active' }));
      await storage.run((r) => r.payouts.readmit(2));
      expect(await sendable([asset], 9)).toEqual([...ids(barred.slice(0, 1)), ...ids(own)].toSorted());
    });

    test('what a merchant let go counts whatever its id and age, unless it came to nothing', async () => {
      const [{ id: merchantId }, { id: stranger }, { id: idle }] = [
        await storage.merchant(),
        await storage.merchant(),
        await storage.merchant(),
      ];
      await inserted(
        { merchantId, dispatchedAt: secondsAfter(11), createdAt: secondsAfter(-900_000) },
        { merchantId, dispatchedAt: secondsAfter(30) },
        { merchantId, dispatchedAt: secondsAfter(10) },
        { merchantId },
        { merchantId, dispatchedAt: secondsAfter(20), held: heldFor('operator') },
        { merchantId, dispatchedAt: secondsAfter(20), status: 'cancelled', processedAt: NOW },
        { merchantId, dispatchedAt: secondsAfter(20), sandbox: true },
        { merchantId: stranger, dispatchedAt: secondsAfter(20) },
      );
      const dispatched = (after: number) =>
        storage.run((r) => r.payouts.dispatchedMicroUsd([merchantId, stranger, idle], secondsAfter(after)));
      expect(await dispatched(10)).toEqual(
        new Map([
          [merchantId, 10_000_000n],
          [stranger, 5_000_000n],
        ]),
      );
      expect(await dispatched(11)).toEqual(
        new Map([
          [merchantId, 5_000_000n],
          [stranger, 5_000_000n],
        ]),
      );
      expect(await dispatched(20)).toEqual(new Map([[merchantId, 5_000_000n]]));
      expect(await dispatched(30)).toEqual(new Map());
    });
  });
}
