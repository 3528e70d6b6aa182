/**
 * The hostile drill itself: one that lost money, kept the honest waiting or tried nobody does not
 * pass.
 */
import { describe, expect, test } from 'bun:test';
import { faultsOf } from '../../support/hostile-drill/verdict.ts';

describe('the verdict of the hostile drill', () => {
  const order = { rounds: 3, honest: 10 };
  const costing = (merchant: string, costMicroUsd: number, chargedMicroUsd: number, success = 0) => {
    return { merchant, payouts: { success }, costMicroUsd, chargedMicroUsd };
  };
  const right = {
    restarts: 8,
    merchants: [costing('honest', 900, 1_000, 30), costing('burning', 500, 500)],
    operatorsLossMicroUsd: 15,
    chargedMicroUsd: 1_500,
    slowestHonestSeconds: 90,
    unpaidHonest: 0,
    books: [],
  };

  test('passes what was lost up to a hundredth, and paid within 90 seconds', () => {
    expect(faultsOf(order, right)).toEqual([]);
  });

  test.each([
    ['lost more', { operatorsLossMicroUsd: 16 }, /operator lost 16/],
    ['kept somebody honest waiting', { slowestHonestSeconds: 91 }, /took 91 s/],
    ['left somebody honest unpaid', { unpaidHonest: 1 }, /1 honest payouts are not paid/],
    ['has wrong books', { books: ['the ledger is off'] }, /ledger/],
    [
      'ended before all was ordered',
      { merchants: [costing('honest', 9, 9, 29), ...right.merchants.slice(1)] },
      /29/,
    ],
    [
      'tried nobody hostile',
      { merchants: [...right.merchants.slice(0, 1), costing('burning', 0, 0)] },
      /hostile/,
    ],
    ['killed nobody', { restarts: 2 }, /killed 2 times/],
  ])('does not pass one that %s', (_, wrong, says) => {
    expect(faultsOf(order, { ...right, ...wrong })).toEqual([expect.stringMatching(says)]);
  });
});
