/**
 * What a merchant's console does, one method for each action of a page. Every change writes one
 * entry of the audit log, in its transaction; a refused one writes none. Expected failures are
 * codes. Reads go to Application.queries, but for those here.
 *
 * The routes check session, permission and second factor (domain/accounts/role.ts). An approver's
 * permission is checked here as well, since it depends on what is approved.
 */
import type { Approval, ApprovalRefusal, ApprovalStatus } from '../../domain/accounts/approval.ts';
import type { MerchantRole } from '../../domain/accounts/role.ts';
import type { Actor } from '../../domain/audit/audit-entry.ts';
import type { Month } from '../../domain/console/statement.ts';
import type { CreditRequest } from '../../domain/deposits/credit-request.ts';
import type { AppError, ErrorCode } from '../../domain/errors.ts';
import type { Invoice } from '../../domain/invoices/invoice-record.ts';
import type { PermanentAddress } from '../../domain/invoices/permanent-address.ts';
import type { PaymentLink } from '../../domain/links/payment-link.ts';
import type { Merchant } from '../../domain/merchants/merchant.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { RefundClaim } from '../../domain/payouts/refund-claim.ts';
import type { Result } from '../../domain/result.ts';
import type { Brand } from '../../ports/checkout/checkout-queries.ts';
import type {
  CreatedBatch,
  CreateInvoiceInput,
  DeliveryReport,
  PayoutInput,
  PermanentAddressInput,
  SimulateInput,
  TestWebhook,
} from '../application.ts';
import type { Caller } from '../caller.ts';
import type { LinkChange, NewPaymentLink } from '../links/manage-links.ts';
import type { BrandChange } from '../merchants/manage-brand.ts';
import type { MerchantChange, RotatedKey } from '../merchants/manage-merchants.ts';
import type { ShownSecret } from '../merchants/webhook-secrets.ts';
import type { RefundOffer } from '../payouts/refunds/refund-order.ts';
import type { Statement } from './statement.ts';

/** Whose request it is, and at which merchant, in which environment. */
export interface Desk {
  readonly actor: Actor;
  readonly caller: Caller;
  readonly userId: string;
  readonly role: MerchantRole;
  /** Of the refunds of a day; null: no limit. */
  readonly refundLimitMicroUsd: bigint | null;
}

/**
 * Besides the codes of the API. `APPROVAL_REFUSED`: `details.refusal` says why (ApprovalRefusal).
 * `ORDER_FAILED`: the order of this form was carried out before, and failed (`details.failure`).
 * `NOT_HERE`: this process has no sender of the chain, or no signer. `CHAIN_UNAVAILABLE`: no node
 * answers.
 */
export type DeskCode = ErrorCode | 'APPROVAL_REFUSED' | 'ORDER_FAILED' | 'NOT_HERE' | 'CHAIN_UNAVAILABLE';
export interface DeskFault extends Omit<AppError, 'code'> {
  readonly code: DeskCode;
}
export type Done<Made> = Promise<Result<Made, DeskFault>>;

/** What may need a second person. `failed` cannot be here: that is an Err. */
export type Ordered<Made> =
  | { readonly outcome: 'done'; readonly approvalId: string; readonly made: Made }
  /** Nothing is done yet: somebody else has to approve it. */
  | { readonly outcome: 'waiting'; readonly approval: Approval }
  /** Stored, and carried out within a minute: the database or the chain's prices were away. */
  | { readonly outcome: 'accepted'; readonly approval: Approval };

/**
 * A random UUID in a hidden field of the form: sent twice, it is ordered once, and the second
 * answer is that of the first.
 */
export type FormId = string;

/** What an approval made, when it was carried out at once. */
export interface Decided {
  /** `done`, `failed` (with its reason), or `approved` if it is carried out later. */
  readonly approval: Approval;
}

export type MerchantSettings = Pick<
  MerchantChange,
  | 'callbackUrl'
  | 'payoutWebhooks'
  | 'defaultFeeBearer'
  | 'defaultTolerancePpm'
  | 'acceptedCoins'
  | 'defaultWebhookFormat'
  | 'checkoutLanguage'
>;

export interface ApprovalFilter {
  /** Empty: all. */
  readonly statuses: readonly ApprovalStatus[];
  /** 1 to 100. */
  readonly limit: number;
}

/** A fault of an uploaded file. `row` counts lines of the file from 1, the header included. */
export interface RowFault {
  readonly row: number;
  /** Null: of the whole row, or of the file. */
  readonly column: string | null;
  /** Completes "<column> ...". */
  readonly message: string;
}

export interface PreviewedPayout {
  readonly row: number;
  readonly input: PayoutInput;
  /** As it would be accepted now: base units of the asset, and micro-USD. */
  readonly amountUnits: bigint;
  readonly sentUnits: bigint;
  readonly feeUnits: bigint;
  readonly amountMicroUsd: bigint;
  readonly feeMicroUsd: bigint;
  readonly reservedMicroUsd: bigint;
}

export interface PayoutPreview {
  /** Those without a fault. */
  readonly payouts: readonly PreviewedPayout[];
  /** By row, then by column. It can be ordered only if there is none. */
  readonly faults: readonly RowFault[];
  readonly totals: readonly {
    readonly asset: string;
    readonly count: number;
    readonly amountUnits: bigint;
    readonly sentUnits: bigint;
    readonly feeUnits: bigint;
  }[];
  readonly amountMicroUsd: bigint;
  readonly feeMicroUsd: bigint;
  /** What would be taken from the balance, and what is available there. */
  readonly reservedMicroUsd: bigint;
  readonly availableMicroUsd: bigint;
  readonly coversIt: boolean;
  /** A second person would have to approve it. */
  readonly needsApproval: boolean;
}

/** When keys were issued, and until when older ones work; no key and no secret. */
export interface KeyStanding {
  /** Null: none was issued. */
  readonly keySince: Date | null;
  readonly olderKeyUntil: Date | null;
  readonly secretSince: Date | null;
  readonly olderSecretUntil: Date | null;
}

export interface MerchantDesk {
  createInvoice(by: Desk, input: CreateInvoiceInput): Done<Invoice>;
  cancelInvoice(by: Desk, invoiceId: string): Done<Invoice>;
  /** A partly paid one counts as paid: the merchant waives the rest. */
  acceptInvoice(by: Desk, invoiceId: string): Done<Invoice>;
  /** Asks the operator to credit an unmatched deposit. */
  requestCredit(by: Desk, depositId: string, reason: string): Done<CreditRequest>;
  simulateInvoice(
    by: Desk,
    invoiceId: string,
    input: SimulateInput,
  ): Done<{ readonly invoice: Invoice; readonly webhook: DeliveryReport | null }>;
  replayWebhook(by: Desk, invoiceId: string): Done<{ readonly deliveryId: string }>;
  /** A webhook that was given up, or up to 500 of them (null). */
  sendAgain(by: Desk, deliveryId: string | null): Done<{ readonly queued: number }>;
  sendTestWebhook(by: Desk, wanted: TestWebhook): Done<DeliveryReport>;

  createLink(by: Desk, input: NewPaymentLink): Done<PaymentLink>;
  changeLink(by: Desk, linkId: string, change: LinkChange): Done<PaymentLink>;
  getPermanentAddress(by: Desk, input: PermanentAddressInput): Done<PermanentAddress>;
  deactivatePermanentAddress(by: Desk, id: string): Done<PermanentAddress>;

  /**
   * Above what the user may offer within a day, or the merchant's limit of approvals, it waits for
   * a second person. `url` is shown once, for the customer.
   */
  offerRefund(
    by: Desk,
    offer: Omit<RefundOffer, 'by'>,
    formId: FormId,
  ): Done<Ordered<{ readonly claim: RefundClaim; readonly url: string }>>;
  /**
   * The link of an open claim: whoever has it says where the money goes. Not above the user's limit
   * of a refund. Writes an entry.
   */
  showRefundLink(by: Desk, claimId: string): Done<{ readonly claim: RefundClaim; readonly url: string }>;
  withdrawRefund(by: Desk, claimId: string): Done<RefundClaim>;

  createPayout(by: Desk, input: PayoutInput, formId: FormId): Done<Ordered<{ readonly payoutId: string }>>;
  /**
   * A CSV file: address,amount,asset and, if wanted, fiat_currency,ref,fee_bearer; at most 200
   * rows, as of POST /payouts/batch. Nothing is stored.
   */
  previewPayouts(by: Desk, csv: string): Done<PayoutPreview>;
  /** The same file, once more. A file with faults is refused as a whole: VALIDATION_ERROR. */
  createPayoutBatch(by: Desk, csv: string, formId: FormId): Done<Ordered<CreatedBatch>>;
  /** While nothing of it is signed. */
  cancelPayout(by: Desk, payoutId: string): Done<Payout>;

  changeSettings(by: Desk, change: MerchantSettings): Done<Merchant>;
  /**
   * From what amount, in micro-USD, money out needs a second person; null: never. Setting it first,
   * and lowering it, is done at once; raising and removing it waits.
   */
  changeApprovalLimit(by: Desk, microUsd: bigint | null, formId: FormId): Done<Ordered<Merchant>>;
  /** From where the API takes payouts (CIDR). An addition waits while there is a limit. */
  changeAllowedSubnets(by: Desk, subnets: readonly string[], formId: FormId): Done<Ordered<Merchant>>;
  brand(by: Desk): Done<Brand>;
  changeBrand(by: Desk, change: BrandChange): Done<Brand>;

  keys(by: Desk): Promise<KeyStanding>;
  /** The key is shown once. */
  rotateKey(by: Desk, overlapSeconds: number): Done<RotatedKey>;
  /** 0: now. */
  endKeyOverlap(by: Desk, seconds: number): Done<{ readonly ends: boolean; readonly until: Date | null }>;
  /** Writes an entry as well: it shows a secret. */
  showWebhookSecret(by: Desk): Done<ShownSecret>;
  rotateWebhookSecret(by: Desk, overlapSeconds: number): Done<ShownSecret>;
  endSecretOverlap(by: Desk, seconds: number): Done<{ readonly ends: boolean; readonly until: Date | null }>;

  /** The month as a file. Writes an entry; null, and none, for a month that there is not. */
  exportStatement(by: Desk, month: Month, format: 'csv' | 'pdf'): Promise<Statement | null>;

  /** Newest first. */
  approvals(by: Desk, filter: ApprovalFilter): Promise<readonly Approval[]>;
  approval(by: Desk, id: string): Promise<Approval | null>;
  /** Why this user cannot approve it now; null if they can. */
  whyNotApprove(by: Desk, approval: Approval): Promise<ApprovalRefusal | null>;
  approve(by: Desk, id: string): Done<Decided>;
  refuse(by: Desk, id: string, note: string | null): Done<Approval>;
  /** By whoever requested it. */
  withdraw(by: Desk, id: string): Done<Approval>;
}
