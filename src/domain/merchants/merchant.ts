/** Merchants, and whether their keys may be used (specification, "Authentication" 5). */
import type { Environment } from '../environment.ts';
import { type AppError, appError } from '../errors.ts';
import type { FeeBearer } from '../money/fee.ts';
import type { WebhookFormat } from '../webhooks/webhook-format.ts';

export const MERCHANT_STATUSES = ['active', 'paused', 'pending_verification', 'rejected'] as const;
export type MerchantStatus = (typeof MERCHANT_STATUSES)[number];
export const KYC_STATES = ['approved', 'pending', 'rejected'] as const;
export type KycState = (typeof KYC_STATES)[number];
/** The most that a customer may pay less, as ppm: ten percent. */
export const TOLERANCE_PPM_MAX = 100_000n;
/** The tag of a language, as in `pt` or `zh-Hant`. */
export const LANGUAGE_TAG = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})?$/;

/** What counts where an invoice, or a customer's browser, says nothing. Null: nothing counts. */
export interface MerchantDefaults {
  readonly defaultTolerancePpm: bigint | null;
  /** Asset keys. Those that are switched off later are ignored. Null: all coins. */
  readonly acceptedCoins: readonly string[] | null;
  readonly defaultWebhookFormat: WebhookFormat | null;
  /** Of the checkout, where the browser names none that it speaks. */
  readonly checkoutLanguage: string | null;
  /** Money out of the console above this needs a second person. Null: it never does. */
  readonly approvalAboveMicroUsd: bigint | null;
}

export const NO_DEFAULTS: MerchantDefaults = {
  ...{ defaultTolerancePpm: null, acceptedCoins: null, defaultWebhookFormat: null },
  ...{ checkoutLanguage: null, approvalAboveMicroUsd: null },
};

export interface Merchant extends MerchantDefaults {
  readonly id: string;
  readonly name: string;
  readonly status: MerchantStatus;
  readonly kyc: KycState;
  readonly callbackUrl: string | null;
  /** Whether it also gets webhooks of its payouts. */
  readonly payoutWebhooks: boolean;
  readonly defaultFeeBearer: FeeBearer;
  readonly commissionPpm: bigint;
  /** CIDR blocks that may create payouts; an empty list allows none. */
  readonly allowedSubnets: readonly string[];
  readonly createdAt: Date;
}

/** What a merchant must be to be paid out. */
export const PAYABLE = { status: 'active', kyc: 'approved' } as const;

/**
 * Why a merchant may not be paid out, for the operator; null if it may (safety.md G7). The same
 * states bar its live key.
 */
export function payoutBar({ status, kyc }: Pick<Merchant, 'status' | 'kyc'>): string | null {
  if (status !== PAYABLE.status) return `the merchant is ${status}`;
  return kyc === PAYABLE.kyc ? null : `the merchant's KYC is ${kyc}`;
}

/** Null if the key may be used. A sandbox key always may, except a rejected merchant's. */
export function accessGate(
  merchant: Pick<Merchant, 'status' | 'kyc'>,
  environment: Environment,
): AppError | null {
  const details = { status: merchant.status, kyc: merchant.kyc };
  if (merchant.status === 'rejected') {
    return appError('MERCHANT_INACTIVE', 'This merchant was rejected. Contact the operator.', details);
  }
  if (environment === 'sandbox') return null;
  if (merchant.status !== 'active') {
    return appError(
      'MERCHANT_INACTIVE',
      `The merchant is ${merchant.status}. Live requests are refused until the operator activates it. The sandbox key still works.`,
      details,
    );
  }
  if (merchant.kyc !== 'approved') {
    return appError(
      'KYC_REQUIRED',
      `The merchant's KYC is ${merchant.kyc}. Live requests are refused until it is approved. The sandbox key works before that.`,
      details,
    );
  }
  return null;
}
