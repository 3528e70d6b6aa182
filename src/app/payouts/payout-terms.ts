/**
 * From a payout request to the amount sent, its cost and the reserved sum; or the business rule
 * that refuses it.
 */
import type { Asset } from '../../domain/catalog/asset.ts';
import { chainNamed } from '../../domain/catalog/chain.ts';
import { FIAT_DECIMALS } from '../../domain/catalog/fiat.ts';
import { type AppError, appError, payoutRejected } from '../../domain/errors.ts';
import { formatUnits, roundToDisplay, toUnits } from '../../domain/money/decimal.ts';
import { exactNumber } from '../../domain/money/exact-number.ts';
import type { FeeBearer } from '../../domain/money/fee.ts';
import { fiatForUnits, priceE18, type Rates, unitsForFiat } from '../../domain/rates/rate.ts';
import { err, ok, type Result, unreachable } from '../../domain/result.ts';
import type { FeeQuote, RecipientQuote } from '../../ports/rates/fee-quoter.ts';
import type { PayoutInput } from '../application.ts';

export interface PayoutTerms {
  readonly amountUnits: bigint;
  readonly sentUnits: bigint;
  readonly fee: FeeQuote;
  readonly feeBearer: FeeBearer;
  readonly amountMicroUsd: bigint;
  readonly reservedMicroUsd: bigint;
}

/**
 * USD values leave the merchant's balance, so they are rounded up. A fiat amount is converted down,
 * to the display precision.
 */
export function payoutTerms(
  input: PayoutInput,
  rates: Rates,
  quoted: RecipientQuote | null,
): Result<PayoutTerms, AppError> {
  const { asset } = input;
  const usd = priceE18(rates, asset, 'USD');
  const amountUnits = unitsAsked(input, rates);
  if (usd === null || amountUnits === null || quoted === null || quoted.kind === 'unpriced')
    return err(noRate(asset));
  if (quoted.kind === 'too_dear') return err(feeTooHigh(quoted));
  const { quote } = quoted;
  const feeBearer = input.feeBearer ?? 'merchant';
  const borne = feeBorne(feeBearer, quote);
  const sentUnits = amountUnits - borne.deductedUnits;
  if (amountUnits <= 0n)
    return err(payoutRejected('below_minimum', 'The amount is below one unit of the asset.'));
  const tooLittle = tooLittleToSend(asset, sentUnits, quote);
  if (tooLittle) return err(tooLittle);
  const amountMicroUsd = fiatForUnits(amountUnits, usd, asset, 'ceil');
  const reservedMicroUsd = amountMicroUsd + borne.addedMicroUsd;
  return ok({ amountUnits, sentUnits, fee: quote, feeBearer, amountMicroUsd, reservedMicroUsd });
}

/** Why the recipient cannot get so little; null if it can be sent. */
export function tooLittleToSend(
  asset: Asset,
  sentUnits: bigint,
  { feeUnits }: Pick<FeeQuote, 'feeUnits'>,
): AppError | null {
  if (sentUnits <= 0n) {
    const fee = formatUnits(feeUnits, asset.decimals);
    const why = `The network fee (${fee} ${asset.key}) is at least as high as the amount.`;
    return payoutRejected('fee_exceeds_amount', why);
  }
  const least = chainNamed(asset.chain).leastPaymentUnits;
  if (asset.type !== 'native' || sentUnits >= least) return null;
  const text = formatUnits(least, asset.decimals);
  return payoutRejected('below_minimum', `The minimum on the ${asset.chain} network is ${text}.`);
}

/** The network fee: deducted from what the recipient gets, or added to what the balance pays. */
export function feeBorne(
  bearer: FeeBearer,
  { feeUnits, feeMicroUsd }: FeeQuote,
): { readonly deductedUnits: bigint; readonly addedMicroUsd: bigint } {
  switch (bearer) {
    case 'merchant':
      return { deductedUnits: 0n, addedMicroUsd: feeMicroUsd };
    case 'client':
      return { deductedUnits: feeUnits, addedMicroUsd: 0n };
    default:
      return unreachable(bearer);
  }
}

/** The recipient is a contract that costs too much (safety.md G1). */
export function feeTooHigh({
  feeMicroUsd,
  mostMicroUsd,
}: Extract<RecipientQuote, { kind: 'too_dear' }>): AppError {
  const usd = (micros: bigint): string => formatUnits(micros, FIAT_DECIMALS);
  const cost = feeMicroUsd === null ? 'higher than could be estimated' : `${usd(feeMicroUsd)} USD`;
  return payoutRejected(
    'network_fee_too_high',
    `The recipient is a contract. The network fee would be ${cost}, and the limit is ${usd(mostMicroUsd)} USD.`,
    {
      fee_usd: feeMicroUsd === null ? null : exactNumber(feeMicroUsd, FIAT_DECIMALS),
      max_fee_usd: exactNumber(mostMicroUsd, FIAT_DECIMALS),
    },
  );
}

/** The requested amount in base units; null without a price. */
export function unitsAsked(input: PayoutInput, rates: Rates): bigint | null {
  const { asset, fiatCurrency } = input;
  if (fiatCurrency === null || fiatCurrency === 'native') return toUnits(input.amount, asset.decimals);
  const micros = toUnits(input.amount, FIAT_DECIMALS);
  const price = priceE18(rates, asset, fiatCurrency);
  if (micros === null || price === null || price <= 0n) return null;
  return roundToDisplay(unitsForFiat(micros, price, asset, 'floor'), asset, 'floor');
}

function noRate(asset: Asset): AppError {
  return appError(
    'RATES_UNAVAILABLE',
    `No fresh exchange rate of ${asset.key} is known. Repeat the request in a minute.`,
  );
}
