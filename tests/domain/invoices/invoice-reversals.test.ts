/** What becomes of an invoice when money leaves it again, is held, or comes when it should not. */
import { describe, expect, test } from 'bun:test';
import { decide, isRefundable, receivedUnits } from '../../../src/domain/invoices/invoice.ts';
import { after, at, credited, expiresAt, invoice, late, seen } from '../../support/invoices/invoice-state.ts';

describe('an invoice', () => {
  test('a part that is held and reversed leaves what is credited, and failed where nothing is', () => {
    const held = after(invoice(), seen(1000n), { type: 'payment_held', units: 1000n, at });
    const reversed = decide(held, { type: 'hold_reversed', units: 1000n, at });
    expect([reversed.next.status, reversed.notify]).toEqual(['failed', true]);
    const beside = after(invoice(), seen(400n), credited(400n), seen(600n), {
      type: 'payment_held',
      units: 600n,
      at,
    });
    expect(beside.status).toBe('high_risk');
    expect(receivedUnits(beside.funds)).toBe(1000n);
    expect(decide(beside, { type: 'hold_reversed', units: 600n, at }).next.status).toBe('partially_paid');
    const kept = decide(beside, { type: 'payment_reversed', units: 400n, at }).next;
    expect(kept.status).toBe('high_risk');
  });

  test('what is held can never be more than came', () => {
    expect(() => decide(invoice(), { type: 'hold_reversed', units: 1n, at })).toThrow('below zero');
    expect(() => decide(invoice(), { type: 'payment_reversed', units: 1n, at })).toThrow('below zero');
    expect(() => decide(invoice(), { type: 'payment_dropped', units: 1n, at })).toThrow('below zero');
  });

  test('dust that waits keeps no invoice from failing when its money is reversed', () => {
    const paid = after(invoice(), seen(1000n), credited(1000n), seen(19n));
    const reversed = decide(paid, { type: 'payment_reversed', units: 1000n, at });
    expect(reversed.next.status).toBe('failed');
  });

  test('one that failed stays so while only dust comes', () => {
    const failed = decide(after(invoice(), seen(1000n), credited(1000n)), {
      type: 'payment_reversed',
      units: 1000n,
      at,
    }).next;
    expect(after(failed, seen(19n)).status).toBe('failed');
  });

  test('what comes to one that expired moves it no more', () => {
    const expired = decide(invoice(), { type: 'ttl_passed', at: expiresAt }).next;
    expect(expired.status).toBe('expired');
    expect(decide(expired, seen(1000n, late)).changed).toBe(false);
  });

  test('a sender that the chain does not tell leaves the one that it told', () => {
    const known = after(invoice(), seen(400n));
    expect(known.addressFrom).toBe('f');
    const next = decide(known, { type: 'payment_seen', units: 1n, txid: 'u', from: null, at }).next;
    expect([next.addressFrom, next.txid]).toEqual(['f', 'u']);
  });

  test('refunds need money that was credited, in a state that keeps it', () => {
    const part = after(invoice(), seen(400n), credited(400n));
    const cancelled = decide(part, { type: 'ttl_passed', at: late }).next;
    expect([isRefundable(part), isRefundable(cancelled)]).toEqual([true, true]);
    expect(isRefundable({ ...cancelled, funds: { ...cancelled.funds, creditedUnits: 0n } })).toBe(false);
    expect(isRefundable(invoice())).toBe(false);
    expect(isRefundable(after(part, { type: 'refunded', at }))).toBe(false);
  });
});
