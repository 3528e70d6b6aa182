/**
 * Webhook formats: our own, and those of providers whose receivers a merchant keeps (decision
 * 0013).
 */
import type { Asset } from '../../domain/catalog/asset.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import type { WebhookFormat } from '../../domain/webhooks/webhook-format.ts';
import type { AddressParts } from '../chains/address-deriver.ts';
import type { SigningKeys } from './webhook-signer.ts';

export type ForeignFormat = Exclude<WebhookFormat, 'native_v2'>;

export interface WebhookFormats {
  /**
   * An invoice's body in a provider's format, unsigned: it is stored once and signed at each
   * attempt.
   */
  encode(format: ForeignFormat, facts: ProviderInvoice): string;
  /** What an attempt sends: the stored body with the format's headers and signature. */
  dress(delivery: UndressedDelivery, keys: SigningKeys): DressedDelivery;
}

/** An invoice with the facts that formats need. Amounts are base units of its asset. */
export interface ProviderInvoice {
  readonly invoice: Invoice;
  /** Null before one is chosen. */
  readonly asset: Asset | null;
  readonly addressParts: AddressParts | null;
  /** The merchant's part of the credited amount; the rest is the commission. */
  readonly creditedUnits: bigint;
  readonly commissionUnits: bigint;
  /**
   * The received amount in micro-USD, at the invoice's own price if that is in USD; null: no price.
   */
  readonly receivedMicroUsd: bigint | null;
  readonly deliveryId: string;
  readonly at: Date;
}

export interface UndressedDelivery {
  readonly format: WebhookFormat;
  readonly merchantId: string;
  readonly url: string;
  readonly body: string;
  /** Time of the attempt. */
  readonly at: Date;
}

export interface DressedDelivery {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}
