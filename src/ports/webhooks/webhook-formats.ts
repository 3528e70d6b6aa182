/** The shapes that webhooks are sent in: our own, and those of the providers whose receivers a merchant keeps (decision 0013). */
import type { Asset } from '../../domain/catalog/asset.ts';
import type { Invoice, WebhookFormat } from '../../domain/invoices/invoice-record.ts';
import type { AddressParts } from '../chains/address-deriver.ts';
import type { SigningKeys } from './webhook-signer.ts';

export type ForeignFormat = Exclude<WebhookFormat, 'native_v2'>;

export interface WebhookFormats {
  /** The body of an invoice in a provider's shape, without a signature: stored as it is, signed at every attempt. */
  encode(format: ForeignFormat, told: ToldInvoice): string;
  /** What an attempt sends of a stored body: the format's own headers and signature, made with the opened key that signs. */
  dress(delivery: UndressedDelivery, keys: SigningKeys): DressedDelivery;
}

/** An invoice as it stands, with what is known of it beside. Amounts are base units of its asset. */
export interface ToldInvoice {
  readonly invoice: Invoice;
  /** Null before it is chosen, as is the address. */
  readonly asset: Asset | null;
  readonly addressParts: AddressParts | null;
  /** The merchant's part of what is credited; the rest of that is the commission. */
  readonly creditedUnits: bigint;
  readonly commissionUnits: bigint;
  /** What was received, in micro-USD: at the invoice's own price where that is in USD; null where no price is known. */
  readonly receivedMicroUsd: bigint | null;
  readonly deliveryId: string;
  readonly at: Date;
}

export interface UndressedDelivery {
  readonly format: WebhookFormat;
  readonly merchantId: string;
  readonly url: string;
  readonly body: string;
  /** Of the attempt. */
  readonly at: Date;
}

export interface DressedDelivery {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}
