/**
 * A permanent deposit address: bound to one (merchant, environment, external user, family) while it
 * is active.
 */

import type { PermanentFamily } from '../catalog/family.ts';
import type { JsonObject } from '../money/json.ts';
import type { WebhookFormat } from '../webhooks/webhook-format.ts';

export interface PermanentAddress {
  readonly id: string;
  readonly merchantId: string;
  readonly sandbox: boolean;
  readonly userId: string;
  readonly family: PermanentFamily;
  readonly address: string;
  readonly active: boolean;
  readonly createdAt: Date;
  readonly deactivatedAt: Date | null;
  readonly metadata: JsonObject | null;
  readonly notifyUrl: string | null;
  /** Of the webhooks of the invoices that payments to it open. */
  readonly webhookFormat: WebhookFormat;
}
