/** The responses of NOWPayments' API. */
import type { Asset } from '../../../../domain/catalog/asset.ts';
import { FAMILY_ROWS } from '../../../../domain/catalog/family.ts';
import { FIAT_DECIMALS } from '../../../../domain/catalog/fiat.ts';
import type { Invoice } from '../../../../domain/invoices/invoice-record.ts';
import { formatUnits } from '../../../../domain/money/decimal.ts';
import { exactNumber } from '../../../../domain/money/exact-number.ts';
import type { PayoutStatus } from '../../../../domain/payouts/payout.ts';
import type { Payout } from '../../../../domain/payouts/payout-record.ts';
import { nowpaymentsCodes } from '../../../shared/providers/nowpayments.ts';
import { nowpaymentsPayment } from '../../../shared/providers/nowpayments-payment.ts';
import type { ApiContext } from '../../kit/call.ts';
import type { CompatRefusal } from '../surface.ts';

/** NOWPayments' codes and statuses, where they differ. */
const CODES: Readonly<Record<string, { code: string; status: number }>> = {
  UNAUTHORIZED: { code: 'INVALID_API_KEY', status: 403 },
  VALIDATION_ERROR: { code: 'INVALID_REQUEST_PARAMS', status: 400 },
};

export function refused({ status, code, message }: CompatRefusal) {
  const told = CODES[code] ?? { code, status };
  return { status: told.status, body: { status: false, statusCode: told.status, code: told.code, message } };
}

export const NO_TOKEN: CompatRefusal = {
  ...{ status: 401, code: 'AUTH_REQUIRED', faults: [] },
  message: 'Send the token of POST /auth as Authorization: Bearer.',
};

export function paymentAnswer(invoice: Invoice, { application }: ApiContext) {
  const facts = application.providerInvoice(invoice);
  const asset = facts.asset;
  return {
    ...nowpaymentsPayment(facts),
    network: asset?.chain ?? null,
    smart_contract: asset?.contract ?? null,
    amount_received: asset === null ? null : exactNumber(facts.creditedUnits, asset.decimals),
    is_fixed_rate: true,
    type: 'crypto2crypto',
    ipn_callback_url: invoice.notifyUrl,
    valid_until: invoice.expiresAt.toISOString(),
    expiration_estimate_date: invoice.expiresAt.toISOString(),
    created_at: invoice.createdAt.toISOString(),
    updated_at: (invoice.processedAt ?? invoice.createdAt).toISOString(),
  };
}

export function invoiceAnswer(invoice: Invoice, { application, checkoutUrl }: ApiContext) {
  const asset = invoice.initialAsset === null ? null : application.catalog.require(invoice.initialAsset);
  return {
    id: invoice.id,
    token_id: invoice.externalId,
    order_id: invoice.extra,
    order_description: invoice.description,
    price_amount: exactNumber(invoice.initialFiatMicros, FIAT_DECIMALS),
    price_currency: invoice.fiatCurrency,
    pay_currency: asset === null ? null : nowpaymentsCodes.codeOf(asset),
    ipn_callback_url: invoice.notifyUrl,
    invoice_url: `${checkoutUrl}/checkout/${invoice.externalId}`,
    success_url: invoice.onPaidUrl,
    cancel_url: invoice.onCancelUrl,
    partially_paid_url: null,
    payout_currency: null,
    is_fixed_rate: true,
    is_fee_paid_by_user: invoice.feeBearer === 'client',
    created_at: invoice.createdAt.toISOString(),
    updated_at: invoice.createdAt.toISOString(),
  };
}

const PAYOUT_STATUSES: Readonly<Record<PayoutStatus, string>> = {
  pending: 'WAITING',
  processing: 'SENDING',
  success: 'FINISHED',
  failed: 'FAILED',
  cancelled: 'REJECTED',
};

export function withdrawal(payout: Payout, { application: { catalog } }: ApiContext) {
  const asset = catalog.require(payout.asset);
  return {
    id: payout.id,
    batch_withdrawal_id: payout.id,
    address: payout.address,
    currency: nowpaymentsCodes.codeOf(asset),
    amount: formatUnits(payout.amountUnits, asset.decimals),
    status: PAYOUT_STATUSES[payout.status],
    extra_id: null,
    hash: payout.txid,
    error: null,
    is_request_payouts: false,
    ipn_callback_url: null,
    unique_external_id: payout.ref,
    created_at: payout.createdAt.toISOString(),
    requested_at: payout.createdAt.toISOString(),
    updated_at: (payout.processedAt ?? payout.createdAt).toISOString(),
  };
}

export function currency(asset: Asset, position: number) {
  return {
    id: position,
    code: nowpaymentsCodes.codeOf(asset).toUpperCase(),
    name: asset.name ?? asset.symbol,
    ticker: asset.ticker,
    network: asset.chain,
    smart_contract: asset.contract,
    enable: true,
    is_fiat: false,
    precision: asset.decimals,
    available_for_payment: true,
    available_for_payout: true,
    wallet_regex: null,
    logo_url: null,
    extra_id_exists: FAMILY_ROWS[asset.family].memo === 'tag',
  };
}
