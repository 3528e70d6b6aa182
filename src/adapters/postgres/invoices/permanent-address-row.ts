/** The columns of a permanent address: a row of them is the domain's PermanentAddress. */
import { getTableColumns } from 'drizzle-orm';
import type { PermanentFamily } from '../../../domain/catalog/family.ts';
import type { WebhookFormat } from '../../../domain/invoices/invoice-record.ts';
import type { PermanentAddress } from '../../../domain/invoices/permanent-address.ts';
import { jsonFromText } from '../client/json-text.ts';
import { permanentAddresses } from '../schema/addresses.ts';

export const PERMANENT_ADDRESS = getTableColumns(permanentAddresses);

// For lists/lists.ts, which is not made from the schema yet.
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
