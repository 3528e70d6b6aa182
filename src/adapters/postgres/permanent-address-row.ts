/** Row <-> domain of the table `permanent_addresses`. */
import type { PermanentFamily } from '../../domain/chain.ts';
import type { WebhookFormat } from '../../domain/invoice-record.ts';
import type { PermanentAddress } from '../../domain/permanent-address.ts';
import { jsonFromText, jsonToText } from './json-text.ts';

export const PERMANENT_ADDRESS_COLUMNS = [
  'id',
  'merchant_id',
  'sandbox',
  'user_id',
  'family',
  'address',
  'active',
  'created_at',
  'deactivated_at',
  'metadata',
  'notify_url',
  'webhook_format',
] as const;

export interface PermanentAddressRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly sandbox: boolean;
  readonly user_id: string;
  readonly family: PermanentFamily;
  readonly address: string;
  readonly active: boolean;
  readonly created_at: Date;
  readonly deactivated_at: Date | null;
  readonly metadata: string | null;
  readonly notify_url: string | null;
  readonly webhook_format: WebhookFormat;
}

export function permanentAddressFromRow(row: PermanentAddressRow): PermanentAddress {
  return {
    id: row.id,
    merchantId: row.merchant_id,
    sandbox: row.sandbox,
    userId: row.user_id,
    family: row.family,
    address: row.address,
    active: row.active,
    createdAt: row.created_at,
    deactivatedAt: row.deactivated_at,
    metadata: jsonFromText(row.metadata),
    notifyUrl: row.notify_url,
    webhookFormat: row.webhook_format,
  };
}

export function permanentAddressToRow(address: PermanentAddress): PermanentAddressRow {
  return {
    id: address.id,
    merchant_id: address.merchantId,
    sandbox: address.sandbox,
    user_id: address.userId,
    family: address.family,
    address: address.address,
    active: address.active,
    created_at: address.createdAt,
    deactivated_at: address.deactivatedAt,
    metadata: jsonToText(address.metadata),
    notify_url: address.notifyUrl,
    webhook_format: address.webhookFormat,
  };
}
