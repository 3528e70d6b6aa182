/** Reads of the hosted checkout: by public id, across merchants, only what a customer may see. */
import type { BrandSettings } from '../../domain/merchants/brand.ts';
import type { PictureType } from '../../domain/merchants/image-header.ts';

/**
 * More confirmations of a payment that is not final do not change the live state: it would never
 * rest.
 */
export const CONFIRMATIONS_TOLD = 100;
/** Most payments of an invoice that are shown: anybody can send many small ones. */
export const PAYMENTS_SHOWN = 100;

export interface CheckoutQueries {
  /**
   * For each existing external id (lower case) a digest (hex) that changes whenever its page may
   * have changed: status, asset, amount due, whether its address is gone, money received, the shown
   * payments and their confirmations; and, while it is open, whether its asset is among `seenLate`
   * (sorted keys), or, before a choice, these assets. The digest reveals nothing else. A final
   * payment changes it no more. One statement for thousands of ids.
   */
  liveStates(
    externalIds: readonly string[],
    seenLate: readonly string[],
  ): Promise<ReadonlyMap<string, string>>;
  /** The invoice's present payments, oldest first, at most `PAYMENTS_SHOWN`. */
  checkoutPayments(invoiceId: string): Promise<readonly CheckoutPayment[]>;
  /** Facts about the invoice's addresses. */
  checkoutStanding(invoiceId: string): Promise<CheckoutFacts>;
  /**
   * Whether a payment that came after the invoice had closed is there, and nobody decided about it.
   */
  hasLatePayment(invoiceId: string): Promise<boolean>;
}

export interface CheckoutFacts {
  /** There is a payment, or an unmatched deposit at one of the invoice's own addresses. */
  readonly arrivals: boolean;
  /** Payments to its address are not taken any more: it was deactivated, or is frozen. */
  readonly addressGone: boolean;
}

export interface BrandQueries {
  /** What customers see of the merchant; null if there is no such merchant. */
  brand(merchantId: string): Promise<Brand | null>;
  /** The logo with this digest (SHA-256, hex); null if no merchant has it. */
  logo(digest: string): Promise<Logo | null>;
}

export interface CheckoutPayment {
  readonly chain: string;
  readonly txid: string;
  readonly asset: string;
  /** Base units of the asset. */
  readonly units: bigint;
  /** Whether the payment is final. */
  readonly final: boolean;
  /** Height of its block; null while it is in the mempool. */
  readonly height: number | null;
  /** The newest height read on its chain; null before the first. */
  readonly head: number | null;
}

/** `BrandSettings` as customers see them. */
export interface Brand extends Omit<BrandSettings, 'name' | 'logo'> {
  /** That of the merchant where the brand has none. */
  readonly name: string;
  /** The merchant's language of the checkout, perhaps one that it does not speak. */
  readonly language: string | null;
  /** SHA-256 of the picture, hex. */
  readonly logoDigest: string | null;
}

export interface Logo {
  readonly type: PictureType;
  readonly bytes: Uint8Array;
}
