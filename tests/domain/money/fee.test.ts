import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  amountDue,
  creditedOf,
  DEFAULT_COMMISSION_PPM,
  FEE_BEARERS,
  PPM,
} from '../../../src/domain/money/fee.ts';

const terms = fc
  .record({
    bearer: fc.constantFrom(...FEE_BEARERS),
    commissionPpm: fc.bigInt({ min: 0n, max: 500_000n }),
    baseUnits: fc.bigInt({ min: 1n, max: 10n ** 30n }),
  })
  .map((t) => ({ ...t, dueUnits: amountDue(t.baseUnits, t) }));

describe('commission', () => {
  test('is one percent unless a merchant has another', () => {
    expect(DEFAULT_COMMISSION_PPM * 100n).toBe(PPM);
  });

  test('that the client pays is rounded up to a whole unit', () => {
    expect(amountDue(101n, { bearer: 'client', commissionPpm: 10_000n })).toBe(103n);
    expect(amountDue(100n, { bearer: 'client', commissionPpm: 10_000n })).toBe(101n);
  });

  test('with the client as bearer, paying exactly the amount due credits exactly the base', () => {
    fc.assert(
      fc.property(terms, (t) => {
        if (t.bearer === 'client') expect(creditedOf(t.dueUnits, t)).toBe(t.baseUnits);
      }),
    );
  });

  test('with the merchant as bearer, the customer owes the base and the fee is its commission rounded up', () => {
    fc.assert(
      fc.property(terms, (t) => {
        if (t.bearer !== 'merchant') return;
        expect(t.dueUnits).toBe(t.baseUnits);
        const fee = t.baseUnits - creditedOf(t.baseUnits, t);
        expect(
          fee * PPM >= t.baseUnits * t.commissionPpm && (fee - 1n) * PPM < t.baseUnits * t.commissionPpm,
        ).toBe(true);
      }),
    );
  });

  test('parts credited one after the other add up to what one payment of the sum credits', () => {
    fc.assert(
      fc.property(terms, fc.array(fc.bigInt({ min: 1n, max: 10n ** 28n }), { maxLength: 12 }), (t, parts) => {
        let gross = 0n;
        let credited = 0n;
        for (const part of parts) {
          const delta = creditedOf(gross + part, t) - creditedOf(gross, t);
          expect(delta >= 0n && delta <= part).toBe(true);
          gross += part;
          credited += delta;
        }
        expect(credited).toBe(creditedOf(gross, t));
      }),
    );
  });
});
