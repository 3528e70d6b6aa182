/**
 * The use cases for their drivers (HTTP, scripts, cron): one method each, expected failures as
 * values.
 */
import type { Asset, AssetCatalog } from '../domain/catalog/asset.ts';
import type { PermanentFamily } from '../domain/catalog/family.ts';
import type { FiatCurrency } from '../domain/catalog/fiat.ts';
import type { AppError } from '../domain/errors.ts';
import type { BillingType, InvoicePrice, InvoiceStatus } from '../domain/invoices/invoice.ts';
import type { Invoice, InvoiceDetails } from '../domain/invoices/invoice-record.ts';
import type { CheckoutOutcome, SimulatedStatus } from '../domain/invoices/invoice-simulation.ts';
import type { PermanentAddress } from '../domain/invoices/permanent-address.ts';
import type { Decimal } from '../domain/money/decimal.ts';
import type { FeeBearer } from '../domain/money/fee.ts';
import type { JsonObject } from '../domain/money/json.ts';
import type { RefundClaim } from '../domain/payouts/refund-claim.ts';
import type { Result } from '../domain/result.ts';
import type { WebhookFormat } from '../domain/webhooks/webhook-format.ts';
import type { CheckoutFacts } from '../ports/checkout/checkout-queries.ts';
import type { PublicLink } from '../ports/links/payment-link-repository.ts';
import type { Identity, Queries } from '../ports/list-queries.ts';
import type { ClaimWithPayout } from '../ports/payouts/refund-claim-repository.ts';
import type { RateBook } from '../ports/rates/rate-book.ts';
import type { Once, StoredAnswers } from '../ports/stored-answers.ts';
import type { ProviderInvoice } from '../ports/webhooks/webhook-formats.ts';
import type { WantedAgain } from '../ports/webhooks/webhook-outbox.ts';
import type { Caller } from './caller.ts';
import type { ConsoleUseCases } from './console/console.ts';
import type { PartsOf } from './invoices/addresses/address-parts.ts';
import type { LinkRefusal, LinkRequest, LinkStanding } from './links/link-order.ts';
import type { changePaymentLink, createPaymentLink } from './links/manage-links.ts';
import type { ClaimRefusal, RefundOffer, RefundQuote } from './payouts/refunds/refund-order.ts';
import type { ReplayedEvents } from './webhooks/replay-events.ts';

/**
 * Body of POST /invoices after validation: names resolved, decimals exact, defaults not applied.
 */
export interface CreateInvoiceInput {
  /**
   * In `fiatCurrency`, or in `asset` if the body had an asset and no fiat_currency. Above zero,
   * with at most the decimals of its currency.
   */
  readonly amount: Decimal;
  readonly fiatCurrency: FiatCurrency | null;
  readonly asset: Asset | null;
  readonly ttlSeconds: number | null;
  readonly billingType: BillingType | null;
  readonly feeBearer: FeeBearer | null;
  readonly tolerancePpm: bigint | null;
  readonly priceModifierPpm: bigint | null;
  /** Full asset keys. */
  readonly acceptedCoins: readonly string[] | null;
  readonly excludedCoins: readonly string[] | null;
  readonly details: InvoiceDetails;
  readonly webhookFormat: WebhookFormat | null;
  readonly permanentAddress: boolean;
  readonly userId: string | null;
  /** The payment link that opens it. */
  readonly paymentLinkId?: string;
  /**
   * The id of the invoice; by default a new one. If the caller has an invoice of this id, that is
   * returned and none is created.
   */
  readonly id?: string;
}

/** How long a used X-Uniq-Id is refused. */
export type UniqIdKept = 'two hours' | 'a day' | 'for good';

export interface SimulateInput {
  readonly status: SimulatedStatus;
  /** In the invoice's fiat currency; null takes the status's default. */
  readonly paidAmount: Decimal | null;
  readonly sendWebhook: boolean;
  readonly notifyUrl: string | null;
}

export interface DeliveryReport {
  readonly url: string | null;
  readonly delivered: boolean;
  readonly statusCode: number | null;
  readonly error: string | null;
}

/**
 * A test with a status or a format looks like an invoice. Defaults: status success, format
 * native_v2.
 */
export interface TestWebhook {
  readonly url: string | null;
  readonly status: InvoiceStatus | null;
  readonly format: WebhookFormat | null;
}

export interface PayoutInput {
  readonly address: string;
  readonly amount: Decimal;
  readonly asset: Asset;
  /** Null or 'native': the amount is in the asset. */
  readonly fiatCurrency: FiatCurrency | 'native' | null;
  readonly ref: string | null;
  readonly feeBearer: FeeBearer | null;
}

export type BatchItemResult =
  | { readonly orderId: string; readonly status: string }
  | { readonly orderId: null; readonly error: string };

export interface CreatedBatch {
  readonly batchId: string;
  readonly items: readonly BatchItemResult[];
}

export interface PermanentAddressInput {
  /** The format of a new address without one, also without an earlier address. */
  readonly defaultFormat?: WebhookFormat | null;
  readonly userId: string;
  readonly family: PermanentFamily;
  readonly notifyUrl: string | null;
  readonly webhookFormat: WebhookFormat | null;
  readonly metadata: JsonObject | null;
}

/**
 * With `once` a use case stores its response in the same commit as its effect. It has no effect and
 * throws IdempotencyKeyTaken if the key is used or in use; `answered` tells which.
 */
export interface Application {
  readonly partsOf: PartsOf;
  /** The spellings under which the directory of addresses may store a given address. */
  spellingsOf(address: string): readonly string[];
  readonly catalog: AssetCatalog;
  readonly rates: RateBook;
  /** Reads go straight to the query port. */
  readonly queries: Queries;
  readonly console: ConsoleUseCases;
  /**
   * Whether new invoices may be paid in the asset: it is enabled and, for live, on a watched chain
   * without delay.
   */
  isOffered(asset: Asset, sandbox: boolean): boolean;
  /** The invoice with its payments and addresses, as webhooks in a provider's format present it. */
  providerInvoice(invoice: Invoice): ProviderInvoice;
  /** Whether live payments in the asset are detected late at present. */
  isSeenLate(asset: Asset): boolean;
  /** Checkout: CheckoutQueries.liveStates with the assets that are seen late at present. */
  liveStates(externalIds: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /**
   * The merchant and environment of an API key, or null. Cached for a few seconds. A key that was
   * invalid before is looked up if `admits` allows it; otherwise it is found only if it is more
   * than two seconds old.
   */
  authenticate(apiKey: string, admits?: () => boolean): Promise<Identity | null>;

  /**
   * The merchant's API key that fits, of either environment and of both sides of an overlap; null
   * if none does. The keys are cached for a few seconds. A signature that fits none causes another
   * read if `admits` allows it.
   */
  keyThatFits(
    merchantId: string,
    fits: (apiKey: string) => boolean,
    admits: () => boolean,
  ): Promise<string | null>;

  /** Whether this process has seen the Idempotency-Key; remembers it until 20,000 others came. */
  noteKey(caller: Caller, key: string): 'known' | 'new';
  /**
   * The response to the first request with that Idempotency-Key, and that request's fingerprint.
   */
  answered(caller: Caller, key: string): ReturnType<StoredAnswers['find']>;

  createInvoice(
    caller: Caller,
    input: CreateInvoiceInput,
    once?: Once<Invoice> | null,
  ): Promise<Result<Invoice, AppError>>;
  /**
   * Checkout: the assets that the customer may choose, or change to, now. Empty if there is no
   * (other) choice. Without `standing`: as if nothing had arrived and the address were usable.
   */
  choosableAssets(invoice: Invoice, standing?: CheckoutFacts): readonly Asset[];
  /** The invoice's price in the asset, or the one that choosing it now would give. */
  priceOf(invoice: Invoice, asset: Asset): Result<InvoicePrice, AppError>;
  /**
   * Makes or changes the choice: prices the invoice and assigns an address. Refused once a payment
   * was seen.
   */
  chooseCurrency(externalId: string, asset: Asset): Promise<Result<Invoice, AppError>>;
  /**
   * Micro-USD that a usual transfer of the asset costs its sender now, from memory; null without a
   * node's answer.
   */
  customerFeeHint(asset: Asset, currency: FiatCurrency): bigint | null;
  /**
   * Simulates an action of a sandbox invoice's customer, and sends the webhook. INVALID_TRANSITION
   * if a real payment could not have that outcome any more.
   */
  simulateFromCheckout(externalId: string, outcome: CheckoutOutcome): Promise<Result<Invoice, AppError>>;
  simulateInvoice(
    caller: Caller,
    invoiceId: string,
    input: SimulateInput,
  ): Promise<Result<{ invoice: Invoice; webhook: DeliveryReport | null }, AppError>>;
  /** Ends an invoice as `expired` immediately. INVALID_TRANSITION once any payment was seen. */
  cancelInvoice(caller: Caller, invoiceId: string): Promise<Result<Invoice, AppError>>;
  /** Queues the current snapshot as a new delivery. */
  replayWebhook(
    caller: Caller,
    invoiceId: string,
    once?: Once<{ deliveryId: string }> | null,
  ): Promise<Result<{ deliveryId: string }, AppError>>;
  /** Queues webhooks of many events again. */
  replayEvents(caller: Caller, wanted: WantedAgain): Promise<Result<ReplayedEvents, AppError>>;
  /**
   * Sends a test, or a sample invoice, immediately to `url` or the merchant's callback_url, and
   * logs the attempt.
   */
  sendTestWebhook(caller: Caller, wanted: TestWebhook): Promise<Result<DeliveryReport, AppError>>;

  /** A used X-Uniq-Id is refused for two hours, or for the time in `kept`. */
  createPayout(
    caller: Caller,
    uniqId: string,
    input: PayoutInput,
    once?: Once<{ orderId: string }> | null,
    kept?: UniqIdKept,
  ): Promise<Result<{ orderId: string }, AppError>>;
  createPayoutBatch(
    caller: Caller,
    uniqId: string,
    items: readonly PayoutInput[],
    once?: Once<CreatedBatch> | null,
    kept?: UniqIdKept,
  ): Promise<Result<CreatedBatch, AppError>>;

  /** Returns the active one; creates it if there is none. */
  getPermanentAddress(
    caller: Caller,
    input: PermanentAddressInput,
    once?: Once<PermanentAddress> | null,
  ): Promise<Result<PermanentAddress, AppError>>;
  deactivatePermanentAddress(caller: Caller, id: string): Promise<Result<PermanentAddress, AppError>>;

  readonly createPaymentLink: ReturnType<typeof createPaymentLink>;
  readonly changePaymentLink: ReturnType<typeof changePaymentLink>;
  /** Whether the link can be paid now. */
  linkStanding(of: PublicLink): Promise<LinkStanding>;
  /** Opens an invoice from the link. */
  openLink(of: PublicLink, request: LinkRequest): Promise<Result<Invoice, LinkRefusal>>;

  /** A merchant offers a refund of an invoice of its own. */
  offerRefund(
    caller: Caller,
    offer: Omit<RefundOffer, 'by'>,
    once?: Once<RefundClaim> | null,
  ): Promise<Result<RefundClaim, AppError>>;
  withdrawRefund(caller: Caller, claimId: string): Promise<Result<RefundClaim, AppError>>;
  /** The page of a claim: whoever has its URL can say where the money goes. */
  claimUrl(claimId: string): string;
  /** The claim of a URL's last part; null for one that was not made here. */
  claimOfToken(token: string): Promise<ClaimWithPayout | null>;
  quoteRefund(claimId: string, address: string): Promise<Result<RefundQuote, ClaimRefusal>>;
  confirmRefund(
    claimId: string,
    customer: { readonly address: string; readonly seenUnits: bigint },
  ): Promise<Result<ClaimWithPayout, ClaimRefusal>>;
}
