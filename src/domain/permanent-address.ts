/** A permanent deposit address: bound to one (merchant, environment, external user, family) while it is active. */

import type { PermanentFamily } from './chain.ts';
import type { WebhookFormat } from './invoice-record.ts';
import type { JsonObject } from './json.ts';

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
