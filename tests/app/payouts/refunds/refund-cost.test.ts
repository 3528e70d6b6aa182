/** Who bears the network fee of a refund (decision 0040). */
import { expect, test } from 'bun:test';
import { refundCost } from '../../../../src/app/payouts/refunds/refund-payout.ts';

const quote = { feeUnits: 10n, feeMicroUsd: 10n, energyFeeMicroUsd: null, extraGas: 0n };
const part = { units: 100n, microUsd: 100n };

test('the client bears the fee where the offer says so, whatever the balance and whoever offered it', () => {
  for (const orderedBy of [null, 'ann'])
    for (const availableMicroUsd of [0n, 100n, 109n, 110n])
      expect(refundCost(part, { feeBearer: 'client', orderedBy }, { quote, availableMicroUsd })).toEqual({
        ...{ sentUnits: 90n, fee: quote, reservedMicroUsd: 100n },
      });
});

test('the gateway bears the merchant’s fee of an operator’s refund, only where the balance is too small', () => {
  const reserved = (orderedBy: string | null, availableMicroUsd: bigint): bigint =>
    refundCost(part, { feeBearer: 'merchant', orderedBy }, { quote, availableMicroUsd }).reservedMicroUsd;
  expect([reserved('ann', 109n), reserved('ann', 110n), reserved(null, 0n)]).toEqual([100n, 110n, 110n]);
});
