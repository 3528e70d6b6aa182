/** The contract of RefundClaimRepository, and of the reads of claims. */
import { describe, expect, test } from 'bun:test';
import type { RefundClaim } from '../../../src/domain/payouts/refund-claim.ts';
import type { RefundClaimQueries } from '../../../src/ports/payouts/refund-claim-repository.ts';
import { aDeposit, anId, anInvoice, aPayout, NOW, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor, type Storage } from '../opened.ts';

export interface OpenedClaims extends Opened {
  readonly queries: RefundClaimQueries;
}

export function aClaim(given: Partial<RefundClaim> & Pick<RefundClaim, 'merchantId'>): RefundClaim {
  return {
    ...{ id: anId(), sandbox: false, subject: given.depositId ? 'deposit' : 'invoice' },
    ...{ invoiceId: null, depositId: null, asset: 'usdt_ethereum', units: 5_000_000n },
    ...{ feeBearer: 'client', onCheckout: false, orderedBy: null, status: 'open', address: null },
    ...{ payoutId: null, expiresAt: secondsAfter(60), createdAt: NOW, updatedAt: NOW },
    ...given,
  };
}

export async function anInvoiceOf(storage: Storage<Opened>, merchantId: string): Promise<string> {
  const invoice = anInvoice({ merchantId });
  await storage.run((r) => r.invoices.insert(invoice));
  return invoice.id;
}

export function describeRefundClaims(name: string, open: () => Promise<OpenedClaims>): void {
  describe(`${name}: refund claims`, () => {
    const storage = openedFor(open);
    const insert = async (...claims: readonly RefundClaim[]) => {
      for (const claim of claims) await storage.run((r) => r.refundClaims.insert(claim));
    };
    const found = (id: string) => storage.run((r) => r.refundClaims.find(id));

    test('a claim is found as it was inserted, and save writes what may change', async () => {
      const { id: merchantId } = await storage.merchant();
      const claim = aClaim({
        merchantId,
        invoiceId: await anInvoiceOf(storage, merchantId),
        orderedBy: 'ann',
      });
      await insert(claim);
      expect(await found(claim.id)).toEqual(claim);
      expect(await storage.run((r) => r.refundClaims.lock(claim.id))).toEqual(claim);
      const taken: RefundClaim = {
        ...{ ...claim, status: 'confirmed', address: '0xab', payoutId: anId() },
        ...{ expiresAt: secondsAfter(99), updatedAt: secondsAfter(9) },
      };
      await storage.run((r) => r.refundClaims.save({ ...taken, units: 1n, orderedBy: null }));
      expect(await found(claim.id)).toEqual(taken);
      expect(await found(anId())).toBeNull();
      const unknown = aClaim({ merchantId });
      await expect(storage.run((r) => r.refundClaims.save(unknown))).rejects.toThrow(unknown.id);
      await expect(storage.run((r) => r.refundClaims.save({ ...taken, address: null }))).rejects.toThrow(
        'refund_claims_confirmed',
      );
    });

    test('a claim stands for its deposit, or else for its invoice, while it is open or on its way', async () => {
      const { id: merchantId } = await storage.merchant();
      const [invoiceId, other] = [
        await anInvoiceOf(storage, merchantId),
        await anInvoiceOf(storage, merchantId),
      ];
      const deposit = aDeposit({ merchantId, status: 'stray', invoiceId });
      await storage.run((r) => r.deposits.insertAll([deposit]));
      const stands = (of: Pick<RefundClaim, 'invoiceId' | 'depositId'>) =>
        storage.run((r) => r.refundClaims.isStanding(of));
      const [ofInvoice, ofDeposit] = [
        { invoiceId, depositId: null },
        { invoiceId, depositId: deposit.id },
      ];
      const claim = aClaim({ merchantId, ...ofDeposit });
      await insert(claim);
      expect(await stands(ofDeposit)).toBe(true);
      expect(await stands(ofInvoice)).toBe(false);
      await storage.run((r) => r.refundClaims.save({ ...claim, status: 'expired' }));
      expect(await stands(ofDeposit)).toBe(false);
      const way = { address: '0xab', payoutId: anId() };
      await insert(
        aClaim({ merchantId, invoiceId, status: 'withdrawn' }),
        aClaim({ merchantId, invoiceId, ...way, status: 'paid' }),
      );
      expect(await stands(ofInvoice)).toBe(false);
      await insert(aClaim({ merchantId, invoiceId, ...way, status: 'sent' }));
      expect(await stands(ofInvoice)).toBe(true);
      expect(await stands({ invoiceId: other, depositId: null })).toBe(false);
      expect(await stands({ invoiceId: null, depositId: null })).toBe(false);
    });

    test('what a claim’s deposit was credited, and how many payouts it had, are told', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoiceId = await anInvoiceOf(storage, merchantId);
      const deposit = aDeposit({ merchantId, status: 'stray' });
      await storage.run((r) => r.deposits.insertAll([deposit]));
      const claim = aClaim({ merchantId, depositId: deposit.id });
      const plain = aClaim({ merchantId, invoiceId });
      await insert(claim, plain);
      const credited = (id: string) => storage.run((r) => r.refundClaims.creditedUnits(id));
      const payouts = (id: string) => storage.run((r) => r.refundClaims.payouts(id));
      expect(await credited(claim.id)).toBe(0n);
      await storage.run((r) => r.deposits.save({ ...deposit, status: 'credited' }));
      expect(await credited(claim.id)).toBe(deposit.units);
      expect(await credited(plain.id)).toBe(0n);
      expect(await credited(anId())).toBe(0n);
      expect(await payouts(claim.id)).toBe(0);
      const refund = { merchantId, kind: 'refund', refundClaimId: claim.id } as const;
      for (const given of [{ status: 'cancelled', processedAt: NOW }, {}] as const)
        await storage.run((r) => r.payouts.insert(aPayout({ ...refund, ...given })));
      expect(await payouts(claim.id)).toBe(2);
      expect(await payouts(plain.id)).toBe(0);
    });

    test('open claims are over at their time, the earliest first, and those of an asset can be ended', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoiceId = await anInvoiceOf(storage, merchantId);
      const [one, two] = [`asset-${anId()}`, `asset-${anId()}`];
      const ends = (seconds: number, given: Partial<RefundClaim> = {}) =>
        aClaim({ merchantId, invoiceId, asset: one, expiresAt: secondsAfter(seconds), ...given });
      const late = ends(-3);
      const [early, next] = [ends(-5), ends(-5)];
      const now = ends(0, { asset: two });
      const [future, sandbox] = [ends(1), ends(9, { sandbox: true, asset: two })];
      await insert(late, next, early, now, future, sandbox, ends(-4, { status: 'expired' }));
      const overdue = (limit: number) =>
        storage.run(async (r) => (await r.refundClaims.lockOverdue(NOW, limit)).map(({ id }) => id));
      expect(await overdue(9)).toEqual([early.id, next.id, late.id, now.id]);
      expect(await overdue(1)).toEqual([early.id]);
      const open = (...assets: string[]) => storage.run((r) => r.refundClaims.countOpen(assets));
      expect([await open(one), await open(two), await open(one, two), await open()]).toEqual([4, 1, 5, 0]);
      const end = (assets: readonly string[] | null, seconds: number) =>
        storage.run((r) => r.refundClaims.endOpen({ assets, at: secondsAfter(seconds) }));
      const times = () =>
        Promise.all(
          [late, early, now, future, sandbox].map(async ({ id }) => (await found(id))?.expiresAt.getTime()),
        );
      const at = (...seconds: readonly number[]) => seconds.map((each) => secondsAfter(each).getTime());
      await end([one], -4);
      expect(await times()).toEqual(at(-4, -5, 0, -4, 9));
      await end(null, -1);
      expect(await times()).toEqual(at(-4, -5, -1, -4, -1));
    });

    test('a merchant reads its own claims, the newest first, each with the payout that pays it', async () => {
      const { id: merchantId } = await storage.merchant();
      const { id: stranger } = await storage.merchant();
      const invoiceId = await anInvoiceOf(storage, merchantId);
      const first = aClaim({ merchantId, invoiceId, onCheckout: true });
      const second = aClaim({ merchantId, invoiceId });
      const sandbox = aClaim({ merchantId, invoiceId, sandbox: true });
      await insert(second, first, sandbox);
      const payout = aPayout({ merchantId, kind: 'refund', refundClaimId: first.id });
      await storage.run((r) => r.payouts.insert(payout));
      const taken: RefundClaim = { ...first, status: 'confirmed', address: '0xab', payoutId: payout.id };
      await storage.run((r) => r.refundClaims.save(taken));
      const { queries } = storage.ports();
      const owner = { merchantId, sandbox: false };
      const [withPayout, without] = [
        { claim: taken, payout },
        { claim: second, payout: null },
      ];
      expect(await queries.refundClaims(owner, invoiceId)).toEqual([without, withPayout]);
      expect(await queries.refundClaims({ merchantId: stranger, sandbox: false }, invoiceId)).toEqual([]);
      expect(await queries.refundClaim(owner, first.id)).toEqual(withPayout);
      expect(await queries.refundClaim({ ...owner, sandbox: true }, first.id)).toBeNull();
      expect(await queries.anyRefundClaim(second.id)).toEqual(without);
      expect(await queries.anyRefundClaim(anId())).toBeNull();
      expect(await queries.checkoutClaim(invoiceId)).toEqual(withPayout);
      const newer = aClaim({ merchantId, invoiceId, onCheckout: true });
      await insert(newer);
      expect(await queries.checkoutClaim(invoiceId)).toEqual({ claim: newer, payout: null });
      expect(await queries.checkoutClaim(anId())).toBeNull();
    });
  });
}
