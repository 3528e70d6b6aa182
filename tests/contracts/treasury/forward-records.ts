/**
 * What repositories know of forwards: newest, unsigned, requested, and what must stay for others.
 */
import { describe, expect, test } from 'bun:test';
import { heldFor } from '../../../src/domain/payouts/held.ts';
import type { OutgoingTransfer } from '../../../src/domain/sending/outgoing.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import type { Sweep } from '../../../src/domain/sweeps/sweep.ts';
import { sweepReason } from '../../../src/domain/sweeps/sweep-reason.ts';
import { aHash, anAddress, anId, aPayout, aWaiting, NOW, secondsAfter } from '../../support/builders.ts';
import { anOutgoing } from '../../support/payouts/outgoing-builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export function describeForwardRecords(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: forwards`, () => {
    const storage = openedFor(open);
    const anAsset = () => `asset-${anId()}`;
    const aForward = (given: Partial<OutgoingTransfer>) => anOutgoing({ purpose: 'forward', ...given });
    const insert = async (...transfers: readonly OutgoingTransfer[]): Promise<void> => {
      for (const transfer of transfers) await storage.run((r) => r.outgoing.insert(transfer));
    };

    test('the newest come first, of one asset, whatever became of them', async () => {
      const asset = anAsset();
      const [old, young] = [aForward({ asset }), aForward({ asset, createdAt: secondsAfter(60) })];
      await insert(
        old,
        young,
        aForward({ asset: anAsset() }),
        anOutgoing({ asset, createdAt: secondsAfter(90) }),
      );
      const newest = (limit: number) => storage.run((r) => r.outgoing.newestForwards(asset, limit));
      expect(await newest(5)).toEqual([young, old]);
      const ended = { status: 'failed', takenOut: true, failure: failureOf('operator') } as const;
      await storage.run((r) => r.outgoing.save({ ...young, ...ended }));
      expect(await newest(1)).toEqual([{ ...young, ...ended }]);
      expect(await storage.run((r) => r.outgoing.newestForwards(anAsset(), 5))).toEqual([]);
    });

    test('unsigned ones are those of which nothing is signed, of some assets or of all', async () => {
      const [asset, other] = [anAsset(), anAsset()];
      const [waits, signed, elsewhere] = [
        aForward({ asset }),
        aForward({ asset }),
        aForward({ asset: other }),
      ];
      await insert(waits, signed, elsewhere, anOutgoing({ asset }));
      await storage.run((r) => r.outgoing.save({ ...signed, status: 'signed' }));
      const unsigned = (assets: readonly string[] | null) =>
        storage.run((r) => r.outgoing.unsignedForwards(assets));
      expect(await unsigned([asset])).toEqual([waits]);
      expect(await unsigned([asset, other])).toEqual([waits, elsewhere]);
      const all = await unsigned(null);
      expect(all.filter(({ asset: of }) => of === asset || of === other)).toEqual([waits, elsewhere]);
    });

    test('an operator’s request is there once, with its first time, until it is removed', async () => {
      const [chain, asset] = [`chain-${anId()}`, anAsset()];
      const request = (at: Date) => storage.run((r) => r.forwardRequests.insert({ chain, asset, at }));
      await request(NOW);
      await request(secondsAfter(60));
      await storage.run((r) => r.forwardRequests.insert({ chain: 'other', asset: anAsset(), at: NOW }));
      const requests = () => storage.run((r) => r.forwardRequests.ofChain(chain));
      expect(await requests()).toEqual([{ chain, asset, at: NOW }]);
      await storage.run((r) => r.forwardRequests.remove(asset));
      expect(await requests()).toEqual([]);
    });

    test('payouts that are pending without a transfer are summed up, held ones too, and those without money counted', async () => {
      const { id: merchantId } = await storage.merchant();
      const [asset, txid] = [anAsset(), aHash()];
      const given = (change: Parameters<typeof aPayout>[0]) =>
        aPayout({ merchantId, asset, sentUnits: 10n, ...change });
      const payouts = [
        given({}),
        given({ waiting: aWaiting({ code: 'liquidity' }) }),
        given({ held: heldFor('limit', 'too much') }),
        given({ status: 'processing', sentUnits: 1_000n, txid, txHashes: [txid] }),
        given({ sandbox: true, sentUnits: 2_000n }),
        given({ sentUnits: 4_000n }),
        given({ sentUnits: 100n }),
      ];
      for (const payout of payouts) await storage.run((r) => r.payouts.insert(payout));
      const placed = anOutgoing({ referenceId: payouts[5]!.id, asset });
      const failed = anOutgoing({ referenceId: payouts[6]!.id, asset });
      await insert(placed, failed);
      await storage.run((r) =>
        r.outgoing.save({ ...failed, status: 'failed', takenOut: true, failure: failureOf('chain_refused') }),
      );
      expect(await storage.run((r) => r.payouts.unallocated([asset, anAsset()]))).toEqual([
        { asset, count: 4, units: 130n, lacking: 1 },
      ]);
    });

    test('sweeps that may want gas are planned ones of tokens, unless they wait for something else', async () => {
      const chain = `chain-${anId()}`;
      const aSweep = (given: Partial<Sweep>): Sweep => ({
        ...{ id: anId(), chain, address: anAddress(), asset: 'token', status: 'planned', forced: false },
        ...{ units: null, topupId: null, delegationId: null, transferId: null, undelegationId: null },
        ...{ reason: null, createdAt: NOW, endedAt: null },
        ...given,
      });
      const sweeps = [
        aSweep({}),
        aSweep({ reason: sweepReason('liquidity') }),
        aSweep({ reason: sweepReason('no_place') }),
        aSweep({ reason: sweepReason('not_worth_it') }),
        aSweep({ reason: sweepReason('withheld') }),
        aSweep({ asset: 'coin' }),
        aSweep({ status: 'failed', reason: sweepReason('too_dear'), endedAt: NOW }),
        aSweep({ chain: `chain-${anId()}` }),
      ];
      await storage.run((r) => r.sweeps.planAll(sweeps));
      const wanting = await storage.run((r) => r.sweeps.countWantingGas({ chain, nativeAsset: 'coin' }));
      expect(wanting).toBe(3);
    });
  });
}
