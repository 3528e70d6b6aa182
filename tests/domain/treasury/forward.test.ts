/** When money is forwarded, and how much: never what payouts need, and not a little at a time. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type ForwardFacts,
  type ForwardMoney,
  forwardBar,
  unitsToForward,
} from '../../../src/domain/treasury/forward.ts';
import { NOW, secondsAfter } from '../../support/builders.ts';

const amount = fc.bigInt({ min: 0n, max: 10n ** 24n });
const rules = fc
  .tuple(amount, amount)
  .map(([keepUnits, room]) => ({ keepUnits, aboveUnits: keepUnits + room + 1n }));
const money: fc.Arbitrary<ForwardMoney> = fc.record({
  spendableUnits: fc.bigInt({ min: -(10n ** 24n), max: 10n ** 25n }),
  waitingUnits: amount,
  feeUnits: fc.bigInt({ min: 0n, max: 10n ** 20n }),
});

describe('what is forwarded', () => {
  test('G12: leaves what is kept, what waits and the fee, whoever asks', () => {
    fc.assert(
      fc.property(rules, money, fc.boolean(), (rule, has, requested) => {
        const units = unitsToForward(rule, has, { requested });
        if (units === null) return;
        expect(units).toBeGreaterThan(0n);
        expect(has.spendableUnits - units - has.feeUnits).toBeGreaterThanOrEqual(
          has.waitingUnits + rule.keepUnits,
        );
      }),
    );
  });

  test('G12: is nothing while more waits than is there', () => {
    fc.assert(
      fc.property(rules, money, fc.boolean(), (rule, has, requested) => {
        fc.pre(has.waitingUnits >= has.spendableUnits);
        expect(unitsToForward(rule, has, { requested })).toBeNull();
      }),
    );
  });

  test('G12: is nothing at the threshold, and all that is not kept above it', () => {
    fc.assert(
      fc.property(rules, amount, (rule, waitingUnits) => {
        const at = (left: bigint) =>
          unitsToForward(
            rule,
            { spendableUnits: left + waitingUnits, waitingUnits, feeUnits: 0n },
            { requested: false },
          );
        expect(at(rule.aboveUnits)).toBeNull();
        expect(at(rule.aboveUnits + 1n)).toBe(rule.aboveUnits + 1n - rule.keepUnits);
      }),
    );
  });

  test('G12: is not followed by another: what is left is not above the threshold', () => {
    fc.assert(
      fc.property(rules, money, (rule, has) => {
        const units = unitsToForward(rule, has, { requested: false });
        fc.pre(units !== null);
        const after = { ...has, spendableUnits: has.spendableUnits - (units ?? 0n) - has.feeUnits };
        expect(unitsToForward(rule, after, { requested: false })).toBeNull();
        expect(unitsToForward(rule, { ...after, feeUnits: 0n }, { requested: true })).toBeNull();
      }),
    );
  });

  test('an operator asks for less than the threshold, and gets what is not kept', () => {
    const rule = { aboveUnits: 100n, keepUnits: 20n };
    const has = { spendableUnits: 50n, waitingUnits: 10n, feeUnits: 3n };
    expect(unitsToForward(rule, has, { requested: false })).toBeNull();
    expect(unitsToForward(rule, has, { requested: true })).toBe(17n);
    expect(unitsToForward(rule, { ...has, waitingUnits: 27n }, { requested: true })).toBeNull();
  });
});

describe('what bars a forward', () => {
  const HOUR = 3_600;
  const free: ForwardFacts = {
    stopped: false,
    gateIsShut: false,
    books: { at: NOW, agree: true },
    unknownSinceBooks: false,
    lackingPayouts: 0,
    newest: [],
    requested: false,
  };
  const bar = (change: Partial<ForwardFacts>, seconds = 0) =>
    forwardBar({ ...free, ...change }, secondsAfter(seconds));
  const was = (status: 'confirmed' | 'failed' | 'signed' | 'allocated', seconds = 0) => ({
    status,
    createdAt: secondsAfter(seconds),
  });

  test('nothing, when all is well', () => {
    expect(bar({})).toBeNull();
    expect(bar({ newest: [was('confirmed'), was('failed')] })).toBeNull();
  });

  test('G12: the kill switch, a gate that is shut, payouts without money, one on its way', () => {
    expect(bar({ stopped: true })).toBe('stopped');
    expect(bar({ gateIsShut: true })).toBe('start');
    expect(bar({ lackingPayouts: 1 })).toBe('liquidity');
    expect(bar({ newest: [was('signed')] })).toBe('open');
    // A reorganisation may have opened an earlier one again.
    expect(bar({ newest: [was('confirmed'), was('allocated')] })).toBe('open');
  });

  test('G12: books that disagree, were never compared, are old, or do not have what the wallet sent', () => {
    expect(bar({ books: null })).toBe('books');
    expect(bar({ books: { at: NOW, agree: false } })).toBe('books');
    expect(bar({ unknownSinceBooks: true })).toBe('books');
    expect(bar({}, 3 * HOUR)).toBeNull();
    expect(bar({}, 3 * HOUR + 1)).toBe('books');
  });

  test('a failed one, for a while that grows up to a day, and not when an operator asks', () => {
    const failed = (times: number) => Array.from({ length: times }, () => was('failed'));
    const books = { at: secondsAfter(30 * HOUR), agree: true };
    const at = (times: number, seconds: number) => bar({ newest: failed(times), books }, seconds);
    expect(at(1, 599)).toBe('paused');
    expect(at(1, 600)).toBeNull();
    expect(at(2, 1_799)).toBe('paused');
    expect(at(2, 1_800)).toBeNull();
    expect(at(8, 24 * HOUR - 1)).toBe('paused');
    expect(at(8, 24 * HOUR)).toBeNull();
    expect(bar({ newest: failed(1), requested: true })).toBeNull();
    expect(bar({ newest: [was('failed'), was('confirmed'), was('failed')], books }, 600)).toBeNull();
  });
});
