/** Every expected failure of the API. adapters/http/kit/error-table.ts says what each means. */
export type ErrorCode =
  | 'INVALID_JSON'
  | 'INVALID_ID'
  | 'MISSING_HEADER'
  | 'INVALID_HEADER'
  | 'INVOICE_REJECTED'
  | 'PAYOUT_REJECTED'
  | 'SANDBOX_ONLY'
  | 'INVALID_TRANSITION'
  | 'NO_DESTINATION'
  | 'UNAUTHORIZED'
  | 'MERCHANT_INACTIVE'
  | 'KYC_REQUIRED'
  | 'PAYOUTS_DISABLED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'DUPLICATE'
  | 'IDEMPOTENCY_MISMATCH'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'VALIDATION_ERROR'
  | 'RATE_LIMITED'
  | 'LIST_TOO_SLOW'
  | 'RATES_UNAVAILABLE'
  | 'UNAVAILABLE'
  | 'INTERNAL_ERROR';

/**
 * `message` says what to do next and shows no internals. `details` has a shape per code (decision
 * 0003). `hint` adds to a fixed message, for programs that show nothing else.
 */
export interface AppError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly details?: unknown;
}

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

const ENABLED_ASSETS = 'GET /api/v2/assets lists the enabled assets';
const ASSET_DISABLED = `The asset is not enabled. ${ENABLED_ASSETS}`;

/**
 * `details.rule` of INVOICE_REJECTED: the business rule that an invoice, or a permanent address,
 * broke.
 */
export const INVOICE_RULES = {
  below_minimum:
    'The amount is below the minimum of the asset (`details.min_amount`), or of every accepted asset',
  asset_disabled: ASSET_DISABLED,
  asset_excluded: 'accepted_coins or excluded_coins exclude the asset',
  no_asset_left: 'accepted_coins and excluded_coins leave no enabled asset',
  xmr_permanent: 'XMR has no permanent addresses',
  family_unavailable: 'The gateway watches no network of the family, so it has no permanent addresses of it',
} as const;
export type InvoiceRule = keyof typeof INVOICE_RULES;

/** The same for a customer's choice of currency. Only the checkout shows it, in its own words. */
type ChoiceRule = 'fixed_asset' | 'not_payable' | 'was_paid' | 'asset_not_offered' | 'address_changed';

/** `details.rule` of PAYOUT_REJECTED: the business rule that a payout or refund broke. */
export const PAYOUT_RULES = {
  asset_disabled: ASSET_DISABLED,
  invalid_address: "The address is not valid on the asset's network, or cannot be paid",
  own_address: 'The address belongs to this gateway',
  below_minimum: 'The amount is below one unit of the asset, or below the minimum of its network',
  network_fee_too_high:
    'The recipient is a contract, and its network fee (`details.fee_usd`) is above the limit (`details.max_fee_usd`). `details.fee_usd` is null if the fee could not be estimated',
  fee_exceeds_amount: 'The client bears the network fee, and it is at least as high as the amount',
  insufficient_balance:
    'The balance (`details.available`, USD) does not cover amount and fee (`details.required`)',
  refund_amount: 'Of a refund: the amount is more than is left of the payment, or has too many decimals',
  chain_not_sent_on: 'This gateway sends nothing on the network',
} as const;
export type PayoutRule = keyof typeof PAYOUT_RULES;

/** The same for a refund that an operator orders. */
type RefundRule = PayoutRule | 'destination_unknown';

type WithRule = 'INVOICE_REJECTED' | 'PAYOUT_REJECTED';

/** For codes without a rule; `invoiceRejected` and `payoutRejected` make those with one. */
export function appError(code: Exclude<ErrorCode, WithRule>, message: string, details?: unknown): AppError {
  return details === undefined ? { code, message } : { code, message, details };
}

export function invoiceRejected(
  rule: InvoiceRule | ChoiceRule,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): AppError {
  return { code: 'INVOICE_REJECTED', message, details: { rule, ...details } };
}

export function payoutRejected(
  rule: RefundRule,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): AppError {
  return { code: 'PAYOUT_REJECTED', message, details: { rule, ...details } };
}

/** The message of the rule `asset_disabled`. */
export function assetDisabled({ key }: { readonly key: string }): string {
  return `${key} is not enabled. ${ENABLED_ASSETS}.`;
}

/**
 * VALIDATION_ERROR with every failing field (specification, "Errors"). Its hint is the first of
 * them.
 */
export function validationError(faults: readonly FieldError[]): AppError {
  const [first] = faults;
  const hint = first === undefined ? {} : { hint: `${first.field}: ${first.message}` };
  return { code: 'VALIDATION_ERROR', message: 'Validation failed', ...hint, details: faults };
}

export function ratesUnavailable(): AppError {
  return appError(
    'RATES_UNAVAILABLE',
    'No fresh exchange rate is known at the moment. Repeat the request in a minute.',
  );
}
