/**
 * A stored invoice: the state that decisions change, and the facts that never change after
 * creation.
 */

import type { FiatCurrency } from '../catalog/fiat.ts';
import type { FeeBearer } from '../money/fee.ts';
import type { JsonObject } from '../money/json.ts';
import type { WebhookFormat } from '../webhooks/webhook-format.ts';
import type { InvoicePrice, InvoiceState } from './invoice.ts';

/** A chosen asset, with its price, fixed at the first choice, and its address. */
export interface InvoiceChoice {
  readonly price: InvoicePrice;
  /** As shown to the customer. */
  readonly addressTo: string;
  /** Set if the address is a permanent one. */
  readonly permanentAddressId: string | null;
}

/** What the merchant may say of an invoice. It is stored and shown as it was given. */
export interface InvoiceDetails {
  readonly extra: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly metadata: JsonObject | null;
  readonly payerInfo: JsonObject | null;
  readonly onPaidUrl: string | null;
  readonly onCancelUrl: string | null;
  readonly notifyUrl: string | null;
}

export const NO_DETAILS: InvoiceDetails = {
  extra: null,
  title: null,
  description: null,
  metadata: null,
  payerInfo: null,
  onPaidUrl: null,
  onCancelUrl: null,
  notifyUrl: null,
};

export interface Invoice extends InvoiceState, InvoiceDetails {
  /** 24 hex; `order_id` of the API. */
  readonly id: string;
  /** UUID of the public checkout page. */
  readonly externalId: string;
  readonly merchantId: string;
  readonly sandbox: boolean;
  readonly fiatCurrency: FiatCurrency;
  /** initial_fiat_amount, in micros of `fiatCurrency`. */
  readonly initialFiatMicros: bigint;
  readonly feeBearer: FeeBearer;
  readonly commissionPpm: bigint;
  readonly priceModifierPpm: bigint | null;
  /** Asset requested at creation, or the first one chosen. Immutable after that. */
  readonly initialAsset: string | null;
  /** Deposit address as shown to the customer; null until the asset is chosen. */
  readonly addressTo: string | null;
  /**
   * Whether the customer may choose the asset: the merchant set none, or set it with
   * accepted_coins.
   */
  readonly customerChooses: boolean;
  /**
   * Earlier choices, each asset once and without the present one. Payments to their addresses
   * count.
   */
  readonly earlierChoices: readonly InvoiceChoice[];
  readonly acceptedCoins: readonly string[] | null;
  readonly excludedCoins: readonly string[] | null;
  readonly webhookFormat: WebhookFormat;
  /**
   * Set on invoices bound to a permanent address: created by a payment to it, or by
   * `permanent_address: true`.
   */
  readonly permanentAddressId: string | null;
  /**
   * The invoice belongs to a permanent address: requested by the merchant, or opened by a payment
   * to one. The address may wait for the choice of asset.
   */
  readonly bindsPermanentAddress: boolean;
  readonly userId: string | null;
  /** The payment link that opened it. */
  readonly paymentLinkId: string | null;
  /** underpay_tolerance was given: the API returns 0 then, and not null. */
  readonly toleranceGiven: boolean;
  readonly createdAt: Date;
  /** See lastChange in last-change.ts. */
  readonly updatedAt: Date | null;
}
