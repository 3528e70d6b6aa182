/**
 * What the operators' console does, one method for each action of a page, over the use cases of the
 * scripts. Every change writes one entry of the audit log, in its transaction; a refused one writes
 * none. Lists of deposits, payouts and merchants go to OperatorQueries.
 *
 * The routes check session, permission and second factor. A process of ROLE=api signs nothing and
 * has no workers: what needs a node asks it from here, and answers NOT_HERE or CHAIN_UNAVAILABLE
 * where that cannot be.
 */
import type { Approval, ApprovalRefusal } from '../../domain/accounts/approval.ts';
import type { OperatorRole } from '../../domain/accounts/role.ts';
import type { Actor } from '../../domain/audit/audit-entry.ts';
import type { ChainFault } from '../../domain/chains/chain-health.ts';
import type { NodeState } from '../../domain/chains/node-plan.ts';
import type { CreditRequest } from '../../domain/deposits/credit-request.ts';
import type { Deposit } from '../../domain/deposits/deposit.ts';
import type { Environment } from '../../domain/environment.ts';
import type { Merchant } from '../../domain/merchants/merchant.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { RefundClaim } from '../../domain/payouts/refund-claim.ts';
import type { OutgoingTransfer } from '../../domain/sending/outgoing.ts';
import type { Sweep } from '../../domain/sweeps/sweep.ts';
import type { AuditFilter } from '../../ports/audit/audit-log.ts';
import type { ChainStanding } from '../../ports/chains/chain-standing.ts';
import type { NotedTransaction } from '../../ports/chains/unknown-transactions.ts';
import type { Brand } from '../../ports/checkout/checkout-queries.ts';
import type { ReconciliationRun } from '../../ports/treasury/reconciliation-runs.ts';
import type { Sweepable, UnbookedFunding } from '../../ports/treasury/treasury-queries.ts';
import type { OpenCircuit } from '../../ports/webhooks/receiver-circuits.ts';
import type { ExportedEntry } from '../audit/exported-entries.ts';
import type { DeadReplay, QueuedReplay } from '../invoices/replay-webhooks.ts';
import type { BrandChange } from '../merchants/manage-brand.ts';
import type {
  FirstKey,
  MerchantChange,
  MerchantKeys,
  NewMerchant,
  RotatedKey,
} from '../merchants/manage-merchants.ts';
import type { ShownSecret } from '../merchants/webhook-secrets.ts';
import type { Refunded } from '../payouts/refunds/refund-invoice.ts';
import type { RefundOffer } from '../payouts/refunds/refund-order.ts';
import type { RefundOrder } from '../payouts/refunds/refund-terms.ts';
import type { GasForVoid } from '../sweeps/give-up-sweep.ts';
import type { CapitalFound } from '../treasury/book-capital.ts';
import type { ParkedUtxo } from '../treasury/pooled-funding.ts';
import type { WalletSetup } from '../treasury/prepare-wallet.ts';
import type { TreasuryStatus } from '../treasury/treasury.ts';
import type { ApprovalFilter, Decided, Done, FormId, Ordered } from './merchant-desk.ts';

/** Whose request it is. */
export interface OperatorSeat {
  readonly actor: Actor;
  readonly userId: string;
  readonly role: OperatorRole;
}

/** Facts of the page that says whether all is well. The page decides what is red. */
export interface WellFacts {
  readonly at: Date;
  readonly chains: readonly ChainOverview[];
  /** Seconds since the last prices; null: there are none. */
  readonly ratesAgeSeconds: number | null;
  readonly webhooks: {
    readonly pending: number;
    /** Of those that no open circuit delays. */
    readonly oldestDueSeconds: number;
    /** Receivers that do not answer, at most 1,000: those that are silent longest first. */
    readonly circuits: readonly OpenCircuit[];
    /** Given up within the last seven days, counted up to 1,000. */
    readonly dead: number;
  };
  /** The last of any worker; null before the first. */
  readonly reconciliation: ReconciliationRun | null;
  readonly signingStopped: { readonly at: Date; readonly note: string } | null;
  readonly payoutsHeld: number;
  /** Payouts that could not be sent at the last try, by code (WAITING_REASONS). */
  readonly payoutsWaiting: Readonly<Record<string, number>>;
  /** Held by the risk check, and not decided. */
  readonly depositsHeld: number;
  /** Unmatched, and not decided. */
  readonly strays: number;
  readonly approvalsWaiting: number;
}

export interface ChainOverview {
  readonly chain: string;
  /** Null until a worker has stored it. */
  readonly standing: ChainStanding | null;
  readonly height: number | null;
  /** Never below `height`: a block that was read was a tip. Null: none was seen yet. */
  readonly tip: number | null;
  readonly answeredAt: Date | null;
  readonly fault: ChainFault | null;
}

/** A node's plan, and its use today by all processes. */
export interface NodeBudget {
  readonly chain: string;
  readonly node: string;
  readonly state: NodeState;
  /** Whether its stream is alive; null: it has none. */
  readonly stream: boolean | null;
  readonly callsToday: number;
  readonly refusalsToday: number;
  readonly bytesToday: number;
  /** Null: no limit, or a node that is not configured any more. */
  readonly maxPerDay: number | null;
}

export interface ChainTreasury {
  readonly chain: string;
  /** Null: no node answers, and `unavailable` says why. */
  readonly status: TreasuryStatus | null;
  readonly unavailable: string | null;
}

export interface GivenUpSweep {
  readonly sweep: Sweep;
  /** A worker uses up the nonce of this one; null: nothing of it was on its way. */
  readonly transfer: OutgoingTransfer | null;
  /** Null: no transfer, or no node answers. */
  readonly gas: GasForVoid | null;
}

export interface UnknownPayments {
  readonly transaction: NotedTransaction;
  /** Ids of the payouts that it may have paid: of the same asset, amount and address. */
  readonly perhaps: readonly string[];
}

/** Keys and secrets of a merchant. */
export interface KeyPlace {
  readonly merchantId: string;
  readonly environment: Environment;
}

/** Money in the account of a wallet that pools deposits (XRP), without a tag of ours. */
export interface FundingPlace {
  readonly chain: string;
  readonly txid: string;
}

export interface OperatorDesk {
  isAllWell(): Promise<WellFacts>;
  nodes(): Promise<readonly NodeBudget[]>;
  /** Asks nodes for balances: seconds. Of one chain, or of all with a sender here (null). */
  treasury(chain: string | null): Done<readonly ChainTreasury[]>;
  /** Final and without a decision, on chains whose deposits lie in the hot wallet. */
  unbookedFunding(limit: number): Promise<readonly (UnbookedFunding & { readonly asset: string })[]>;
  /** Assets of the chain that `treasury.forward` has a threshold for. */
  forwardable(chain: string): readonly string[];

  /** What the hot wallets sent without this gateway, beside payouts that it may have paid. */
  unknownPayments(payouts: readonly Payout[]): Promise<readonly UnknownPayments[]>;
  holdPayout(by: OperatorSeat, payoutId: string, reason: string): Done<Payout>;
  /** May wait for a second person: CONSOLE_APPROVAL_USD. */
  releasePayout(by: OperatorSeat, payoutId: string, formId: FormId): Done<Ordered<Payout>>;
  /** All that may have been paid before a restore; `seen`: how many the page showed. */
  releaseRestored(by: OperatorSeat, seen: number, formId: FormId): Done<Ordered<readonly Payout[]>>;
  payoutPaidBy(by: OperatorSeat, payoutId: string, txid: string): Done<Payout>;
  cancelPayout(by: OperatorSeat, payoutId: string): Done<Payout>;
  retryPayout(by: OperatorSeat, payoutId: string): Done<Payout>;
  stopSigning(by: OperatorSeat, note: string): Done<null>;
  /** False: it was not stopped, and no entry is written. */
  startSigning(by: OperatorSeat): Done<boolean>;

  releaseHeld(by: OperatorSeat, depositId: string): Done<Deposit>;
  rejectHeld(by: OperatorSeat, depositId: string, reason: string): Done<Deposit>;
  creditStray(by: OperatorSeat, depositId: string): Done<Deposit>;
  /** Credits what a merchant asked to be credited. */
  grantCredit(by: OperatorSeat, requestId: string, answer: string | null): Done<Deposit>;
  /** The merchant reads the answer. */
  declineCredit(by: OperatorSeat, requestId: string, answer: string | null): Done<CreditRequest>;
  assignFunding(
    by: OperatorSeat,
    of: FundingPlace & { readonly address: string },
  ): Done<readonly ParkedUtxo[]>;
  /** Books it as owner funding; may wait for a second person. */
  adoptFunding(
    by: OperatorSeat,
    of: FundingPlace & { readonly note: string },
    formId: FormId,
  ): Done<Ordered<{ readonly txid: string }>>;

  /** Of an unmatched deposit, which is credited first where it is not, or of an invoice. */
  offerRefund(
    by: OperatorSeat,
    offer: Omit<RefundOffer, 'by'>,
    formId: FormId,
  ): Done<Ordered<{ readonly claim: RefundClaim; readonly url: string }>>;
  withdrawRefund(by: OperatorSeat, claimId: string): Done<RefundClaim>;
  /** What `refundInvoice` would do now. */
  previewRefund(
    by: OperatorSeat,
    invoiceId: string,
    order: Omit<RefundOrder, 'by' | 'dryRun'>,
  ): Done<Refunded>;
  refundInvoice(
    by: OperatorSeat,
    invoiceId: string,
    order: Omit<RefundOrder, 'by' | 'dryRun'>,
    formId: FormId,
  ): Done<Ordered<{ readonly payoutId: string }>>;

  replayInvoice(by: OperatorSeat, invoiceId: string): Done<QueuedReplay>;
  replayDead(by: OperatorSeat, since: Date | null): Done<DeadReplay>;
  /** Workers send a notice that is only a try to everybody who gets alarms. */
  tryNotices(by: OperatorSeat): Done<null>;

  requestSweeps(
    by: OperatorSeat,
    of: { readonly chain: string; readonly asset: string | null; readonly address: string | null },
  ): Done<readonly Sweepable[]>;
  giveUpSweep(by: OperatorSeat, sweepOrTransferId: string): Done<GivenUpSweep>;
  /** To the policy's cold address; as soon as nothing bars it, within a day. */
  requestForward(by: OperatorSeat, asset: string): Done<null>;
  giveUpForward(by: OperatorSeat, transferId: string): Done<OutgoingTransfer>;
  /** Orders a transaction that moves nothing, where the account of a hot wallet has settings. */
  setUpWallet(by: OperatorSeat, chain: string): Done<WalletSetup>;
  /** What `bookCapital` would book now. */
  previewCapital(of: { readonly chain: string; readonly asset: string }): Done<CapitalFound>;
  /** `units`: what the preview showed; another difference by now is refused. */
  bookCapital(
    by: OperatorSeat,
    of: { readonly chain: string; readonly asset: string; readonly note: string; readonly units: bigint },
    formId: FormId,
  ): Done<Ordered<CapitalFound>>;
  thawAddress(by: OperatorSeat, of: { readonly chain: string; readonly address: string }): Done<null>;

  createMerchant(by: OperatorSeat, input: NewMerchant): Done<MerchantKeys>;
  changeMerchant(by: OperatorSeat, merchantId: string, change: MerchantChange): Done<Merchant>;
  verifyMerchant(
    by: OperatorSeat,
    merchantId: string,
  ): Done<{ readonly merchant: Merchant; readonly issued: FirstKey | null }>;
  rotateKey(by: OperatorSeat, of: KeyPlace & { readonly overlapSeconds: number }): Done<RotatedKey>;
  showWebhookSecret(by: OperatorSeat, of: KeyPlace): Done<ShownSecret>;
  rotateWebhookSecret(
    by: OperatorSeat,
    of: KeyPlace & { readonly overlapSeconds: number },
  ): Done<ShownSecret>;
  /** Now. False: there is no older one. */
  endOverlap(
    by: OperatorSeat,
    of: KeyPlace & { readonly subject: 'api_key' | 'webhook_secret' },
  ): Done<boolean>;
  brand(merchantId: string): Done<Brand>;
  changeBrand(by: OperatorSeat, merchantId: string, change: BrandChange): Done<Brand>;

  /** The log as a file, in pieces, newest first. Writes an entry before the first piece. */
  exportAuditLog(
    by: OperatorSeat,
    filter: AuditFilter,
  ): Promise<AsyncGenerator<readonly ExportedEntry[], void>>;

  approvals(by: OperatorSeat, filter: ApprovalFilter): Promise<readonly Approval[]>;
  approval(by: OperatorSeat, id: string): Promise<Approval | null>;
  whyNotApprove(by: OperatorSeat, approval: Approval): Promise<ApprovalRefusal | null>;
  approve(by: OperatorSeat, id: string): Done<Decided>;
  refuse(by: OperatorSeat, id: string, note: string | null): Done<Approval>;
  withdraw(by: OperatorSeat, id: string): Done<Approval>;
}
