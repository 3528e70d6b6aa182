/**
 * What a payout takes from the balance is never less than what it is worth; what it sends is never
 * more than was asked for.
 */
import { expect, test } from 'bun:test';
import type { PayoutInput } from '../../../src/app/application.ts';
import { payoutTerms } from '../../../src/app/payouts/payout-terms.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { parseDecimal, unitsOf } from '../../../src/domain/money/decimal.ts';
import type { Rates } from '../../../src/domain/rates/rate.ts';

const catalog = new AssetCatalog();
const ETH = catalog.require('eth_ethereum');
/** An ether is 3 USD. */
const rates: Rates = {
  usdPerAssetE18: new Map([[ETH.key, unitsOf('3', 18)]]),
  fiatPerUsdE18: new Map([['USD', unitsOf('1', 18)]]),
};
const quote = { feeUnits: 7n, feeMicroUsd: 5n, energyFeeMicroUsd: null, extraGas: 0n };

function termsOf(amount: string, change: Partial<PayoutInput> = {}) {
  const input: PayoutInput = {
    ...{ asset: ETH, address: 'somebody', fiatCurrency: 'native', feeBearer: null, ref: null },
    amount: parseDecimal(amount)!,
    ...change,
  };
  const terms = payoutTerms(input, rates, { kind: 'quoted', quote });
  if (!terms.ok) throw new Error(terms.error.message);
  return terms.value;
}

test('the value of the amount is rounded up, and the fee comes on top or off what is sent', () => {
  // Three times a millionth of a micro-dollar.
  const amount = { amountUnits: 1_000_000n, amountMicroUsd: 1n };
  expect(termsOf('0.000000000001')).toMatchObject({ ...amount, sentUnits: 1_000_000n, reservedMicroUsd: 6n });
  expect(termsOf('0.000000000001', { feeBearer: 'client' })).toMatchObject({
    ...{ ...amount, sentUnits: 999_993n, reservedMicroUsd: 1n },
  });
});

test('an amount in a currency is sent in units that are worth at most that', () => {
  const { amountUnits, amountMicroUsd } = termsOf('1', { fiatCurrency: 'USD' });
  expect(amountUnits * 3n).toBeLessThan(unitsOf('1', 18));
  expect(amountMicroUsd).toBeLessThanOrEqual(1_000_000n);
});
