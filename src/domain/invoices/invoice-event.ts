/** What can happen to an invoice. */

export type InvoiceEvent =
  | {
      readonly type: 'payment_seen';
      readonly units: bigint;
      readonly txid: string;
      readonly from: string | null;
      readonly at: Date;
    }
  | { readonly type: 'payment_dropped'; readonly units: bigint; readonly at: Date }
  | { readonly type: 'payment_credited'; readonly units: bigint; readonly at: Date }
  | { readonly type: 'payment_held'; readonly units: bigint; readonly at: Date }
  | { readonly type: 'hold_released'; readonly units: bigint; readonly at: Date }
  | { readonly type: 'payment_reversed'; readonly units: bigint; readonly at: Date }
  | { readonly type: 'hold_reversed'; readonly units: bigint; readonly at: Date }
  | { readonly type: 'ttl_passed'; readonly at: Date }
  /** The merchant cancels it. */
  | { readonly type: 'withdrawn'; readonly at: Date }
  /** The merchant takes what was paid for all. */
  | { readonly type: 'accepted'; readonly at: Date }
  | { readonly type: 'refunded'; readonly at: Date }
  /** The refund was not paid: the merchant has the money again. */
  | { readonly type: 'refund_failed'; readonly at: Date };
