/** The order of a time line: the same for everybody who looks, and causes before effects. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { inOrder, type TimelineLine } from '../../../src/domain/console/timeline.ts';
import { CLAIM_STATUSES, type ClaimStatus } from '../../../src/domain/payouts/refund-claim.ts';
import { aDeposit, aPayout, secondsAfter } from '../../support/builders.ts';

const AT = secondsAfter(60);
const claim = (status: ClaimStatus, id = 'c1') => ({ id, status }) as never;
const mail = (id: string) => ({ id }) as never;
const [deposit, payout] = [aDeposit(), aPayout()];
const about = { txid: '0xab', replaces: false, voids: false };
const money = { depositId: null, microUsd: 1n };

/** Of everything that happens at once, in the order in which one makes the other. */
const CAUSES: readonly (readonly TimelineLine[])[] = [
  [
    { at: AT, code: 'created', asset: null },
    { at: AT, code: 'address_given', family: 'evm', address: '0x1' },
    { at: AT, code: 'payment_seen', deposit },
    { at: AT, code: 'payment_final', ...money },
    { at: AT, code: 'payment_held', ...money },
    { at: AT, code: 'hold_ended', ...money },
    { at: AT, code: 'payment_credited', ...money },
    { at: AT, code: 'status', status: 'partially_paid', nth: 0 },
    { at: AT, code: 'status', status: 'success', nth: 1 },
    { at: AT, code: 'status', status: 'paid_over', nth: 2 },
    { at: AT, code: 'mail', mail: mail('m1') },
    { at: AT, code: 'expires' },
  ],
  [
    { at: AT, code: 'payment_credited', ...money },
    { at: AT, code: 'credit_taken_back', ...money },
    { at: AT, code: 'payment_taken_back', ...money },
    { at: AT, code: 'status', status: 'failed', nth: 9 },
  ],
  [
    { at: AT, code: 'refund_offered', claim: claim('confirmed') },
    { at: AT, code: 'refund_claim', claim: claim('confirmed') },
    { at: AT, code: 'refund_ordered', payout },
    { at: AT, code: 'refund_ended', payout },
    { at: AT, code: 'refund_claim', claim: claim('paid') },
    { at: AT, code: 'status', status: 'refunded', nth: 5 },
  ],
  [
    { at: AT, code: 'created', asset: null },
    { at: AT, code: 'reserved', microUsd: 1n },
    { at: AT, code: 'held', held: { code: 'limit', text: 'x' } },
    { at: AT, code: 'nonce_taken' },
    { at: AT, code: 'signed', ...about },
    { at: AT, code: 'signed', ...about, replaces: true },
    { at: AT, code: 'broadcast', ...about },
    { at: AT, code: 'settled', microUsd: 1n },
    { at: AT, code: 'unsettled', microUsd: 1n },
    { at: AT, code: 'returned', microUsd: 1n },
    { at: AT, code: 'status', status: 'cancelled', nth: 0 },
    ...[1, 2].map(
      (attempt): TimelineLine => ({
        ...{ at: AT, code: 'webhook_attempt', url: 'u', statusCode: 500, responseBody: null, attempt },
      }),
    ),
    { at: AT, code: 'webhook_due', url: 'u', type: 'payout.cancelled', attempts: 2 },
  ],
];
const alone = fc.constantFrom(
  ...CAUSES.flat(),
  ...CLAIM_STATUSES.map((status): TimelineLine => ({ at: AT, code: 'refund_claim', claim: claim(status) })),
  ...['m1', 'm2'].map((id): TimelineLine => ({ at: AT, code: 'mail', mail: mail(id) })),
  ...['d1', 'd2'].map((id): TimelineLine => ({ at: AT, code: 'payment_seen', deposit: aDeposit({ id }) })),
  ...['d1', 'd2'].map(
    (id): TimelineLine => ({ at: AT, code: 'payment_credited', depositId: id, microUsd: 1n }),
  ),
);
const lines = fc.array(
  fc
    .tuple(alone, fc.integer({ min: 0, max: 3 }))
    .map(([line, after]) => ({ ...line, at: secondsAfter(after) })),
  { maxLength: 30 },
);
const shuffled = lines.chain((all) =>
  fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
);

describe('the order of a time line', () => {
  test('is by time, and the same in whatever order the lines come', () => {
    fc.assert(
      fc.property(shuffled, ([all, other]) => {
        const ordered = inOrder(all);
        expect(inOrder(other)).toEqual(ordered);
        expect(ordered).toHaveLength(all.length);
        const times = ordered.map(({ at }) => at.getTime());
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      }),
    );
  });

  test('has causes before their effects, of what happened at one instant', () => {
    for (const causes of CAUSES)
      fc.assert(
        fc.property(fc.shuffledSubarray([...causes], { minLength: causes.length }), (all) => {
          expect(inOrder(all)).toEqual([...causes]);
        }),
      );
  });
});
