/** Reading for the hosted checkout: by public ids, across merchants, only what a customer may see. */
import type { PictureType } from '../../domain/merchants/image-header.ts';

/** Beyond as many confirmations a payment that is not final yet changes no live state: quick chains would never rest. */
export const CONFIRMATIONS_TOLD = 100;
/** More payments of one invoice are not shown one by one: anybody can send dust. */
export const PAYMENTS_SHOWN = 100;

export interface CheckoutQueries {
  /**
   * For each of these external ids (lower case) that exists, a digest (hex) that changes whenever what its page shows may have
   * changed: status, asset, amount due, whether its address is gone, money received, payments (those shown) and their
   * confirmations; while it is open, whether its asset is among those whose payments are `seenLate` (keys, in one order), or which
   * these are where none is chosen. It tells nothing else, and not which came first. Of a final payment nothing changes any more.
   * One statement for all of them, made for thousands.
   */
  liveStates(
    externalIds: readonly string[],
    seenLate: readonly string[],
  ): Promise<ReadonlyMap<string, string>>;
  /** The invoice's payments without those that disappeared, the oldest first, `PAYMENTS_SHOWN` at most. */
  checkoutPayments(invoiceId: string): Promise<readonly CheckoutPayment[]>;
  /** What the invoice itself does not know of its addresses. */
  checkoutStanding(invoiceId: string): Promise<CheckoutFacts>;
}

export interface CheckoutFacts {
  /** Something was seen that did not disappear: a payment, or a stray at addresses of the invoice's own. */
  readonly arrivals: boolean;
  /** What is sent to its present address is taken no more: a permanent address that was deactivated, or one that is frozen. */
  readonly addressGone: boolean;
}

export interface BrandQueries {
  /** How the merchant wants its customers to see it; null where nothing was set. */
  brand(merchantId: string): Promise<Brand | null>;
  /** The picture with this digest (SHA-256, hex); null when no merchant has it. */
  logo(digest: string): Promise<Logo | null>;
}

export interface CheckoutPayment {
  readonly chain: string;
  readonly txid: string;
  readonly asset: string;
  /** Base units of the asset. */
  readonly units: bigint;
  /** Whether the network cannot take it back any more. */
  readonly final: boolean;
  /** Height of the block that holds it; null while it waits in the mempool. */
  readonly height: number | null;
  /** Newest height that was read of its chain; null before the first. */
  readonly head: number | null;
}

export interface Brand {
  readonly name: string | null;
  /** `#rrggbb`, lower case. */
  readonly accent: string | null;
  /** SHA-256 of the picture, hex. */
  readonly logoDigest: string | null;
}

export interface Logo {
  readonly type: PictureType;
  readonly bytes: Uint8Array;
}
