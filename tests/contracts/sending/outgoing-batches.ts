/**
 * The contract of OutgoingRepository for transfers that leave in one transaction (safety.md, "Paid
 * once").
 */
import { describe, expect, test } from 'bun:test';
import { networkFee, refund } from '../../../src/domain/ledger.ts';
import type { OutgoingTransfer, SignedTransaction } from '../../../src/domain/sending/outgoing.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import { OUTGOING_PURPOSES } from '../../../src/domain/sending/outgoing-purpose.ts';
import { aHash, anAddress, anEntry, anId, NOW } from '../../support/builders.ts';
import { aBatch, anOutgoing, aSigned } from '../../support/payouts/outgoing-builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export function describeOutgoingBatches(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: batches of outgoing transfers`, () => {
    const storage = openedFor(open);
    const insert = (...transfers: readonly OutgoingTransfer[]) =>
      storage.run(async (r) => {
        for (const transfer of transfers) await r.outgoing.insert(transfer);
      });
    const lockBatch = (transferBatchId: string) => storage.run((r) => r.outgoing.lockBatch(transferBatchId));
    const payoutsOf = (transferBatchId: string) => storage.run((r) => r.outgoing.payoutsOf(transferBatchId));

    test('all of a batch is found in the order of its places, also what of it has ended', async () => {
      const [first, second, third] = aBatch(3);
      const block = { height: 7, hash: aHash() };
      const ended: OutgoingTransfer = {
        ...second!,
        ...{ status: 'confirmed', txid: aHash(), block, feeUnits: 0n },
      };
      await insert(first, third!, ended, anOutgoing());
      const found = await storage.run((r) => r.outgoing.ofBatch(first.id));
      expect(found).toEqual([first, ended, third!]);
    });

    test('a batch is locked in the order of its places, however it was stored', async () => {
      const [first, second, third] = aBatch(3);
      await insert(first, third!, second!, anOutgoing());
      expect(await lockBatch(first.id)).toEqual([first, second!, third!]);
      expect(await lockBatch(second!.id)).toEqual([]);
      expect(await lockBatch(anId())).toEqual([]);
    });

    test('who locks a batch waits for who has it, and sees what became of it', async () => {
      const batch = aBatch(2);
      await insert(...batch);
      const [has, may] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const first = storage.run(async (r) => {
        const locked = await r.outgoing.lockBatch(batch[0].id);
        has.resolve();
        await may.promise;
        for (const transfer of locked) await r.outgoing.save({ ...transfer, status: 'signed' });
      });
      await has.promise;
      const second = lockBatch(batch[0].id);
      // One of its transfers alone is locked with it.
      const member = storage.run((r) => r.outgoing.lock(batch[1]!.id));
      may.resolve();
      await first;
      expect((await second).map(({ status }) => status)).toEqual(['signed', 'signed']);
      expect((await member)?.status).toBe('signed');
    });

    test('the payouts of a batch come in the order of its places, and other purposes have none', async () => {
      const [first, second, third] = aBatch(3);
      await insert(first, third!, second!);
      expect(await payoutsOf(first.id)).toEqual([first.referenceId, second!.referenceId, third!.referenceId]);
      const sweep = anOutgoing({ purpose: 'sweep' });
      await insert(sweep);
      expect(await payoutsOf(sweep.id)).toEqual([]);
      expect(await payoutsOf(anId())).toEqual([]);
    });

    test('open transfers come by wallet, nonce and place in their batch', async () => {
      const chain = `chain-${anId()}`;
      const [wallet, other] = [anAddress(), anAddress()];
      const later = aBatch(2, { chain, wallet, nonce: 11n });
      const earlier = aBatch(3, { chain, wallet, nonce: 9n });
      const elsewhere = anOutgoing({ chain, wallet: other, nonce: 3n });
      await insert(elsewhere, ...later, earlier[0], earlier[2]!, earlier[1]!);
      expect(await storage.run((r) => r.outgoing.open(chain, 10))).toEqual([...earlier, ...later, elsewhere]);
    });

    test('no two batches have one nonce of a wallet, and no two transfers one place of a batch', async () => {
      const place = { wallet: anAddress(), nonce: 5n };
      const [first, second] = aBatch(2, place);
      await insert(first, second!);
      const taken = 'outgoing_transfers_one_per_sequence';
      await expect(insert(...aBatch(2, place))).rejects.toThrow(taken);
      const rival = anOutgoing({ ...place, transferBatchId: first.id, position: 1 });
      await expect(insert(rival)).rejects.toThrow(taken);
      // Another wallet, another chain and the next nonce are unused.
      for (const free of [{ wallet: anAddress() }, { chain: 'base' }, { nonce: 6n }])
        await insert(...aBatch(2, { ...place, ...free }));
      expect(await lockBatch(first.id)).toEqual([first, second!]);
    });

    test('a batch is led by its first transfer, which is there before the others', async () => {
      const [first, second] = aBatch(2);
      await expect(insert(second!)).rejects.toThrow('outgoing_transfers_bundle');
      await insert(first);
      const misled = 'outgoing_transfers_bundle_led';
      await expect(insert(anOutgoing({ position: 1 }))).rejects.toThrow(misled);
      await expect(insert(anOutgoing({ transferBatchId: first.id }))).rejects.toThrow(misled);
    });

    test('many batches are inserted, found, locked and saved with all that one of them has', async () => {
      const inserted = [aBatch(2), aBatch(1), aBatch(3)].toSorted(([a], [b]) => (a.id < b.id ? -1 : 1));
      const [one, two, three] = [inserted[0]!, inserted[1]!, inserted[2]!];
      await storage.run((r) => r.outgoing.insertAll([...three, ...one, ...two]));
      await storage.run((r) => r.outgoing.insertAll([]));
      const ids = [three, one, three].map((batch) => batch[0]!.id);
      const found = await storage.run((r) => r.outgoing.ofBatches([...ids, anId()]));
      expect(found).toEqual([...one, ...three]);
      expect(await storage.run((r) => r.outgoing.lockBatches(ids))).toEqual([...one, ...three]);
      const block = { height: 7, hash: aHash() };
      const changed = [...one, ...two].map(
        (transfer): OutgoingTransfer => ({
          ...{ ...transfer, status: 'confirmed', txid: aHash(), block, feeUnits: 2n ** 200n },
        }),
      );
      await storage.run((r) => r.outgoing.saveAll(changed));
      await storage.run((r) => r.outgoing.saveAll([]));
      const after = await storage.run((r) => r.outgoing.ofBatches(inserted.map(([{ id }]) => id)));
      expect(after).toEqual([...changed, ...three]);
      const unknown = storage.run((r) => r.outgoing.saveAll([one[0]!, anOutgoing()]));
      await expect(unknown).rejects.toThrow();
    });

    test('which of many payouts have a transfer that may still happen', async () => {
      const [active, ended] = [anOutgoing(), anOutgoing()];
      await insert(active, ended);
      await storage.run((r) =>
        r.outgoing.save({ ...ended, status: 'failed', failure: failureOf('superseded') }),
      );
      const references = [active.referenceId, ended.referenceId, anId()];
      const among = (purpose: OutgoingTransfer['purpose']) =>
        storage.run((r) => r.outgoing.activeAmong(purpose, references));
      expect(await among('payout')).toEqual(new Set([active.referenceId]));
      expect(await among('sweep')).toEqual(new Set());
    });

    test('what was signed for many batches is stored together, or not at all', async () => {
      const [one, other] = [anOutgoing(), anOutgoing()];
      await insert(one, other);
      const [first, second] = [one, other].map(({ id }) => aSigned({ transferBatchId: id }));
      const store = (...all: Omit<SignedTransaction, 'broadcastAt'>[]) =>
        storage.run((r) => r.outgoing.insertAllSigned(all));
      const signedOf = (...ids: string[]) => storage.run((r) => r.outgoing.signedOf(ids));
      await store();
      await store(first!);
      const rival = aSigned({ transferBatchId: one.id });
      await expect(store(second!, rival)).rejects.toThrow();
      expect(await signedOf(one.id, other.id)).toEqual([{ ...first!, broadcastAt: null }]);
      await store(second!, { ...rival, ordinal: 2 });
      await storage.run((r) => r.outgoing.markBroadcast([second!.txid, first!.txid, aHash()], NOW));
      expect((await signedOf(one.id)).map(({ broadcastAt }) => broadcastAt)).toEqual([NOW, null]);
      expect(await signedOf(other.id)).toEqual([{ ...second!, broadcastAt: NOW }]);
    });

    test('what was signed belongs to the batch, by ordinal', async () => {
      const [first, second] = aBatch(2);
      const single = anOutgoing();
      await insert(first, second!, single);
      const signed = [
        aSigned({ transferBatchId: first.id }),
        aSigned({ transferBatchId: first.id, ordinal: 2 }),
        aSigned({ transferBatchId: single.id }),
      ] as const;
      for (const each of [signed[1], signed[2], signed[0]])
        expect(await storage.run((r) => r.outgoing.insertSigned(each))).toBe(true);
      const rival = aSigned({ transferBatchId: first.id, ordinal: 2 });
      expect(await storage.run((r) => r.outgoing.insertSigned(rival))).toBe(false);
      const signedOf = (...ids: string[]) => storage.run((r) => r.outgoing.signedOf(ids));
      expect(await signedOf(single.id, first.id)).toEqual(
        signed.map((each) => ({ ...each, broadcastAt: null })),
      );
      expect(await signedOf(second!.id)).toEqual([]);
      expect(await signedOf()).toEqual([]);
      await storage.run((r) => r.outgoing.markBroadcast([signed[1].txid], NOW));
      expect((await signedOf(first.id)).map(({ broadcastAt }) => broadcastAt)).toEqual([null, NOW]);
    });

    test('G3: what is signed for a payout is found, given up or not, while the chain has not decided', async () => {
      const transfer = anOutgoing();
      const payingOf = () => storage.run((r) => r.outgoing.payingOf(transfer.referenceId));
      const save = (to: Partial<OutgoingTransfer>) =>
        storage.run((r) => r.outgoing.save({ ...transfer, ...to }));
      const sign = (transaction: Omit<SignedTransaction, 'broadcastAt'>) =>
        storage.run((r) => r.outgoing.insertSigned(transaction));
      await insert(transfer);
      expect(await payingOf()).toBeNull();
      // A transaction that only uses the nonce up does not pay it.
      await sign({ ...aSigned({ transferBatchId: transfer.transferBatchId }), voids: true });
      await save({ status: 'signed' });
      expect(await payingOf()).toBeNull();
      await sign({ ...aSigned({ transferBatchId: transfer.transferBatchId }), ordinal: 2 });
      expect(await payingOf()).toEqual({ ...transfer, status: 'signed' });
      const givenUp = { status: 'signed', voided: true, failure: failureOf('operator') } as const;
      await save(givenUp);
      expect(await payingOf()).toEqual({ ...transfer, ...givenUp });
      await save({ ...givenUp, status: 'failed' });
      expect(await payingOf()).toBeNull();
    });

    test('a payout of a dissolved batch may leave in another, at another place', async () => {
      const [first, second] = aBatch(2);
      await insert(first, second!);
      const again = anOutgoing({ referenceId: second!.referenceId });
      await expect(insert(again)).rejects.toThrow('outgoing_transfers_one_per_reference');
      await storage.run(async (r) => {
        for (const transfer of await r.outgoing.lockBatch(first.id))
          await r.outgoing.save({ ...transfer, status: 'failed', failure: failureOf('chain_refused') });
      });
      await insert(again);
      expect(await storage.run((r) => r.outgoing.activeOf('payout', second!.referenceId))).toEqual(again);
      expect(await storage.run((r) => r.outgoing.activeOf('payout', first.referenceId))).toBeNull();
    });

    test('there is a transfer of every purpose, and one bump of a batch at a time', async () => {
      const transfers = OUTGOING_PURPOSES.map((purpose) => anOutgoing({ purpose }));
      await insert(...transfers);
      for (const transfer of transfers)
        expect(await storage.run((r) => r.outgoing.lock(transfer.id))).toEqual(transfer);
      const helped = anOutgoing();
      const bump = anOutgoing({ purpose: 'bump', referenceId: helped.id });
      await insert(helped, bump);
      expect(await storage.run((r) => r.outgoing.activeOf('bump', helped.id))).toEqual(bump);
      await expect(insert(anOutgoing({ purpose: 'bump', referenceId: helped.id }))).rejects.toThrow(
        'outgoing_transfers_one_per_reference',
      );
    });

    test('bytes that were settled for long are removed, and no others; their hashes stay', async () => {
      const at = (days: number) => new Date(NOW.getTime() + days * 86_400_000);
      const { id: merchantId } = await storage.merchant();
      const settled = (status: OutgoingTransfer['status'], signedDay: number, height = 7) => {
        const transfer = anOutgoing({ status: 'signed' });
        const signed = aSigned({ transferBatchId: transfer.id, signedAt: at(signedDay), raw: '0xab' });
        const block = { height, hash: aHash() };
        const mined = status === 'confirmed' ? { txid: signed.txid, block, feeUnits: 0n } : {};
        return { transfer, signed, end: { ...transfer, status, ...mined } };
      };
      const old = settled('confirmed', 0);
      const open = settled('signed', 0);
      const young = settled('confirmed', 20);
      const booked = settled('confirmed', 0);
      const paidLately = settled('confirmed', 0);
      const remembered = settled('confirmed', 0, 8);
      const early = settled('confirmed', -2);
      const all = [old, open, young, booked, paidLately, remembered, early];
      await storage.run(async (r) => {
        const [hash, parentHash] = [aHash(), aHash()];
        await r.chains.rememberBlocks(old.transfer.chain, [{ height: 8, hash, parentHash, time: 1 }], 9);
        for (const { transfer, signed, end } of all) {
          await r.outgoing.insert(transfer);
          await r.outgoing.insertSigned(signed);
          await r.outgoing.save(end);
        }
        const postings = networkFee({ asset: 'eth_ethereum', units: 1n, microUsd: 1n });
        const fee = { merchantId: null, kind: 'network_fee', postings } as const;
        await r.ledger.post(anEntry({ ...fee, referenceId: old.transfer.id, at: at(1) }));
        await r.ledger.post(anEntry({ ...fee, referenceId: booked.transfer.id, at: at(15) }));
        const reserved = {
          merchantId,
          kind: 'refund',
          referenceId: paidLately.transfer.referenceId,
        } as const;
        await r.ledger.post(anEntry({ ...reserved, postings: refund(1n), at: at(15) }));
      });
      const forget = (limit: number) =>
        storage.run((r) => r.outgoing.forgetBytes({ from: at(-1), before: at(10) }, limit));
      while ((await forget(1)) > 0);
      const found = await storage.run((r) => r.outgoing.signedOf(all.map(({ transfer }) => transfer.id)));
      const without = found.filter(({ raw }) => raw === '').map(({ txid }) => txid);
      expect(without).toEqual([old.signed.txid]);
      expect(await storage.run((r) => r.outgoing.ours([old.signed.txid]))).toEqual(new Set(without));
    });
  });
}
