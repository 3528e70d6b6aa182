/**
 * The contract of LedgerRepository: entries balance, a deposit is credited once, the summary
 * follows the postings.
 */
import { describe, expect, test } from 'bun:test';
import {
  availableMicroUsd,
  hold,
  income,
  paidOut,
  payoutReserved,
  refund,
  reversed,
} from '../../../src/domain/ledger.ts';
import type { NewEntry } from '../../../src/ports/ledger-repository.ts';
import { aDeposit, aMerchant, anEntry, anId, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export function describeLedgerRepository(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: ledger`, () => {
    const storage = openedFor(open);
    const post = (...entries: NewEntry[]) =>
      storage.run(async (r) => {
        for (const entry of entries) await r.ledger.post(entry);
      });
    const summary = (merchantId: string, sandbox = false) =>
      storage.run((r) => r.ledger.lockBalance(merchantId, sandbox));

    /** A merchant with a final deposit of 10.1 USDT that is posted to the treasury. */
    async function arrived(): Promise<{ merchantId: string; depositId: string; referenceId: string }> {
      const { id: merchantId } = await storage.merchant();
      const deposit = aDeposit({ merchantId, status: 'stray' });
      const referenceId = anId();
      await storage.run((r) => r.deposits.insertAll([deposit]));
      await post(anEntry({ merchantId, depositId: deposit.id, referenceId }));
      return { merchantId, depositId: deposit.id, referenceId };
    }

    test('a balance that is locked makes the next transaction wait and see what was written', async () => {
      const { merchantId } = await arrived();
      const found = await Promise.all(
        Array.from({ length: 8 }, () =>
          storage.run(async (r) => {
            const { incomeMicroUsd } = await r.ledger.lockBalance(merchantId, false);
            await r.ledger.post(anIncome({ merchantId, depositId: null, referenceId: anId() }));
            return incomeMicroUsd / 10_000_000n;
          }),
        ),
      );
      expect(found.toSorted((a, b) => Number(a - b))).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n]);
    });

    function anIncome(about: {
      merchantId: string;
      depositId: string | null;
      referenceId: string;
    }): NewEntry {
      return anEntry({
        ...about,
        kind: 'income',
        postings: income({
          asset: 'usdt_ethereum',
          creditedUnits: 10_000_000n,
          feeUnits: 100_000n,
          receivedMicroUsd: 10_100_000n,
          creditedMicroUsd: 10_000_000n,
        }),
        feed: {
          type: 'income',
          asset: 'usdt_ethereum',
          amountUnits: 10_000_000n,
          feeUnits: 100_000n,
          currency: 'USD',
          microUsd: 10_000_000n,
          referenceId: about.referenceId,
        },
        at: secondsAfter(1),
      });
    }

    function undone(entry: NewEntry, kind: NewEntry['kind']): NewEntry {
      const { feed } = entry;
      return {
        ...entry,
        id: anId(),
        kind,
        postings: reversed(entry.postings),
        feed: feed && {
          ...feed,
          amountUnits: -feed.amountUnits,
          feeUnits: feed.feeUnits === null ? null : -feed.feeUnits,
          microUsd: -feed.microUsd,
        },
        at: secondsAfter(2),
      };
    }

    function aReserve(merchantId: string, microUsd: bigint, payoutId = anId()): NewEntry {
      return anEntry({
        merchantId,
        kind: 'payout_reserved',
        referenceId: payoutId,
        postings: payoutReserved(microUsd),
        feed: {
          type: 'payout',
          asset: 'usdt_ethereum',
          amountUnits: microUsd,
          feeUnits: null,
          currency: null,
          microUsd,
          referenceId: payoutId,
        },
      });
    }

    test('entries of a reference come back as they were posted, oldest first, also within one instant', async () => {
      const about = await arrived();
      const credit = { ...anIncome(about), at: secondsAfter(0) };
      const back = { ...undone(credit, 'income_reversed'), at: secondsAfter(0) };
      const again = { ...anIncome(about), at: secondsAfter(0) };
      await post(credit, back, again);
      const [arrival, ...rest] = await storage.run((r) => r.ledger.entriesOf(about.referenceId));
      expect(arrival?.kind).toBe('deposit_arrived');
      expect(rest).toEqual([credit, back, again]);
      expect(await storage.run((r) => r.ledger.entriesOf(anId()))).toEqual([]);
    });

    test('the summary follows income, payouts and refunds, and environments are apart', async () => {
      const about = await arrived();
      const { merchantId } = about;
      const refunded = anEntry({
        merchantId,
        kind: 'refund',
        postings: refund(1_000_000n),
        feed: {
          type: 'refund',
          asset: 'usdt_ethereum',
          amountUnits: 1_000_000n,
          feeUnits: null,
          currency: 'USD',
          microUsd: 1_000_000n,
          referenceId: anId(),
        },
      });
      await post(anIncome(about), aReserve(merchantId, 4_000_000n), refunded);
      expect(await summary(merchantId)).toEqual({
        incomeMicroUsd: 10_000_000n,
        payoutsMicroUsd: 4_000_000n,
        refundsMicroUsd: 1_000_000n,
      });
      expect(availableMicroUsd(await summary(merchantId, true))).toBe(0n);
    });

    test('a released reserve comes back, with or without a line in the feed', async () => {
      const about = await arrived();
      const reserve = aReserve(about.merchantId, 4_000_000n);
      await post(anIncome(about), reserve);
      await post({ ...undone(reserve, 'payout_released'), feed: null });
      expect(availableMicroUsd(await summary(about.merchantId))).toBe(10_000_000n);
    });

    test('a settled payout leaves the summary as it was', async () => {
      const about = await arrived();
      const reserve = aReserve(about.merchantId, 4_000_000n);
      const settled = anEntry({
        merchantId: about.merchantId,
        kind: 'payout_settled',
        referenceId: reserve.referenceId,
        postings: paidOut({
          reserve: 'payouts_in_flight',
          asset: 'usdt_ethereum',
          units: 3_900_000n,
          reservedMicroUsd: 4_000_000n,
          feeMicroUsd: 100_000n,
        }),
      });
      await post(anIncome(about), reserve, settled);
      expect(availableMicroUsd(await summary(about.merchantId))).toBe(6_000_000n);
    });

    test('a deposit cannot be credited twice, nor arrive twice, nor be credited and held', async () => {
      const about = await arrived();
      await post(anIncome(about));
      await expect(post(anIncome(about))).rejects.toThrow();
      await expect(post(anEntry(about))).rejects.toThrow();
      const held = anEntry({
        ...about,
        kind: 'hold',
        postings: hold({ asset: 'usdt_ethereum', units: 10_100_000n, microUsd: 10_100_000n }),
      });
      await expect(post(held)).rejects.toThrow();
      expect((await summary(about.merchantId)).incomeMicroUsd).toBe(10_000_000n);
    });

    test('a credit that was reversed can be made again, and a reversal needs a standing credit', async () => {
      const about = await arrived();
      const credit = anIncome(about);
      await expect(post(undone(credit, 'income_reversed'))).rejects.toThrow();
      await post(credit);
      await post(undone(credit, 'income_reversed'));
      expect((await summary(about.merchantId)).incomeMicroUsd).toBe(0n);
      await expect(post(undone(credit, 'income_reversed'))).rejects.toThrow();
      await post(anIncome(about));
      expect((await summary(about.merchantId)).incomeMicroUsd).toBe(10_000_000n);
    });

    test('a released hold makes room for the credit', async () => {
      const about = await arrived();
      const held = anEntry({
        ...about,
        kind: 'hold',
        postings: hold({ asset: 'usdt_ethereum', units: 10_100_000n, microUsd: 10_100_000n }),
      });
      await post(held);
      await expect(post(anIncome(about))).rejects.toThrow();
      await post(undone(held, 'hold_reversed'), anIncome(about));
      expect((await summary(about.merchantId)).incomeMicroUsd).toBe(10_000_000n);
    });

    test('a reserve is made once and ends once', async () => {
      const about = await arrived();
      const reserve = aReserve(about.merchantId, 1_000_000n);
      const again = { ...aReserve(about.merchantId, 1_000_000n, reserve.referenceId), id: anId() };
      await post(anIncome(about), reserve);
      await expect(post(again)).rejects.toThrow();
      await post(undone(reserve, 'payout_released'));
      await expect(post(undone(reserve, 'payout_released'))).rejects.toThrow();
    });

    test('an entry that does not balance per currency is refused at commit', async () => {
      const { id: merchantId } = await storage.merchant();
      const unbalanced = anEntry({
        merchantId,
        postings: [
          { account: 'treasury', currency: 'usdt_ethereum', amount: 5n },
          { account: 'suspense', currency: 'usdt_ethereum', amount: -4n },
        ],
      });
      const mixed = anEntry({
        merchantId,
        postings: [
          { account: 'treasury', currency: 'usdt_ethereum', amount: 5n },
          { account: 'suspense', currency: 'usdt_tron', amount: -5n },
        ],
      });
      await expect(post(unbalanced)).rejects.toThrow();
      await expect(post(mixed)).rejects.toThrow();
      await expect(post(anEntry({ merchantId, postings: [] }))).rejects.toThrow();
      expect(await storage.run((r) => r.ledger.entriesOf(unbalanced.referenceId))).toEqual([]);
    });

    test('a feed line that disagrees with the postings is refused', async () => {
      const about = await arrived();
      const credit = anIncome(about);
      if (!credit.feed) throw new Error('no feed');
      await expect(post({ ...credit, feed: { ...credit.feed, microUsd: 1n } })).rejects.toThrow();
    });

    test('a payout that the chain paid after it was given back is taken again, below zero too, and can be given back again', async () => {
      const about = await arrived();
      await post(anIncome(about));
      const reserve = aReserve(about.merchantId, 10_000_000n);
      await post(reserve);
      await post(undone(reserve, 'payout_released'));
      await post(aReserve(about.merchantId, 4_000_000n));
      const again = (): NewEntry => ({ ...reserve, id: anId(), kind: 'payout_retaken' });
      await post(again());
      expect(availableMicroUsd(await summary(about.merchantId))).toBe(-4_000_000n);
      await expect(post(again())).rejects.toThrow('ledger_one_reserve');
      await post(undone(reserve, 'payout_released'));
      expect(availableMicroUsd(await summary(about.merchantId))).toBe(6_000_000n);
    });

    test('a payout cannot take the balance below zero; a reversal can', async () => {
      const about = await arrived();
      const credit = anIncome(about);
      await post(credit);
      await expect(post(aReserve(about.merchantId, 10_000_001n))).rejects.toThrow();
      await post(aReserve(about.merchantId, 10_000_000n));
      await post(undone(credit, 'income_reversed'));
      expect(availableMicroUsd(await summary(about.merchantId))).toBe(-10_000_000n);
    });

    test('concurrent postings to one balance all count', async () => {
      const { id: merchantId } = await storage.merchant();
      await Promise.all(
        Array.from({ length: 20 }, () =>
          post(anIncome({ merchantId, depositId: null, referenceId: anId() })),
        ),
      );
      expect((await summary(merchantId)).incomeMicroUsd).toBe(200_000_000n);
    });

    test('the balance of an unknown merchant fails', async () => {
      await expect(summary(aMerchant().id)).rejects.toThrow();
    });
  });
}
