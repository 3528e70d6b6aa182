/** The use cases as their drivers (HTTP, scripts, cron) see them: one method each, expected failures as values. */
import type { Asset, AssetCatalog } from '../domain/catalog/asset.ts';
import type { PermanentFamily } from '../domain/catalog/family.ts';
import type { FiatCurrency } from '../domain/catalog/fiat.ts';
import type { AppError } from '../domain/errors.ts';
import type { BillingType, InvoicePrice, InvoiceStatus } from '../domain/invoices/invoice.ts';
import type { Invoice, WebhookFormat } from '../domain/invoices/invoice-record.ts';
import type { CheckoutOutcome, SimulatedStatus } from '../domain/invoices/invoice-simulation.ts';
import type { PermanentAddress } from '../domain/invoices/permanent-address.ts';
import type { Decimal } from '../domain/money/decimal.ts';
import type { FeeBearer } from '../domain/money/fee.ts';
import type { JsonObject } from '../domain/money/json.ts';
import type { Result } from '../domain/result.ts';
import type { CheckoutFacts } from '../ports/checkout/checkout-queries.ts';
import type { Once, StoredAnswers } from '../ports/invoices/stored-answers.ts';
import type { Identity, Queries } from '../ports/queries.ts';
import type { RateBook } from '../ports/rates/rate-book.ts';
import type { ToldInvoice } from '../ports/webhooks/webhook-formats.ts';
import type { WantedAgain } from '../ports/webhooks/webhook-outbox.ts';
import type { Caller } from './caller.ts';
import type { PartsOf } from './invoices/addresses/address-parts.ts';
import type { ReplayedEvents } from './webhooks/replay-events.ts';

/** Body of POST /invoices after validation: names resolved, decimals exact, defaults not applied. */
export interface CreateInvoiceInput {
  /** In `fiatCurrency`, or in `asset` when the body had an asset and no fiat_currency. Above zero, with no more decimals than its currency has. */
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
  readonly extra: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly notifyUrl: string | null;
  readonly onPaidUrl: string | null;
  readonly onCancelUrl: string | null;
  readonly metadata: JsonObject | null;
  readonly payerInfo: JsonObject | null;
  readonly webhookFormat: WebhookFormat | null;
  readonly permanentAddress: boolean;
  readonly userId: string | null;
  /** The id that the invoice gets; a fresh one unless given. One that stands in the caller's scope is answered as it is, and nothing is made. */
  readonly id?: string;
}

/** For how long an X-Uniq-Id is refused again. */
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

/** With a status or a format the test looks like an invoice: of that status (success), in that format (native_v2). */
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
  readonly userId: string;
  readonly family: PermanentFamily;
  readonly notifyUrl: string | null;
  readonly webhookFormat: WebhookFormat | null;
  readonly metadata: JsonObject | null;
}

/**
 * With `once` a use case stores what is answered for what it makes, in one commit with it. It throws KeyTaken, and makes
 * nothing, when the key stands, or another request has it right now: `answered` tells which of both.
 */
export interface Application {
  readonly partsOf: PartsOf;
  /** An address as it is given, and as it may be written down in the directory of addresses. */
  spellingsOf(address: string): readonly string[];
  readonly catalog: AssetCatalog;
  readonly rates: RateBook;
  /** Reads go straight to the query port. */
  readonly queries: Queries;
  /** Whether new invoices may be paid in the asset: switched on and, for live, on a chain that is watched and read in time. */
  isOffered(asset: Asset, sandbox: boolean): boolean;
  /** The invoice with what is known of it beside, as webhooks in a provider's shape tell it. */
  told(invoice: Invoice): ToldInvoice;
  /** Whether live payments in the asset are seen late at present. */
  isSeenLate(asset: Asset): boolean;
  /** Checkout: CheckoutQueries.liveStates with the assets whose payments are seen late at present. */
  liveStates(externalIds: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /**
   * The merchant and environment of an API key, or null. Kept for a few seconds. A key that was not good before is looked up
   * when `admits` says so; otherwise it is found only if it was made more than two seconds ago.
   */
  authenticate(apiKey: string, admits?: () => boolean): Promise<Identity | null>;

  /**
   * The API key of the merchant, of either environment and of both sides of an overlap, that fits; null when none does. Its keys
   * are kept for a few seconds; a signature that fits none of them has them read again when `admits` says so.
   */
  keyThatFits(
    merchantId: string,
    fits: (apiKey: string) => boolean,
    admits: () => boolean,
  ): Promise<string | null>;

  /** Whether this process has met the Idempotency-Key before; it has from now on, until 20,000 others came. */
  noteKey(caller: Caller, key: string): 'known' | 'new';
  /** What the first request with that Idempotency-Key was answered, and the fingerprint of what it asked for. */
  answered(caller: Caller, key: string): ReturnType<StoredAnswers['find']>;

  createInvoice(
    caller: Caller,
    input: CreateInvoiceInput,
    once?: Once<Invoice> | null,
  ): Promise<Result<Invoice, AppError>>;
  /**
   * Checkout: what the customer may choose from, or change to, now. Empty when there is nothing (else) to choose. Without
   * `standing` as if nothing had arrived and the address were good.
   */
  choosableAssets(invoice: Invoice, standing?: CheckoutFacts): readonly Asset[];
  /** What the invoice costs in the asset, or would if that were chosen now. */
  priceOf(invoice: Invoice, asset: Asset): Result<InvoicePrice, AppError>;
  /** The choice itself, or its change: prices the invoice and gives it an address. Refused once a payment was seen. */
  chooseCurrency(externalId: string, asset: Asset): Promise<Result<Invoice, AppError>>;
  /** Micro-USD that a usual transfer of the asset costs its sender now, from memory; null where no node told. */
  customerFeeHint(asset: Asset): bigint | null;
  /**
   * Simulates what the customer of a sandbox invoice does, and tells the merchant. INVALID_TRANSITION where a real payment could
   * not have that outcome any more.
   */
  simulateFromCheckout(externalId: string, outcome: CheckoutOutcome): Promise<Result<Invoice, AppError>>;
  simulateInvoice(
    caller: Caller,
    invoiceId: string,
    input: SimulateInput,
  ): Promise<Result<{ invoice: Invoice; webhook: DeliveryReport | null }, AppError>>;
  /** Ends an invoice as `expired` at once. INVALID_TRANSITION once anything was seen. */
  cancelInvoice(caller: Caller, invoiceId: string): Promise<Result<Invoice, AppError>>;
  /** Queues the current snapshot as a new delivery. */
  replayWebhook(
    caller: Caller,
    invoiceId: string,
    once?: Once<{ deliveryId: string }> | null,
  ): Promise<Result<{ deliveryId: string }, AppError>>;
  /** Queues webhooks of events again, in bulk. */
  replayEvents(caller: Caller, wanted: WantedAgain): Promise<Result<ReplayedEvents, AppError>>;
  /** Sends a test, or a sample of an invoice, at once to `url` or the merchant's callback_url, and logs the attempt. */
  sendTestWebhook(caller: Caller, wanted: TestWebhook): Promise<Result<DeliveryReport, AppError>>;

  /** An X-Uniq-Id is refused again for two hours, unless `kept` says for how long. */
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
  ): Promise<Result<CreatedBatch, AppError>>;

  /** The active one, made when there is none. */
  getPermanentAddress(
    caller: Caller,
    input: PermanentAddressInput,
    once?: Once<PermanentAddress> | null,
  ): Promise<Result<PermanentAddress, AppError>>;
  deactivatePermanentAddress(caller: Caller, id: string): Promise<Result<PermanentAddress, AppError>>;
}
