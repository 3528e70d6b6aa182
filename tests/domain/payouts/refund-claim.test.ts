/** Claims to refunds: every history of events keeps their laws. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { PAYOUT_STATUSES } from '../../../src/domain/payouts/payout.ts';
import {
  type ClaimEvent,
  claimEnd,
  creditedSurplus,
  decideClaim,
  isClaimable,
  type RefundClaim,
} from '../../../src/domain/payouts/refund-claim.ts';
import { anId, NOW } from '../../support/builders.ts';

const DAY_MS = 86_400_000;
const later = (days: number): Date => new Date(NOW.getTime() + days * DAY_MS);

function aClaim(given: Partial<RefundClaim> = {}): RefundClaim {
  return {
    ...{ id: anId(), merchantId: anId(), sandbox: false, subject: 'invoice', invoiceId: anId() },
    ...{ depositId: null, asset: 'usdt_ethereum', units: 25_000_000n, feeBearer: 'client' },
    ...{ onCheckout: false, orderedBy: null, status: 'open', address: null, payoutId: null },
    ...{ expiresAt: claimEnd(NOW, 14), createdAt: NOW, updatedAt: NOW },
    ...given,
  };
}

const payout = (status: (typeof PAYOUT_STATUSES)[number], payoutId = 'p1', at = NOW): ClaimEvent => ({
  ...{ type: 'payout', payoutId, address: '0xabc', status, at },
});
const confirmed = (payoutId = 'p1', at = NOW): ClaimEvent => ({
  ...{ type: 'confirmed', payoutId, address: '0xabc', at },
});

/** The claim after the events; those that cannot happen change nothing. */
function after(events: readonly ClaimEvent[], claim = aClaim()): RefundClaim {
  return events.reduce((state, event) => decideClaim(state, event) ?? state, claim);
}

describe('a claim', () => {
  test('follows its payout to the customer', () => {
    const steps = [confirmed(), payout('processing'), payout('success')];
    expect(steps.map((_, index) => after(steps.slice(0, index + 1)).status)).toEqual([
      'confirmed',
      'sent',
      'paid',
    ]);
    expect(after(steps)).toMatchObject({ address: '0xabc', payoutId: 'p1' });
  });

  test('opens again when its payout comes to nothing, for a week at least', () => {
    for (const status of ['failed', 'cancelled'] as const) {
      const reopened = after([confirmed(), payout(status, 'p1', later(13))]);
      expect(reopened).toMatchObject({ status: 'open', address: null, payoutId: null });
      expect(reopened.expiresAt).toEqual(later(20));
      expect(after([confirmed(), payout(status)]).expiresAt).toEqual(later(14));
    }
  });

  test('goes back with the chain: what was paid is sent, and what was sent is confirmed', () => {
    const paid = [confirmed(), payout('processing'), payout('success')];
    expect(after([...paid, payout('processing')]).status).toBe('sent');
    expect(after([...paid, payout('pending')]).status).toBe('confirmed');
  });

  test('is paid when the chain paid an earlier payout after all, and no other event of that counts', () => {
    const reopened = [confirmed(), payout('processing'), payout('failed')];
    expect(after([...reopened, payout('success')])).toMatchObject({ status: 'paid', payoutId: 'p1' });
    const second = [...reopened, confirmed('p2')];
    const state = after(second);
    for (const status of PAYOUT_STATUSES) expect(decideClaim(state, payout(status, 'p1'))).toBeNull();
  });

  test('takes another address while it is confirmed, and none once it is sent, ended or over', () => {
    expect(after([confirmed(), confirmed('p2')])).toMatchObject({ status: 'confirmed', payoutId: 'p2' });
    expect(decideClaim(after([confirmed(), payout('processing')]), confirmed('p2'))).toBeNull();
    expect(decideClaim(after([{ type: 'withdrawn', at: NOW }]), confirmed())).toBeNull();
    expect(decideClaim(aClaim(), confirmed('p1', later(14)))).toBeNull();
    expect(isClaimable(aClaim(), later(13.999))).toBe(true);
  });

  test('expires at its time and is withdrawn only while it is open', () => {
    expect(decideClaim(aClaim(), { type: 'time_passed', at: later(13.9) })).toBeNull();
    expect(after([{ type: 'time_passed', at: later(14) }]).status).toBe('expired');
    for (const type of ['withdrawn', 'time_passed'] as const)
      expect(decideClaim(after([confirmed()]), { type, at: later(20) })).toBeNull();
  });

  test('has an address and a payout exactly while one is on its way or paid, whatever happens', () => {
    const ids = fc.constantFrom('p1', 'p2', 'p3');
    const at = fc.integer({ min: 0, max: 30 }).map(later);
    const event: fc.Arbitrary<ClaimEvent> = fc.oneof(
      fc.tuple(ids, at).map(([id, when]) => confirmed(id, when)),
      fc.tuple(fc.constantFrom(...PAYOUT_STATUSES), ids, at).map((given) => payout(...given)),
      at.map((when) => ({ type: 'withdrawn' as const, at: when })),
      at.map((when) => ({ type: 'time_passed' as const, at: when })),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        let state = aClaim();
        for (const each of events) {
          const next = decideClaim(state, each);
          if (next === null) continue;
          const isOnItsWay = ['confirmed', 'sent', 'paid'].includes(next.status);
          expect([next.address !== null, next.payoutId !== null]).toEqual([isOnItsWay, isOnItsWay]);
          expect(next.expiresAt.getTime()).toBeGreaterThanOrEqual(state.expiresAt.getTime());
          // Nothing is paid twice: what is sent or paid takes no other payout.
          if (state.status === 'sent' || state.status === 'paid')
            expect([null, state.payoutId]).toContain(next.payoutId);
          state = next;
        }
      }),
    );
  });
});

describe('the surplus of an invoice', () => {
  const invoice = (dueUnits: bigint, creditedUnits: bigint) => ({
    price: { asset: 'usdt_ethereum', dueUnits, baseUnits: dueUnits, originalUnits: null, deferralUnits: 0n },
    funds: { pendingUnits: 0n, creditedUnits, heldUnits: 0n },
  });

  test('is the part of the credit that belongs to what was paid too much, rounded down', () => {
    expect(creditedSurplus(invoice(100n, 150n), 148n)).toBe(49n);
    expect(creditedSurplus(invoice(100n, 100n), 99n)).toBe(0n);
    expect(creditedSurplus(invoice(100n, 40n), 39n)).toBe(0n);
    expect(creditedSurplus({ ...invoice(100n, 0n), price: null }, 0n)).toBe(0n);
  });

  test('is never more than was paid above the amount due, nor than was credited', () => {
    fc.assert(
      fc.property(
        fc.bigInt(1n, 10n ** 30n),
        fc.bigInt(0n, 10n ** 30n),
        fc.nat(1_000_000),
        (due, paid, ppm) => {
          const credited = (paid * BigInt(ppm)) / 1_000_000n;
          const surplus = creditedSurplus(invoice(due, paid), credited);
          expect(surplus <= credited).toBe(true);
          expect(surplus <= (paid > due ? paid - due : 0n)).toBe(true);
        },
      ),
    );
  });
});
