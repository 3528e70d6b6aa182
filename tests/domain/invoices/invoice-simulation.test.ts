import { describe, expect, test } from 'bun:test';
import { INVOICE_STATUSES, type InvoiceState, isFinal } from '../../../src/domain/invoices/invoice.ts';
import {
  outcomeRefusal,
  SIMULATED_STATUSES,
  simulated,
} from '../../../src/domain/invoices/invoice-simulation.ts';

const at = new Date('2026-01-01T02:00:00Z');
const price = {
  asset: 'usdt_tron',
  dueUnits: 1001n,
  baseUnits: 1001n,
  originalUnits: null,
  deferralUnits: 10n,
};

function state(status: InvoiceState['status']): InvoiceState & { price: typeof price } {
  return {
    status,
    version: 3,
    billingType: 'STATIC',
    tolerancePpm: 0n,
    acceptedUnits: null,
    price,
    funds: { pendingUnits: 5n, creditedUnits: 7n, heldUnits: 9n },
    expiresAt: new Date('2026-01-01T01:00:00Z'),
    processedAt: null,
    txid: 'old',
    addressFrom: 'old',
  };
}

describe('the sandbox simulator', () => {
  test('reaches every target from every state, in a state that the invariants allow', () => {
    for (const from of INVOICE_STATUSES) {
      for (const status of SIMULATED_STATUSES) {
        const next = simulated(state(from), {
          status,
          paidUnits: null,
          txid: 't',
          from: 'f',
          at,
          ttlSeconds: 600,
        });
        expect(next.status).toBe(status);
        expect(next.version).toBe(4);
        expect(next.funds.pendingUnits + next.funds.heldUnits).toBe(0n);
        expect(next.processedAt === null).toBe(!isFinal(next));
      }
    }
  });

  test('pays the full amount for success, half for partially_paid, 125 % for paid_over, nothing for expired and failed', () => {
    const paid = (status: (typeof SIMULATED_STATUSES)[number]) =>
      simulated(state('created'), { status, paidUnits: null, txid: 't', from: 'f', at, ttlSeconds: 600 })
        .funds.creditedUnits;
    expect(SIMULATED_STATUSES.map(paid)).toEqual([1001n, 500n, 1252n, 0n, 500n, 0n, 1001n]);
  });

  test('leaves the time of an invoice that ends, and of one whose time is not over', () => {
    const order = { paidUnits: null, txid: 't', from: 'f', at, ttlSeconds: 600 };
    for (const status of ['expired', 'cancelled'] as const)
      expect(simulated(state('created'), { ...order, status }).expiresAt).toEqual(state('created').expiresAt);
    const open = { ...state('created'), expiresAt: new Date(at.getTime() + 1_000) };
    expect(simulated(open, { ...order, status: 'success' }).expiresAt).toEqual(open.expiresAt);
  });

  test('half of the least amount is the least amount', () => {
    const least = { ...state('created'), price: { ...price, dueUnits: 1n } };
    const order = { paidUnits: null, txid: 't', from: 'f', at, ttlSeconds: 600 };
    expect(simulated(least, { ...order, status: 'partially_paid' }).funds.creditedUnits).toBe(1n);
  });

  test('lets a customer do only what a payment could still do', () => {
    const open = {
      ...state('created'),
      funds: { pendingUnits: 0n, creditedUnits: 0n, heldUnits: 0n },
      expiresAt: new Date(at.getTime() + 1_000),
    };
    const refused = (change: Partial<InvoiceState>) =>
      (['paid', 'partial', 'over'] as const).filter(
        (outcome) => outcomeRefusal({ ...open, ...change }, outcome, at) !== null,
      );
    expect(refused({})).toEqual([]);
    expect(refused({ billingType: 'VARY' })).toEqual(['over']);
    expect(refused({ funds: { ...open.funds, creditedUnits: 1n } })).toEqual(['partial']);
    expect(refused({ status: 'success' })).toEqual(['paid', 'partial', 'over']);
    expect(refused({ expiresAt: at })).toEqual(['paid', 'partial', 'over']);
  });

  test('gives a simulated part payment time again when the invoice had lapsed', () => {
    const next = simulated(state('expired'), {
      status: 'partially_paid',
      paidUnits: 3n,
      txid: 't',
      from: 'f',
      at,
      ttlSeconds: 600,
    });
    expect(next.expiresAt).toEqual(new Date(at.getTime() + 600_000));
  });
});
