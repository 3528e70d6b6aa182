/**
 * The contract of OutgoingRepository (safety.md, "Paid once": one allocator row per wallet, safe
 * with two workers).
 */
import { describe, expect, test } from 'bun:test';
import { heldFor } from '../../../src/domain/payouts/held.ts';
import type { OutgoingTransfer, SignedTransaction } from '../../../src/domain/sending/outgoing.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import { aHash, anAddress, anId, aPayout, NOW, secondsAfter } from '../../support/builders.ts';
import { anOutgoing, aSigned } from '../../support/payouts/outgoing-builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export function describeOutgoingRepository(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: outgoing transfers`, () => {
    const storage = openedFor(open);
    const insert = (transfer: OutgoingTransfer) => storage.run((r) => r.outgoing.insert(transfer));
    const lock = (id: string) => storage.run((r) => r.outgoing.lock(id));
    const sign = (transaction: Omit<SignedTransaction, 'broadcastAt'>) =>
      storage.run((r) => r.outgoing.insertSigned(transaction));
    const take = (address: string, atLeast = 0n) =>
      storage.run((r) => r.outgoing.takeNonce({ chain: 'ethereum', address, atLeast }));

    test('nonces of a wallet follow each other, from what the chain says, and never run backwards', async () => {
      const wallet = anAddress();
      expect(await take(wallet, 7n)).toBe(7n);
      expect(await take(wallet, 3n)).toBe(8n);
      expect(await take(wallet, 8n)).toBe(9n);
      // The wallet was used elsewhere: the chain's used nonces are skipped.
      expect(await take(wallet, 20n)).toBe(20n);
      expect(await take(anAddress())).toBe(0n);
    });

    test('fifty transactions that take a nonce at once get fifty different ones', async () => {
      const wallet = anAddress();
      const taken = await Promise.all(Array.from({ length: 50 }, () => take(wallet)));
      expect(taken.toSorted((a, b) => Number(a - b))).toEqual(
        Array.from({ length: 50 }, (_, n) => BigInt(n)),
      );
    });

    test('a nonce of a transaction that is rolled back is given out again: nothing was signed for it', async () => {
      const wallet = anAddress();
      const failed = storage.run(async (r) => {
        await r.outgoing.takeNonce({ chain: 'ethereum', address: wallet, atLeast: 0n });
        throw new Error('rolled back');
      });
      await expect(failed).rejects.toThrow('rolled back');
      expect(await take(wallet)).toBe(0n);
    });

    test('a transfer is found as it was inserted, and as it was saved', async () => {
      const transfer = anOutgoing({ units: 2n ** 255n });
      await insert(transfer);
      expect(await lock(transfer.id)).toEqual(transfer);
      const confirmed: OutgoingTransfer = {
        ...transfer,
        status: 'confirmed',
        txid: aHash(),
        block: { height: 12, hash: aHash() },
        feeUnits: 21_000n,
      };
      await storage.run((r) => r.outgoing.save(confirmed));
      expect(await lock(transfer.id)).toEqual(confirmed);
      expect(await lock(anId())).toBeNull();
      await expect(storage.run((r) => r.outgoing.save(anOutgoing()))).rejects.toThrow();
    });

    test('no two transfers have one nonce of a wallet', async () => {
      const first = anOutgoing();
      await insert(first);
      await expect(insert(anOutgoing({ wallet: first.wallet, nonce: first.nonce }))).rejects.toThrow(
        'outgoing_transfers_one_per_sequence',
      );
    });

    test('a payout has one transfer that may still happen or did; after it failed or was given up there may be another', async () => {
      const first = anOutgoing();
      await insert(first);
      const second = anOutgoing({ referenceId: first.referenceId });
      await expect(insert(second)).rejects.toThrow('outgoing_transfers_one_per_reference');
      const activeOf = () => storage.run((r) => r.outgoing.activeOf('payout', first.referenceId));
      expect(await activeOf()).toEqual(first);
      await storage.run((r) =>
        r.outgoing.save({ ...first, status: 'failed', failure: failureOf('superseded') }),
      );
      expect(await activeOf()).toBeNull();
      await insert(second);
      expect(await activeOf()).toEqual(second);
      await storage.run((r) => r.outgoing.save({ ...second, voided: true, failure: failureOf('operator') }));
      expect(await activeOf()).toBeNull();
      const third = anOutgoing({ referenceId: first.referenceId, feeBumpRequested: true, openAttempts: 1 });
      await insert(third);
      expect(await activeOf()).toEqual(third);
    });

    test('a nonce that was given back unsigned is handed on, the lowest first, and not below what the chain has used', async () => {
      const [chain, address] = [`chain-${anId()}`, anAddress()];
      const take = (givenBackFrom?: bigint) =>
        storage.run((r) =>
          r.outgoing.takeNonce({
            ...{ chain, address, atLeast: 4n },
            ...(givenBackFrom === undefined ? {} : { givenBackFrom }),
          }),
        );
      const taken = { ...{ chain, wallet: address }, nonce: 4n };
      const first = anOutgoing({ ...taken, nonce: await take(4n) });
      const second = anOutgoing({ ...taken, nonce: await take(4n) });
      expect([first.nonce, second.nonce]).toEqual([4n, 5n]);
      for (const transfer of [second, first]) {
        await insert(transfer);
        const left = {
          status: 'failed',
          failure: failureOf('chain_refused'),
          voided: true,
          takenOut: true,
        } as const;
        await storage.run((r) => r.outgoing.save({ ...transfer, ...left }));
      }
      expect(await take(5n)).toBe(5n);
      expect(await take()).toBe(6n);
      // A nonce that another transfer has now is not free.
      await insert(anOutgoing({ ...taken, nonce: await take(4n) }));
      expect(await take(4n)).toBe(5n);
      await insert(anOutgoing({ ...taken, nonce: 5n }));
      expect(await take(4n)).toBe(7n);
    });

    test('nonces that no transfer of the wallet has are found, lowest first', async () => {
      const place = { chain: `chain-${anId()}`, wallet: anAddress() };
      const given = { status: 'failed', failure: failureOf('superseded') } as const;
      for (const nonce of [2n, 5n]) await insert(anOutgoing({ ...place, nonce, ...given }));
      await insert(anOutgoing({ ...place, wallet: anAddress(), nonce: 3n }));
      await insert(anOutgoing({ ...place, chain: 'another', nonce: 3n }));
      const unused = (from: bigint, below: bigint, limit = 10) =>
        storage.run((r) =>
          r.outgoing.unusedNonces({ chain: place.chain, address: place.wallet, from, below, limit }),
        );
      expect(await unused(1n, 7n)).toEqual([1n, 3n, 4n, 6n]);
      expect(await unused(1n, 7n, 2)).toEqual([1n, 3n]);
      expect(await unused(2n, 3n)).toEqual([]);
      expect(await unused(4n, 4n)).toEqual([]);
      expect(await unused(2n ** 60n, 2n ** 62n, 1)).toEqual([2n ** 60n]);
    });

    test('what is next of a wallet, and what it has on its way, are its own', async () => {
      const wallet = { chain: 'ton', address: anAddress() };
      const nextOf = (address = wallet.address) =>
        storage.run((r) => r.outgoing.nextOf({ ...wallet, address }));
      expect(await nextOf()).toBe(0n);
      await storage.run((r) => r.outgoing.takeNonce({ ...wallet, atLeast: 41n }));
      expect([await nextOf(), await nextOf(anAddress())]).toEqual([42n, 0n]);
      const place = { chain: 'ton', wallet: wallet.address };
      const first = anOutgoing({ ...place, nonce: 41n });
      await insert(first);
      await insert(anOutgoing({ ...place, nonce: 41n, transferBatchId: first.id, position: 1 }));
      await insert(
        anOutgoing({ ...place, nonce: 42n, status: 'failed', failure: failureOf('chain_refused') }),
      );
      expect(await storage.run((r) => r.outgoing.batchesOnTheWay(wallet))).toBe(1);
    });

    test('of two workers that store the same ordinal one is told to drop its bytes', async () => {
      const transfer = anOutgoing();
      await insert(transfer);
      const mine = aSigned({ transferBatchId: transfer.id });
      const theirs = aSigned({ transferBatchId: transfer.id });
      expect(await sign(mine)).toBe(true);
      expect(await sign(theirs)).toBe(false);
      const replacement = aSigned({ transferBatchId: transfer.id, ordinal: 2, voids: true });
      expect(await sign(replacement)).toBe(true);
      await storage.run((r) => r.outgoing.markBroadcast([mine.txid], NOW));
      await storage.run((r) => r.outgoing.markBroadcast([mine.txid], secondsAfter(9)));
      const stored = await storage.run((r) => r.outgoing.signedOf([transfer.id, anId()]));
      expect(stored).toEqual([
        { ...mine, broadcastAt: NOW },
        { ...replacement, broadcastAt: null },
      ]);
      const ours = await storage.run((r) => r.outgoing.ours([mine.txid, theirs.txid]));
      expect([...ours]).toEqual([mine.txid]);
    });

    test('open transfers come by wallet and nonce; settled ones by block', async () => {
      const chain = `chain-${anId()}`;
      const wallet = anAddress();
      const at = (nonce: bigint, given: Partial<OutgoingTransfer> = {}) =>
        anOutgoing({ chain, wallet, nonce, ...given });
      const block = (height: number) => ({ txid: aHash(), block: { height, hash: aHash() }, feeUnits: 1n });
      const second = at(1n, { status: 'signed' });
      const first = at(0n);
      const low = at(2n, { status: 'confirmed', ...block(5) });
      const high = at(3n, { status: 'failed', failure: failureOf('reverted'), ...block(9) });
      for (const transfer of [second, first, low, high]) await insert(transfer);
      expect(await storage.run((r) => r.outgoing.open(chain, 10))).toEqual([first, second]);
      expect(await storage.run((r) => r.outgoing.open(chain, 1))).toEqual([first]);
      expect(await storage.run((r) => r.outgoing.settledFrom(chain, 5))).toEqual([low, high]);
      expect(await storage.run((r) => r.outgoing.settledFrom(chain, 6))).toEqual([high]);
    });

    test('what leaves a wallet from a nonce on is told by asset, settled or not, and what came to nothing cost its fee', async () => {
      const [chain, wallet] = [`chain-${anId()}`, anAddress()];
      const lead = anOutgoing({ chain, wallet, nonce: 7n, units: 40n });
      const mined = { txid: aHash(), block: { height: 5, hash: aHash() }, feeUnits: 1n };
      const given = [
        anOutgoing({ chain, wallet, nonce: 4n, units: 1_000n }),
        anOutgoing({ chain, wallet, nonce: 5n, units: 10n, status: 'confirmed', ...mined }),
        anOutgoing({
          chain,
          wallet,
          nonce: 6n,
          units: 20n,
          status: 'failed',
          failure: failureOf('reverted'),
          ...mined,
        }),
        lead,
        anOutgoing({ chain, wallet, nonce: 7n, units: 2n, transferBatchId: lead.id, position: 1 }),
        anOutgoing({ chain, wallet, nonce: 8n, units: 5n, asset: 'eth_ethereum' }),
        // Lending stake moves no money; only its fee is paid.
        anOutgoing({ chain, wallet, nonce: 9n, units: 700n, asset: 'eth_ethereum', purpose: 'lend' }),
        anOutgoing({ chain, wallet, nonce: 10n, units: 700n, asset: 'eth_ethereum', purpose: 'reclaim' }),
        anOutgoing({ chain, nonce: 11n }),
      ];
      for (const transfer of given) await insert(transfer);
      const committed = await storage.run((r) =>
        r.outgoing.commitmentsSince({ chain, address: wallet, since: { nonce: 5n } }),
      );
      expect(committed.toSorted((a, b) => a.asset.localeCompare(b.asset))).toEqual([
        { asset: 'eth_ethereum', units: 5n, payments: 3 },
        { asset: 'usdt_ethereum', units: 52n, payments: 4 },
      ]);
    });

    test('stake counts as lent after a view while it is on its way, and in the blocks that the view lacks', async () => {
      const [chain, wallet] = [`chain-${anId()}`, anAddress()];
      const lent = { chain, wallet, asset: 'eth_ethereum', purpose: 'lend' } as const;
      const mined = (height: number) => ({ txid: aHash(), block: { height, hash: aHash() }, feeUnits: 1n });
      const given = [
        anOutgoing({ ...lent, nonce: 0n, units: 1n }),
        anOutgoing({ ...lent, nonce: 1n, units: 10n, status: 'confirmed', ...mined(5) }),
        anOutgoing({ ...lent, nonce: 2n, units: 100n, status: 'confirmed', ...mined(6) }),
        anOutgoing({
          ...lent,
          nonce: 3n,
          units: 1_000n,
          status: 'failed',
          failure: failureOf('chain_refused'),
          ...mined(6),
        }),
        anOutgoing({ ...lent, nonce: 4n, units: 10_000n, purpose: 'topup' }),
      ];
      for (const transfer of given) await insert(transfer);
      expect(await storage.run((r) => r.outgoing.delegatedSince({ chain, address: wallet, height: 5 }))).toBe(
        101n,
      );
    });

    test('signing stays stopped until it is started again', async () => {
      const stopped = () =>
        storage.run(async (r) => {
          const [locked, found] = [await r.outgoing.signingStopped(), await r.outgoing.findSigningStop()];
          expect(found).toEqual(locked);
          return locked;
        });
      const set = (stop: { at: Date; note: string } | null) =>
        storage.run((r) => r.outgoing.setSigningStopped(stop));
      expect(await stopped()).toBeNull();
      expect(await set({ at: NOW, note: 'a drill' })).toBeNull();
      expect(await set({ at: secondsAfter(1), note: 'still a drill' })).toEqual({ at: NOW, note: 'a drill' });
      expect(await stopped()).toEqual({ at: secondsAfter(1), note: 'still a drill' });
      expect(await set(null)).toMatchObject({ note: 'still a drill' });
      expect(await set(null)).toBeNull();
      expect(await stopped()).toBeNull();
    });

    test('payouts that can be sent are live, pending, not held and without a transfer, oldest first', async () => {
      const { id: merchantId } = await storage.merchant();
      const asset = `asset-${anId()}`;
      const a = aPayout({ merchantId, asset });
      const b = aPayout({ merchantId, asset });
      const held = aPayout({ merchantId, asset, held: heldFor('operator') });
      const sandbox = aPayout({ merchantId, asset, sandbox: true });
      const cancelled = aPayout({ merchantId, asset, status: 'cancelled', processedAt: NOW });
      const allocated = aPayout({ merchantId, asset });
      for (const payout of [a, b, held, sandbox, cancelled, allocated])
        await storage.run((r) => r.payouts.insert(payout));
      await insert(anOutgoing({ referenceId: allocated.id }));
      const sendable = (limit: number) =>
        storage.run(async (r) => (await r.payouts.sendable([asset], limit, NOW)).map(({ id }) => id));
      expect(await sendable(10)).toEqual([a.id, b.id]);
      expect(await sendable(1)).toEqual([a.id]);
    });
  });
}
