/** What is asked of a refund that a customer claims, and why it is refused. */
import type { Asset } from '../../../domain/catalog/asset.ts';
import type { Decimal } from '../../../domain/money/decimal.ts';
import type { FeeBearer } from '../../../domain/money/fee.ts';
import type { Scope } from '../../../ports/list-queries.ts';

export interface RefundOffer {
  readonly of:
    | { readonly subject: 'invoice' | 'surplus'; readonly invoiceId: string }
    | { readonly subject: 'deposit'; readonly depositId: string };
  /** In the asset that was paid; null: all that is left of it. */
  readonly amount: Decimal | null;
  readonly feeBearer: FeeBearer;
  readonly onCheckout: boolean;
  /** The link goes to the customer's e-mail address, where the gateway sends e-mails. */
  readonly mails: boolean;
  /** Until it expires. */
  readonly days: number;
  /** An operator's name, or the merchant who offers it: of another one it refuses as unknown. */
  readonly by: { readonly operator: string } | { readonly merchant: Scope };
}

export type ClaimRefusal =
  /** It is not open any more. */
  | { readonly why: 'over' }
  /** It is on its way to the earlier address. */
  | { readonly why: 'sent' }
  /** Not an address of the network, or one that is not paid. */
  | { readonly why: 'address' }
  | { readonly why: 'too_small' }
  /** No rate, or the merchant cannot pay at present. */
  | { readonly why: 'later' }
  /** Less would arrive than the customer was shown. */
  | { readonly why: 'changed' };

export interface RefundQuote {
  readonly asset: Asset;
  readonly address: string;
  /** What is given back, and what of it arrives, in base units. */
  readonly units: bigint;
  readonly sentUnits: bigint;
}
