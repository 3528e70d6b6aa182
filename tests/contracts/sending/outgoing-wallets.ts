/** The contract of OutgoingRepository for a wallet: its unused nonces, and its outgoing money. */
import { describe, expect, test } from 'bun:test';
import type { OutgoingTransfer } from '../../../src/domain/sending/outgoing.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import { aHash, anAddress, anId, NOW, secondsAfter } from '../../support/builders.ts';
import { anOutgoing, aSigned } from '../../support/payouts/outgoing-builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export function describeOutgoingWallets(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: wallets`, () => {
    const storage = openedFor(open);
    const insert = async (...transfers: readonly OutgoingTransfer[]): Promise<void> => {
      for (const transfer of transfers) await storage.run((r) => r.outgoing.insert(transfer));
    };
    const aWallet = () => ({ chain: `chain-${anId()}`, wallet: anAddress() });
    const givenBack = { status: 'failed', takenOut: true, failure: failureOf('operator') } as const;
    const mined = (height: number) => ({ txid: aHash(), block: { height, hash: aHash() }, feeUnits: 1n });

    test('a nonce that was given back is taken again, the lowest first, however often it was given back', async () => {
      const { chain, wallet } = aWallet();
      const at = (nonce: bigint, given: Partial<OutgoingTransfer> = {}) =>
        anOutgoing({ chain, wallet, nonce, ...given });
      const take = (givenBackFrom: bigint) =>
        storage.run((r) => r.outgoing.takeNonce({ chain, address: wallet, atLeast: 9n, givenBackFrom }));
      await insert(
        at(3n, givenBack),
        at(5n, givenBack),
        at(5n, givenBack),
        at(6n),
        at(7n, givenBack),
        at(7n),
      );
      expect(await take(4n)).toBe(5n);
      expect(await take(0n)).toBe(3n);
      await insert(at(3n));
      expect(await take(0n)).toBe(5n);
      await insert(at(5n));
      expect(await take(0n)).toBe(9n);
    });

    test('many nonces are taken at once: what was given back, lowest first, and new ones behind each other', async () => {
      const { chain, wallet } = aWallet();
      const at = (nonce: bigint, given: Partial<OutgoingTransfer> = {}) =>
        anOutgoing({ chain, wallet, nonce, ...given });
      const take = (count: number, from: { givenBackFrom?: bigint } = {}) =>
        storage.run((r) => r.outgoing.takeNonces({ chain, address: wallet, atLeast: 9n, ...from }, count));
      expect(await take(0, { givenBackFrom: 0n })).toEqual([]);
      expect(await take(3)).toEqual([9n, 10n, 11n]);
      await insert(at(9n, givenBack), at(10n), at(11n, givenBack), at(11n, givenBack));
      expect(await take(4, { givenBackFrom: 0n })).toEqual([9n, 11n, 12n, 13n]);
      expect(await take(1, { givenBackFrom: 10n })).toEqual([11n]);
      expect(await take(2)).toEqual([14n, 15n]);
    });

    test('one nonce of each of many wallets is taken at once, as each alone would be', async () => {
      const { chain, wallet: fresh } = aWallet();
      const [used, returned, foreign] = [anAddress(), anAddress(), anAddress()];
      const each = () =>
        storage.run((r) =>
          r.outgoing.takeNonceOfEach(chain, [
            { address: returned, atLeast: 2n, givenBackFrom: 1n },
            { address: fresh, atLeast: 7n, givenBackFrom: 7n },
            { address: used, atLeast: 0n },
            { address: foreign, atLeast: 0n, givenBackFrom: 9n },
          ]),
        );
      await storage.run(async (r) => {
        for (const address of [used, returned, foreign])
          await r.outgoing.takeNonces({ chain, address, atLeast: 3n }, 2);
      });
      const at = (wallet: string, nonce: bigint) => anOutgoing({ chain, wallet, nonce, ...givenBack });
      await insert(at(returned, 4n), at(returned, 3n), at(returned, 0n), at(foreign, 4n), at(fresh, 3n));
      const taken = (...[ofReturned, ofFresh, ofUsed, ofForeign]: readonly bigint[]) =>
        new Map([
          [returned, ofReturned!],
          [fresh, ofFresh!],
          [used, ofUsed!],
          [foreign, ofForeign!],
        ]);
      const sorted = (found: ReadonlyMap<string, bigint>) =>
        [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));
      expect(sorted(await each())).toEqual(sorted(taken(3n, 7n, 5n, 5n)));
      await insert(anOutgoing({ chain, wallet: returned, nonce: 3n }));
      expect(sorted(await each())).toEqual(sorted(taken(4n, 8n, 6n, 6n)));
      const addresses = [returned, fresh, used, foreign, anAddress()];
      expect(sorted(await storage.run((r) => r.outgoing.nextOfEach(chain, addresses)))).toEqual(
        sorted(taken(5n, 9n, 7n, 7n)),
      );
      const lockAll = () => storage.run((r) => r.outgoing.lockWallets(chain, [...addresses, fresh]));
      await lockAll();
      expect((await storage.run((r) => r.outgoing.nextOfEach(chain, addresses))).get(addresses[4]!)).toBe(0n);
    });

    test('a nonce is unused while nobody has it, also one that was given back', async () => {
      const { chain, wallet } = aWallet();
      const at = (nonce: bigint, given: Partial<OutgoingTransfer> = {}) =>
        anOutgoing({ chain, wallet, nonce, ...given });
      await insert(at(2n), at(3n, givenBack), at(5n, givenBack), at(5n));
      const unused = (limit: number) =>
        storage.run((r) => r.outgoing.unusedNonces({ chain, address: wallet, from: 2n, below: 7n, limit }));
      expect(await unused(9)).toEqual([3n, 4n, 6n]);
      expect(await unused(2)).toEqual([3n, 4n]);
    });

    test('nonces that others used are skipped, never backwards, and those that were given back are not', async () => {
      const { chain, wallet: address } = aWallet();
      const skip = (below: bigint) => storage.run((r) => r.outgoing.skipNonces({ chain, address, below }));
      const nextOf = () => storage.run((r) => r.outgoing.nextOf({ chain, address }));
      const take = (from: { givenBackFrom?: bigint }) =>
        storage.run((r) => r.outgoing.takeNonce({ chain, address, atLeast: 0n, ...from }));
      await skip(4n);
      expect(await nextOf()).toBe(4n);
      await skip(2n);
      expect(await take({})).toBe(4n);
      await skip(9n);
      await insert(anOutgoing({ chain, wallet: address, nonce: 6n, ...givenBack }));
      expect(await take({ givenBackFrom: 5n })).toBe(6n);
      expect(await take({ givenBackFrom: 7n })).toBe(9n);
    });

    test('no more than ten thousand nonces are looked at together', async () => {
      const { chain, wallet: address } = aWallet();
      const unused = (below: bigint) =>
        storage.run((r) => r.outgoing.unusedNonces({ chain, address, from: 3n, below, limit: 20_000 }));
      expect(await unused(10_002n)).toHaveLength(9_999);
      expect((await unused(50_000n)).at(-1)).toBe(10_002n);
    });

    test('K4: nonces that others used are counted once each, within their bounds and of their wallet', async () => {
      const { chain, wallet } = aWallet();
      const note = (nonce: bigint, of = wallet) => {
        const block = { height: 1, hash: aHash() };
        const empty = { feeUnits: null, payments: [], harmless: true, minedAt: NOW, notedAt: NOW };
        const noted = { chain, txid: aHash(), wallet: of, nonce, block, ...empty };
        return storage.run((r) => r.unknown.note(noted));
      };
      for (const nonce of [2n, 3n, 3n, 5n, 6n]) await note(nonce);
      await note(4n, anAddress());
      const counted = (from: bigint, below: bigint) =>
        storage.run((r) => r.unknown.countNonces({ chain, wallet, from, below }));
      expect(await counted(2n, 6n)).toBe(3n);
      expect(await counted(3n, 7n)).toBe(3n);
      expect(await counted(7n, 9n)).toBe(0n);
    });

    test('the lowest nonce that nothing was signed for is the next one where all before it were signed', async () => {
      const { chain, wallet } = aWallet();
      const unsigned = (from: bigint) =>
        storage.run((r) => r.outgoing.unsignedFrom({ chain, address: wallet, from }));
      expect(await unsigned(7n)).toBe(7n);
      await storage.run((r) => r.outgoing.lockWallet({ chain, address: wallet }));
      expect(await unsigned(7n)).toBe(7n);
      for (const nonce of [3n, 4n]) {
        await storage.run((r) => r.outgoing.takeNonce({ chain, address: wallet, atLeast: nonce }));
        const transfer = anOutgoing({ chain, wallet, nonce });
        await insert(transfer);
        await storage.run((r) => r.outgoing.insertSigned(aSigned({ transferBatchId: transfer.id })));
      }
      expect([await unsigned(3n), await unsigned(9n)]).toEqual([5n, 5n]);
      await storage.run((r) => r.outgoing.takeNonce({ chain, address: wallet, atLeast: 0n }));
      await insert(anOutgoing({ chain, wallet, nonce: 5n }));
      expect([await unsigned(2n), await unsigned(3n), await unsigned(6n)]).toEqual([2n, 5n, 6n]);
    });

    test('a nonce that was signed for counts as such although its transfer left it', async () => {
      const { chain, wallet } = aWallet();
      await storage.run((r) => r.outgoing.takeNonce({ chain, address: wallet, atLeast: 4n }));
      const ended = { ...givenBack, failure: failureOf('expired') };
      const [expired, again] = [
        anOutgoing({ chain, wallet, nonce: 3n, ...ended }),
        anOutgoing({ chain, wallet, nonce: 4n }),
      ];
      await insert(expired, again);
      await storage.run((r) => r.outgoing.insertSigned(aSigned({ transferBatchId: expired.id })));
      const unsigned = await storage.run((r) =>
        r.outgoing.unsignedFrom({ chain, address: wallet, from: 3n }),
      );
      expect(unsigned).toBe(4n);
    });

    test('what was signed last is told first, and bytes are signed for one batch alone', async () => {
      const { chain, wallet } = aWallet();
      const transfer = anOutgoing({ chain, wallet });
      await insert(transfer);
      const [old, young] = [0, 10_000].map((seconds, place) =>
        aSigned({
          ...{ transferBatchId: transfer.id, ordinal: place + 1 },
          signedAt: secondsAfter(1_000_000 + seconds),
        }),
      );
      const sign = (transaction: ReturnType<typeof aSigned>) =>
        storage.run((r) => r.outgoing.insertSigned(transaction));
      for (const transaction of [young!, old!]) await sign(transaction);
      const newest = (limit: number) => storage.run((r) => r.outgoing.newestSigned(limit));
      expect([await newest(2), await newest(1)]).toEqual([[young!.txid, old!.txid], [young!.txid]]);
      await expect(sign({ ...young!, ordinal: 3 })).rejects.toThrow('signed_transactions_txid');
    });

    test('what is to leave a wallet after a block is what is on its way, and what later blocks settled', async () => {
      const { chain, wallet } = aWallet();
      const given = [
        anOutgoing({ chain, wallet, nonce: 0n, units: 1n }),
        anOutgoing({ chain, wallet, nonce: 1n, units: 10n, status: 'confirmed', ...mined(5) }),
        anOutgoing({ chain, wallet, nonce: 2n, units: 100n, status: 'confirmed', ...mined(6) }),
        anOutgoing({ chain, wallet, nonce: 3n, units: 1_000n, ...givenBack }),
      ];
      await insert(...given);
      const committed = (height: number) =>
        storage.run((r) => r.outgoing.commitmentsSince({ chain, address: wallet, since: { height } }));
      expect(await committed(5)).toEqual([{ asset: 'usdt_ethereum', units: 101n, payments: 2 }]);
      expect(await committed(6)).toEqual([{ asset: 'usdt_ethereum', units: 1n, payments: 1 }]);
    });
  });
}
