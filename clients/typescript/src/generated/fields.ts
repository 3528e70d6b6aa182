/** Made by `bun run docs` from the OpenAPI document. */

/** Fields that hold amounts. */
export const DECIMAL_FIELDS: ReadonlySet<string> = new Set(["amount","amount_sent","available","energy_fee_usd","fee","fee_usd","fiat_amount","fiat_amount_usd","initial_amount","initial_fiat_amount","max_amount","min_amount","original_amount","paid_amount","price_modifier","received_amount","total_income","total_payouts","underpay_tolerance"]);

/** Objects of the merchant's own making. */
export const FREE_FIELDS: ReadonlySet<string> = new Set(["metadata","payer_info"]);

/** Codes of refusals. */
export type ApiErrorCode =
  | 'DUPLICATE'
  | 'IDEMPOTENCY_MISMATCH'
  | 'INTERNAL_ERROR'
  | 'INVALID_HEADER'
  | 'INVALID_ID'
  | 'INVALID_JSON'
  | 'INVALID_TRANSITION'
  | 'INVOICE_REJECTED'
  | 'KYC_REQUIRED'
  | 'LIST_TOO_SLOW'
  | 'MERCHANT_INACTIVE'
  | 'MISSING_HEADER'
  | 'NOT_FOUND'
  | 'NO_DESTINATION'
  | 'PAYLOAD_TOO_LARGE'
  | 'PAYOUTS_DISABLED'
  | 'PAYOUT_REJECTED'
  | 'RATES_UNAVAILABLE'
  | 'RATE_LIMITED'
  | 'SANDBOX_ONLY'
  | 'UNAUTHORIZED'
  | 'UNAVAILABLE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'VALIDATION_ERROR';
