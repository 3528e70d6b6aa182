import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  accepts,
  decide,
  type InvoiceState,
  isDeferred,
  isFinal,
  isRefundable,
} from '../../../src/domain/invoices/invoice.ts';
import type { InvoiceEvent } from '../../../src/domain/invoices/invoice-event.ts';
import { paidFiatMicros } from '../../../src/domain/invoices/itemised-price.ts';
import { after, at, credited, expiresAt, invoice, late, seen } from '../../support/invoices/invoice-state.ts';

describe('a STATIC invoice', () => {
  test('that its merchant withdraws expires at that moment, and tells nobody; with dust in it, or paid, it stays', () => {
    const { next, changed, notify } = decide(invoice(), { type: 'withdrawn', at });
    expect([next.status, next.expiresAt, next.processedAt, changed, notify]).toEqual([
      'expired',
      at,
      at,
      true,
      false,
    ]);
    expect(decide(invoice(), { type: 'withdrawn', at: late }).next.expiresAt).toEqual(expiresAt);
    for (const other of [next, after(invoice(), seen(1n)), after(invoice(), seen(1000n), credited(1000n))])
      expect(decide(other, { type: 'withdrawn', at }).next).toEqual(other);
  });

  test('goes created, confirming, success on an exact payment, and tells the merchant twice', () => {
    const first = decide(invoice(), seen(1000n));
    const second = decide(first.next, credited(1000n));
    expect([first.next.status, first.notify, second.next.status, second.notify]).toEqual([
      'confirming',
      true,
      'success',
      true,
    ]);
    expect(second.next.processedAt).toEqual(at);
    expect(second.next.version).toBe(2);
  });

  test('is partially_paid on less, listens on, and a top-up makes it success', () => {
    const part = after(invoice(), seen(400n), credited(400n));
    expect([part.status, part.processedAt, accepts(part, at)]).toEqual(['partially_paid', null, true]);
    expect(after(part, seen(600n), credited(600n)).status).toBe('success');
  });

  test('is paid_over on more than its amount', () => {
    expect(after(invoice(), seen(1001n), credited(1001n)).status).toBe('paid_over');
  });

  test('counts as paid within its tolerance', () => {
    const tolerant = invoice({ tolerancePpm: 10_000n });
    expect(after(tolerant, seen(990n), credited(990n)).status).toBe('success');
    expect(after(tolerant, seen(989n), credited(989n)).status).toBe('partially_paid');
  });

  test('partially_paid is cancelled with a webhook when its time passes', () => {
    const decision = decide(after(invoice(), seen(400n), credited(400n)), { type: 'ttl_passed', at: late });
    expect([decision.next.status, decision.notify]).toEqual(['cancelled', true]);
    expect(decision.next.funds.creditedUnits).toBe(400n);
  });

  test('created expires without a webhook, also with deferred dust on it', () => {
    const dusty = after(invoice(), seen(19n));
    expect([dusty.status, isDeferred(dusty)]).toEqual(['created', true]);
    const decision = decide(dusty, { type: 'ttl_passed', at: late });
    expect([decision.next.status, decision.changed, decision.notify]).toEqual(['expired', true, false]);
  });

  test('dust that covers it together with what is credited is checked at once', () => {
    const part = after(invoice(), seen(990n), credited(990n), seen(10n));
    expect([isDeferred(part), part.status]).toEqual([false, 'confirming']);
    expect(after(part, credited(10n)).status).toBe('success');
  });

  test('dust moves no state until a later payment lifts the sum, which then carries it along', () => {
    const state = after(invoice(), seen(10n), seen(9n));
    expect(state.version).toBe(0);
    const lifted = after(state, seen(1n));
    expect([lifted.status, lifted.funds.pendingUnits]).toEqual(['confirming', 20n]);
  });

  test('ten thousand dust payments after a part payment tell the merchant nothing', () => {
    let state = after(
      invoice({
        price: {
          asset: 'a',
          dueUnits: 10n ** 9n,
          baseUnits: 10n ** 9n,
          originalUnits: null,
          deferralUnits: 20_000n,
        },
      }),
      seen(30_000n),
      credited(30_000n),
    );
    const before = state.version;
    for (let i = 0; i < 10_000; i++) state = decide(state, seen(1n)).next;
    expect(state.version).toBe(before);
  });

  test('confirming waits beyond its time for its payment', () => {
    const waiting = after(invoice(), seen(1000n), { type: 'ttl_passed', at: late });
    expect(waiting.status).toBe('confirming');
    expect(after(waiting, credited(1000n, late)).status).toBe('success');
  });

  test('a payment that disappears takes it back to what is credited, and to failed when its time is over', () => {
    const dropped = (when: Date): InvoiceEvent => ({ type: 'payment_dropped', units: 1000n, at: when });
    expect(after(invoice(), seen(1000n), dropped(at)).status).toBe('created');
    expect(after(invoice(), seen(1000n), dropped(late)).status).toBe('failed');
    expect(after(invoice(), seen(400n), credited(400n), seen(1000n), dropped(late)).status).toBe(
      'partially_paid',
    );
  });

  test('stays confirming while another counted payment is not settled', () => {
    expect(after(invoice(), seen(600n), seen(600n), credited(600n)).status).toBe('confirming');
    expect(after(invoice(), seen(1000n), seen(10n), credited(1000n)).status).toBe('success');
  });

  test('a payment first seen at its expiry does not belong to it, one a second before does', () => {
    expect(accepts(invoice(), expiresAt)).toBe(false);
    expect(accepts(invoice(), new Date(expiresAt.getTime() - 1000))).toBe(true);
  });
});

describe('a VARY invoice', () => {
  const vary = invoice({ billingType: 'VARY' });
  test('is success when covered, also when paid over', () => {
    expect(after(vary, seen(1000n), credited(1000n)).status).toBe('success');
    expect(after(vary, seen(5000n), credited(5000n)).status).toBe('success');
  });

  test('is finally partially_paid on less, and time does not change that', () => {
    const part = after(vary, seen(400n), credited(400n));
    expect([part.status, isFinal(part)]).toEqual(['partially_paid', true]);
    expect(after(part, { type: 'ttl_passed', at: late }).status).toBe('partially_paid');
    expect(accepts(part, at)).toBe(false);
  });
});

describe('risk, reorganisations and refunds', () => {
  test('a held payment makes it high_risk; its release makes it what the money says', () => {
    const held = after(invoice(), seen(1000n), { type: 'payment_held', units: 1000n, at });
    expect(held.status).toBe('high_risk');
    const released = decide(held, { type: 'hold_released', units: 1000n, at });
    expect([released.next.status, released.notify]).toEqual(['success', true]);
  });

  test('U7: a credited payment that a deep reorganisation removes leaves it failed, and counts again when it comes back', () => {
    const reversed = decide(after(invoice(), seen(1000n), credited(1000n)), {
      type: 'payment_reversed',
      units: 1000n,
      at: late,
    });
    expect([reversed.next.status, reversed.notify]).toEqual(['failed', true]);
    expect(after(reversed.next, seen(1000n, late), credited(1000n, late)).status).toBe('success');
  });

  test('refunded is told to nobody and happens once', () => {
    const refunded = decide(after(invoice(), seen(1000n), credited(1000n)), { type: 'refunded', at });
    expect([refunded.next.status, refunded.notify]).toEqual(['refunded', false]);
    expect(decide(refunded.next, { type: 'refunded', at }).changed).toBe(false);
  });

  test('a refund that failed leaves the invoice as its payments say, and it can be refunded again', () => {
    const failed = (state: InvoiceState, when = at) =>
      decide(after(state, { type: 'refunded', at }), { type: 'refund_failed', at: when });
    const full = after(invoice(), seen(1000n), credited(1000n));
    expect([failed(full).next.status, failed(full).notify]).toEqual(['success', true]);
    expect(isRefundable(failed(full).next)).toBe(true);
    const part = after(invoice(), seen(500n), credited(500n));
    expect(failed(part).next.status).toBe('partially_paid');
    expect(failed(part, late).next.status).toBe('cancelled');
    expect(failed(after(part, { type: 'ttl_passed', at: late }), late).next.status).toBe('cancelled');
    const gone = after(full, { type: 'refunded', at }, { type: 'payment_reversed', units: 1000n, at });
    expect(decide(gone, { type: 'refund_failed', at }).next.status).toBe('failed');
    expect(decide(full, { type: 'refund_failed', at }).changed).toBe(false);
    const cancelled = after(part, { type: 'ttl_passed', at: late });
    expect(decide(cancelled, { type: 'refund_failed', at: late }).changed).toBe(false);
    expect(decide(invoice(), { type: 'refund_failed', at }).changed).toBe(false);
  });
});

describe('laws of the machine under random histories', () => {
  const history = fc.array(
    fc.record({
      units: fc.bigInt({ min: 1n, max: 800n }),
      fate: fc.constantFrom('credit', 'drop', 'hold', 'wait'),
      lateBy: fc.boolean(),
    }),
    { maxLength: 12 },
  );

  test('funds never go negative, received is the sum of what was not dropped, and final states stop listening', () => {
    fc.assert(
      fc.property(history, fc.constantFrom('STATIC' as const, 'VARY' as const), (steps, billingType) => {
        let state = invoice({ billingType });
        let received = 0n;
        for (const step of steps) {
          const when = step.lateBy ? late : at;
          if (!accepts(state, when)) continue;
          state = decide(state, seen(step.units, when)).next;
          received += step.units;
          if (isDeferred(state)) continue;
          if (step.fate === 'credit') state = decide(state, credited(step.units, when)).next;
          if (step.fate === 'hold')
            state = decide(state, { type: 'payment_held', units: step.units, at: when }).next;
          if (step.fate === 'drop') {
            state = decide(state, { type: 'payment_dropped', units: step.units, at: when }).next;
            received -= step.units;
          }
          const { pendingUnits, creditedUnits, heldUnits } = state.funds;
          expect(pendingUnits >= 0n && creditedUnits >= 0n && heldUnits >= 0n).toBe(true);
          expect(pendingUnits + creditedUnits + heldUnits).toBe(received);
          if (state.status === 'success' || state.status === 'paid_over') {
            expect(creditedUnits * 1n >= 1000n).toBe(true);
            expect(accepts(state, at)).toBe(false);
          }
          expect(state.processedAt === null).toBe(!isFinal(state));
          if (billingType === 'VARY') expect(['paid_over', 'cancelled']).not.toContain(state.status);
        }
      }),
    );
  });

  test('the version grows by one with each change of status and only then', () => {
    fc.assert(
      fc.property(history, (steps) => {
        let state = invoice();
        for (const step of steps) {
          const decision = decide(state, seen(step.units));
          expect(decision.next.version - state.version).toBe(decision.next.status === state.status ? 0 : 1);
          expect(decision.changed).toBe(decision.next.status !== state.status);
          state = decision.next;
        }
      }),
    );
  });

  test('fiat_amount reads initial_fiat_amount exactly when the amount is paid exactly', () => {
    const paid = after(invoice(), seen(1000n));
    const withFee = invoice({ price: { ...invoice().price!, dueUnits: 1010n } });
    expect(paidFiatMicros(after(withFee, seen(1010n)), { currency: 'USD', initialMicros: 25_000_000n })).toBe(
      25_000_000n,
    );
    expect(paidFiatMicros(paid, { currency: 'USD', initialMicros: 25_000_000n })).toBe(25_000_000n);
    expect(
      paidFiatMicros(after(invoice(), seen(500n)), { currency: 'USD', initialMicros: 25_000_000n }),
    ).toBe(12_500_000n);
  });
});
