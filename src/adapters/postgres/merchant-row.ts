/** Row <-> domain of the table `merchants`. */
import type { FeeBearer } from '../../domain/fee.ts';
import type { KycState, Merchant, MerchantStatus } from '../../domain/merchant.ts';

export const MERCHANT_COLUMNS = [
  'id',
  'name',
  'status',
  'kyc',
  'callback_url',
  'payout_webhooks',
  'default_fee_bearer',
  'commission_ppm',
  'allowed_subnets',
  'created_at',
] as const;

export interface MerchantRow {
  readonly id: string;
  readonly name: string;
  readonly status: MerchantStatus;
  readonly kyc: KycState;
  readonly callback_url: string | null;
  readonly payout_webhooks: boolean;
  readonly default_fee_bearer: FeeBearer;
  readonly commission_ppm: number;
  readonly allowed_subnets: readonly string[];
  readonly created_at: Date;
}

export function merchantFromRow(row: MerchantRow): Merchant {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    kyc: row.kyc,
    callbackUrl: row.callback_url,
    payoutWebhooks: row.payout_webhooks,
    defaultFeeBearer: row.default_fee_bearer,
    commissionPpm: BigInt(row.commission_ppm),
    allowedSubnets: row.allowed_subnets,
    createdAt: row.created_at,
  };
}

export function merchantToRow(merchant: Merchant): MerchantRow {
  return {
    id: merchant.id,
    name: merchant.name,
    status: merchant.status,
    kyc: merchant.kyc,
    callback_url: merchant.callbackUrl,
    payout_webhooks: merchant.payoutWebhooks,
    default_fee_bearer: merchant.defaultFeeBearer,
    commission_ppm: Number(merchant.commissionPpm),
    allowed_subnets: merchant.allowedSubnets,
    created_at: merchant.createdAt,
  };
}
