import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  balanced,
  capital,
  depositArrived,
  hold,
  income,
  networkFee,
  type Posting,
  paidOut,
  payoutReserved,
  refund,
  reversed,
} from '../../src/domain/ledger.ts';
import { accessGate, KYC_STATES, MERCHANT_STATUSES, payoutBar } from '../../src/domain/merchants/merchant.ts';
import { decidePayout, type PayoutState } from '../../src/domain/payouts/payout.ts';

const units = fc.bigInt({ min: 1n, max: 10n ** 40n });

function sums(postings: readonly Posting[]): Map<string, bigint> {
  const result = new Map<string, bigint>();
  for (const { currency, amount } of postings) result.set(currency, (result.get(currency) ?? 0n) + amount);
  return result;
}

describe('postings', () => {
  test('every builder balances in every currency, and so does its opposite', () => {
    fc.assert(
      fc.property(units, units, units, (a, b, c) => {
        const entries = [
          depositArrived('x', a),
          income({ asset: 'x', creditedUnits: a, feeUnits: b, receivedMicroUsd: b + c, creditedMicroUsd: c }),
          hold({ asset: 'x', units: a, microUsd: b }),
          payoutReserved(a),
          paidOut({
            reserve: 'payouts_in_flight',
            asset: 'x',
            units: a,
            reservedMicroUsd: b + c,
            feeMicroUsd: c,
          }),
          networkFee({ asset: 'x', units: a, microUsd: b }),
          capital('x', a),
          refund(c),
        ];
        for (const entry of [...entries, ...entries.map(reversed)]) {
          for (const sum of sums(entry).values()) expect(sum).toBe(0n);
        }
      }),
    );
  });

  test('each builder takes money from where it is and puts it where it belongs', () => {
    const told = (postings: readonly Posting[]) =>
      postings.map(({ account, currency, amount }) => `${account} ${currency} ${amount}`);
    expect(told(depositArrived('x', 7n))).toEqual(['treasury x 7', 'suspense x -7']);
    expect(
      told(
        income({
          asset: 'x',
          creditedUnits: 9n,
          feeUnits: 1n,
          receivedMicroUsd: 100n,
          creditedMicroUsd: 90n,
        }),
      ),
    ).toEqual(['suspense x 10', 'trading x -10', 'trading USD 100', 'merchant USD -90', 'fees USD -10']);
    expect(told(hold({ asset: 'x', units: 7n, microUsd: 70n }))).toEqual([
      ...['suspense x 7', 'trading x -7', 'trading USD 70', 'held USD -70'],
    ]);
    expect(told(payoutReserved(5n))).toEqual(['merchant USD 5', 'payouts_in_flight USD -5']);
    const paid = { asset: 'x', units: 7n, reservedMicroUsd: 80n, feeMicroUsd: 10n } as const;
    for (const reserve of ['payouts_in_flight', 'refunds_in_flight'] as const)
      expect(told(paidOut({ reserve, ...paid }))).toEqual([
        ...[`${reserve} USD 80`, 'network_fees USD -10', 'trading USD -70', 'trading x 7', 'treasury x -7'],
      ]);
    expect(told(networkFee({ asset: 'x', units: 3n, microUsd: 9n }))).toEqual([
      ...['treasury x -3', 'trading x 3', 'trading USD -9', 'network_fees USD 9'],
    ]);
    expect(told(capital('x', 4n))).toEqual(['treasury x 4', 'capital x -4']);
    expect(told(refund(6n))).toEqual(['merchant USD 6', 'refunds_in_flight USD -6']);
  });

  test('an entry that does not balance throws', () => {
    expect(() => balanced([{ account: 'merchant', currency: 'USD', amount: 1n }])).toThrow('unbalanced');
  });
});

describe('a payout', () => {
  const pending: PayoutState = {
    status: 'pending',
    txid: null,
    txHashes: [],
    failure: null,
    processedAt: null,
  };
  const at = new Date(0);

  test('goes pending, processing, success, and settles its reserve once', () => {
    const sent = decidePayout(pending, { type: 'signed', txid: 'a', at });
    const replaced = decidePayout(sent?.next ?? pending, { type: 'signed', txid: 'b', at });
    const won = decidePayout(replaced?.next ?? pending, { type: 'confirmed', txid: 'a', at });
    expect([sent?.reserve, replaced?.next.txHashes, won?.next.txid, won?.reserve]).toEqual([
      'keep',
      ['a', 'b'],
      'a',
      'settle',
    ]);
    expect(decidePayout(won?.next ?? pending, { type: 'confirmed', txid: 'a', at })).toBeNull();
  });

  test('comes back to the balance when it failed or was cancelled, whatever was signed for it', () => {
    expect(decidePayout(pending, { type: 'cancelled', at })?.reserve).toBe('release');
    const processing: PayoutState = { ...pending, status: 'processing' };
    const signed = { ...processing, txid: 'pay', txHashes: ['pay'] };
    expect(decidePayout(signed, { type: 'cancelled', at, txid: 'void' })).toMatchObject({
      next: { status: 'cancelled', txid: 'void', txHashes: ['pay', 'void'] },
      reserve: 'release',
    });
    expect(decidePayout(signed, { type: 'cancelled', at })?.next).toMatchObject({
      txid: null,
      txHashes: ['pay'],
    });
    expect(decidePayout(processing, { type: 'failed', reason: 'x', at })?.reserve).toBe('release');
  });

  test('that failed shows the transaction that a block carried, or none; all that were signed stay told', () => {
    const processing: PayoutState = { ...pending, status: 'processing', txid: 'b', txHashes: ['a', 'b'] };
    const reverted = decidePayout(processing, { type: 'failed', reason: 'reverted', at, txid: 'a' });
    expect(reverted?.next).toMatchObject({ txid: 'a', txHashes: ['a', 'b'] });
    const superseded = decidePayout(processing, { type: 'failed', reason: 'superseded', at });
    expect(superseded?.next).toMatchObject({ txid: null, txHashes: ['a', 'b'] });
  });

  test('is taken from the merchant again when the chain paid it after all, and reserved again when its block is gone', () => {
    const failed = decidePayout(pending, { type: 'failed', reason: 'r', at });
    const retaken = decidePayout(failed?.next ?? pending, { type: 'confirmed', txid: 'a', at });
    expect([retaken?.reserve, retaken?.next.status, retaken?.next.failure]).toEqual([
      'retake',
      'success',
      null,
    ]);
    const gone = decidePayout(retaken?.next ?? pending, { type: 'reorganised', at });
    expect([gone?.reserve, gone?.next.status, gone?.next.processedAt]).toEqual([
      'unsettle',
      'processing',
      null,
    ]);
    expect(decidePayout(pending, { type: 'reorganised', at })).toBeNull();
  });

  test('under any nonce of events its money is in one place, which its status names', () => {
    const event = fc.constantFrom(
      { type: 'signed', txid: 'a', at } as const,
      { type: 'signed', txid: 'b', at } as const,
      { type: 'confirmed', txid: 'a', at } as const,
      { type: 'failed', reason: 'r', at } as const,
      { type: 'cancelled', at } as const,
      { type: 'reorganised', at } as const,
    );
    const moves = {
      keep: [0, 0],
      settle: [-1, 1],
      release: [-1, 0],
      retake: [0, 1],
      unsettle: [1, -1],
    } as const;
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        let state = pending;
        let reserved = 1;
        let paid = 0;
        for (const each of events) {
          const decision = decidePayout(state, each);
          if (!decision) continue;
          const [reserve, payment] = moves[decision.reserve];
          reserved += reserve;
          paid += payment;
          expect([state.txHashes.length <= decision.next.txHashes.length]).toEqual([true]);
          state = decision.next;
          const open = state.status === 'pending' || state.status === 'processing';
          expect([reserved, paid]).toEqual([open ? 1 : 0, state.status === 'success' ? 1 : 0]);
          expect(state.processedAt === null).toBe(open);
          expect(state.failure !== null).toBe(state.status === 'failed');
        }
      }),
    );
  });
});

describe('the merchant gates', () => {
  test('sandbox keys pass for every status but rejected; live keys only for active and approved', () => {
    for (const status of MERCHANT_STATUSES) {
      for (const kyc of KYC_STATES) {
        const sandbox = accessGate({ status, kyc }, 'sandbox');
        const live = accessGate({ status, kyc }, 'live');
        expect(sandbox === null).toBe(status !== 'rejected');
        expect(live === null).toBe(status === 'active' && kyc === 'approved');
        // safety.md G7: what a live key may not ask for is not sent either.
        expect(payoutBar({ status, kyc }) === null).toBe(live === null);
        if (live) expect(live.code).toBe(status === 'active' ? 'KYC_REQUIRED' : 'MERCHANT_INACTIVE');
      }
    }
  });
});
