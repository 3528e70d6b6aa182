/**
 * The contract of TreasuryQueries about what is on its way, what waits and what the books say. Each
 * test has a chain of its own.
 */
import { describe, expect, test } from 'bun:test';
import { capital, depositArrived, networkFee } from '../../../src/domain/ledger.ts';
import type { OutgoingTransfer } from '../../../src/domain/sending/outgoing.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import { aHash, anEntry, anId, aPayout, aWaiting, NOW, secondsAfter } from '../../support/builders.ts';
import { aTxid, aUtxo } from '../../support/chains/utxo-builders.ts';
import { anOutgoing } from '../../support/payouts/outgoing-builders.ts';
import { openedFor } from '../opened.ts';
import { depositsIn, type OpenedTreasury } from './treasury-queries.ts';

const block = (height: number) => ({ height, hash: aHash() });
const [USDT, USDC] = ['usdt', 'usdc'] as const;

export function describeTreasuryRecords(name: string, open: () => Promise<OpenedTreasury>): void {
  describe(`${name}: treasury records`, () => {
    const storage = openedFor(open);
    const treasury = () => storage.ports().treasuryQueries;
    const deposited = depositsIn(storage);
    const aChain = () => `chain ${anId()}`;
    const sent = (transfer: OutgoingTransfer) => storage.run((r) => r.outgoing.insert(transfer));

    test('what waits for liquidity is live and pending, by asset', async () => {
      const { id: merchantId } = await storage.merchant();
      const [one, other] = [`a-${anId()}`, `B-${anId()}`];
      const waits = { merchantId, waiting: aWaiting(), sentUnits: 10n };
      const txid = aHash();
      await storage.run(async (r) => {
        for (const given of [
          { asset: one, sentUnits: 30n },
          { asset: one },
          { asset: other },
          { asset: other, sandbox: true },
          { asset: other, waiting: aWaiting({ code: 'fee' }) },
          { asset: other, status: 'processing' as const, txid, txHashes: [txid] },
          { asset: `c-${anId()}` },
        ])
          await r.payouts.insert(aPayout({ ...waits, ...given }));
      });
      expect(await treasury().waitingForLiquidity([one, other, anId()])).toEqual([
        { asset: other, count: 1, units: 10n },
        { asset: one, count: 2, units: 40n },
      ]);
      expect(await treasury().waitingForLiquidity([])).toEqual([]);
    });

    test('funding that is not booked comes oldest first, without a block last', async () => {
      const [chain, another] = [aChain(), aChain()];
      const coin = (given: object) => {
        const { key: _, ...funding } = aUtxo(given);
        return funding;
      };
      const txid = aTxid();
      const [old, second, first, orphan, booked, far] = [
        coin({}),
        coin({ txid, vout: 2 }),
        coin({ txid, vout: 1 }),
        coin({}),
        coin({}),
        coin({}),
      ];
      await storage.run(async (r) => {
        await r.utxos.insertFunding(chain, orphan!, block(9));
        await r.utxos.orphanAbove(chain, 8);
        for (const each of [second!, first!, booked!]) await r.utxos.insertFunding(chain, each, block(7));
        await r.utxos.insertFunding(another, far!, block(6));
        await r.utxos.insertFunding(chain, old!, block(5));
        await r.utxos.markBooked(chain, booked!, true);
      });
      const found = [
        { ...old!, chain, height: 5 },
        { ...far!, chain: another, height: 6 },
        { ...first!, chain, height: 7 },
        { ...second!, chain, height: 7 },
        { ...orphan!, chain, height: null },
      ];
      expect(await treasury().unbookedFunding([chain, another], 9)).toEqual(found);
      expect(await treasury().unbookedFunding([another, chain], 2)).toEqual(found.slice(0, 2));
      expect(await treasury().unbookedFunding([], 9)).toEqual([]);
    });

    test('on the way is what is neither confirmed nor failed, by purpose and asset', async () => {
      const chain = aChain();
      const given = { chain, asset: USDT, units: 10n };
      await sent(anOutgoing({ ...given, purpose: 'topup' }));
      await sent(anOutgoing({ ...given, asset: USDC }));
      await sent(anOutgoing({ ...given, status: 'signed' }));
      await sent(anOutgoing({ ...given }));
      const ended = anOutgoing(given);
      await sent(ended);
      await storage.run((r) =>
        r.outgoing.save({ ...ended, status: 'failed', takenOut: true, failure: failureOf('operator') }),
      );
      expect(await treasury().onTheWay(chain)).toEqual([
        { purpose: 'payout', asset: USDC, count: 1, units: 10n },
        { purpose: 'payout', asset: USDT, count: 2, units: 20n },
        { purpose: 'topup', asset: USDT, count: 1, units: 10n },
      ]);
    });

    test('frozen addresses come oldest first', async () => {
      const chain = aChain();
      const freeze = (address: string, at: Date) =>
        storage.run((r) => r.frozen.freeze({ chain, address, reason: 'a test', at }));
      await freeze('b', secondsAfter(1));
      await freeze('c', NOW);
      await freeze('A', secondsAfter(1));
      expect((await treasury().frozenAddresses(chain)).map(({ address }) => address)).toEqual([
        'c',
        'A',
        'b',
      ]);
      expect(await freeze('c', NOW)).toBe(false);
      expect(await storage.run((r) => r.frozen.thaw({ chain, address: 'c' }))).toBe(true);
      expect(await storage.run((r) => r.frozen.thaw({ chain, address: 'c' }))).toBe(false);
      expect((await treasury().frozenAddresses(chain)).length).toBe(2);
    });

    test('the books of an asset are its live deposits and the owner’s money less what left; a fee is of the coin', async () => {
      const chain = aChain();
      const [asset, coin] = [`a-${anId()}`, `B-${anId()}`];
      const of = { chain, asset };
      await deposited(
        chain,
        { asset, units: 1_000n },
        { asset, units: 100n, status: 'held' },
        { asset, units: 7n, status: 'confirming' },
        { asset, units: 7n, sandbox: true },
      );
      const mined = { txid: aHash(), block: block(7), feeUnits: 3n };
      await sent(anOutgoing({ ...of, units: 30n, status: 'confirmed', ...mined }));
      const reverted = { status: 'failed', failure: failureOf('reverted') } as const;
      await sent(anOutgoing({ ...of, units: 500n, ...reverted, ...mined, txid: aHash() }));
      await sent(
        anOutgoing({ ...of, units: 60n, purpose: 'sweep', status: 'confirmed', ...mined, txid: aHash() }),
      );
      const fee = networkFee({ asset: coin, units: 9n, microUsd: 1n });
      await storage.run(async (r) => {
        const booking = {
          chain,
          asset: coin,
          units: 50n,
          block: block(1),
          note: '',
          at: NOW,
          coin: null,
          address: null,
        };
        await r.capital.insert({ id: anId(), ...booking });
        const house = { merchantId: null, sandbox: false };
        await r.ledger.post(anEntry({ ...house, kind: 'capital', postings: capital(coin, 50n) }));
        await r.ledger.post(anEntry({ ...house, kind: 'network_fee', postings: fee }));
      });
      const { id: merchantId } = await storage.merchant();
      await storage.run(async (r) => {
        await r.ledger.post(anEntry({ merchantId, postings: depositArrived(asset, 1_070n) }));
        await r.ledger.post(anEntry({ merchantId, sandbox: true, postings: depositArrived(asset, 5n) }));
      });
      expect(await treasury().treasuryBooks(chain, [asset, 'none', coin], coin)).toEqual([
        { asset: coin, recordedUnits: 41n, ledgerUnits: 41n },
        { asset, recordedUnits: 1_070n, ledgerUnits: 1_070n },
        { asset: 'none', recordedUnits: 0n, ledgerUnits: 0n },
      ]);
    });
  });
}
