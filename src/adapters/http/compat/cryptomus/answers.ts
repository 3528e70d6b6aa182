/** The responses of Cryptomus' API. */
import type { Caller } from '../../../../app/caller.ts';
import type { Asset } from '../../../../domain/catalog/asset.ts';
import { FIAT_DECIMALS } from '../../../../domain/catalog/fiat.ts';
import type { Invoice } from '../../../../domain/invoices/invoice-record.ts';
import type { PermanentAddress } from '../../../../domain/invoices/permanent-address.ts';
import { availableMicroUsd, type BalanceSummary } from '../../../../domain/ledger.ts';
import { formatUnits } from '../../../../domain/money/decimal.ts';
import type { PayoutStatus } from '../../../../domain/payouts/payout.ts';
import type { Payout } from '../../../../domain/payouts/payout-record.ts';
import { cryptomusAmount, withPlaces } from '../../../shared/providers/cryptomus.ts';
import type { ApiContext } from '../../kit/call.ts';
import type { CompatRefusal } from '../surface.ts';
import { leastUnits, percentOf } from '../use-cases.ts';
import type { Dialect } from './dialect.ts';

/** Far above any payment: there is no maximum. */
const MAX_AMOUNT = '10000000.00000000';

export const result = (value: unknown) => ({ state: 0, result: value });

export function refused({ status, code, message, faults }: CompatRefusal) {
  const errors = Object.fromEntries(faults.map((each) => [each.field, [each.message]]));
  return { status, body: { state: 1, message, code, ...(faults.length === 0 ? {} : { errors }) } };
}

export function paymentResult(
  invoice: Invoice,
  { payment }: Dialect,
  { application, checkoutUrl }: ApiContext,
) {
  const { type: _, wallet_address_uuid: __, ...fields } = payment(application.providerInvoice(invoice));
  return {
    ...fields,
    payment_status: fields.status,
    address: invoice.addressTo,
    txid: invoice.txid,
    url: `${checkoutUrl}/checkout/${invoice.externalId}`,
    expired_at: Math.floor(invoice.expiresAt.getTime() / 1000),
    comments: null,
    created_at: invoice.createdAt.toISOString(),
    updated_at: (invoice.processedAt ?? invoice.createdAt).toISOString(),
  };
}

export function walletResult(
  wallet: PermanentAddress,
  asset: Asset,
  { networks }: Dialect,
  { application }: ApiContext,
) {
  const parts = application.partsOf(wallet.family, wallet.address);
  return {
    wallet_uuid: wallet.id,
    uuid: wallet.id,
    order_id: wallet.userId,
    address: parts?.account ?? wallet.address,
    ...(parts === null || parts.tag === null ? {} : { memo: String(parts.tag) }),
    network: networks.nameOf(asset.chain),
    currency: asset.symbol,
  };
}

const PAYOUT_STATUSES: Readonly<Record<PayoutStatus, string>> = {
  pending: 'process',
  processing: 'check',
  success: 'paid',
  failed: 'fail',
  cancelled: 'cancel',
};

export function payoutResult(payout: Payout, { networks }: Dialect, { application }: ApiContext) {
  const asset = application.catalog.require(payout.asset);
  const status = PAYOUT_STATUSES[payout.status];
  return {
    uuid: payout.id,
    order_id: payout.ref ?? payout.id,
    amount: cryptomusAmount(payout.amountUnits, asset.decimals),
    currency: asset.symbol,
    network: networks.nameOf(asset.chain),
    address: payout.address,
    txid: payout.txid,
    status,
    is_final: ['paid', 'fail', 'cancel'].includes(status),
    payer_currency: asset.symbol,
    payer_amount: cryptomusAmount(payout.sentUnits, asset.decimals),
    created_at: payout.createdAt.toISOString(),
    updated_at: (payout.processedAt ?? payout.createdAt).toISOString(),
  };
}

/** One service for each enabled asset. The minimum depends on `of`. */
export function services(
  { merchant, scope }: Caller,
  of: 'payments' | 'payouts',
  { networks }: Dialect,
  context: ApiContext,
) {
  const { application } = context;
  const offered = application.catalog.all.filter((asset) => application.isOffered(asset, scope.sandbox));
  return offered.map((asset) => {
    const least = of === 'payments' ? (leastUnits(asset, scope.sandbox, context) ?? 0n) : 0n;
    return {
      network: networks.nameOf(asset.chain).toUpperCase(),
      currency: asset.symbol,
      is_available: true,
      limit: { min_amount: cryptomusAmount(least, asset.decimals), max_amount: MAX_AMOUNT },
      commission: {
        fee_amount: '0.00',
        percent: of === 'payments' ? percentOf(merchant.commissionPpm) : '0.00',
      },
    };
  });
}

/** One balance in USD: there are no balances per coin. */
export function balanceResult(merchantId: string, summary: BalanceSummary) {
  const balance = withPlaces(formatUnits(availableMicroUsd(summary), FIAT_DECIMALS), 2);
  const merchant = [{ uuid: merchantId, balance, balance_usd: balance, currency_code: 'USD' }];
  return [{ balance: { merchant, user: [] } }];
}
