/** The dependencies of the use cases, supplied by src/compose. */
import type { AssetCatalog } from '../domain/catalog/asset.ts';
import type { Family } from '../domain/catalog/family.ts';
import type { AddressDeriver } from '../ports/chains/address-deriver.ts';
import type { ChainStanding } from '../ports/chains/chain-standing.ts';
import type { IssuedIndexes } from '../ports/chains/issued-indexes.ts';
import type { ConsoleQueries } from '../ports/console/console-queries.ts';
import type { RiskScreener } from '../ports/deposits/risk-screener.ts';
import type { InvoiceWriter } from '../ports/invoices/invoice-writer.ts';
import type { Queries } from '../ports/list-queries.ts';
import type { OperatorQueries } from '../ports/operator-queries.ts';
import type { PayoutWriter } from '../ports/payouts/payout-writer.ts';
import type { FeeQuoter } from '../ports/rates/fee-quoter.ts';
import type { RateBook } from '../ports/rates/rate-book.ts';
import type { UnitOfWork } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime/clock.ts';
import type { IdSource } from '../ports/runtime/id-source.ts';
import type { Logger } from '../ports/runtime/logger.ts';
import type { Timers } from '../ports/runtime/timers.ts';
import type { Vault } from '../ports/runtime/vault.ts';
import type { StoredAnswers } from '../ports/stored-answers.ts';
import type { TreasuryQueries } from '../ports/treasury/treasury-queries.ts';
import type { ReceiverCircuits } from '../ports/webhooks/receiver-circuits.ts';
import type { WebhookFormats } from '../ports/webhooks/webhook-formats.ts';
import type { WebhookQueue } from '../ports/webhooks/webhook-queue.ts';
import type { WebhookSigner } from '../ports/webhooks/webhook-signer.ts';
import type { WebhookTransport } from '../ports/webhooks/webhook-transport.ts';

export interface AppDependencies {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly unitOfWork: UnitOfWork;
  readonly invoiceWriter: InvoiceWriter;
  readonly payoutWriter: PayoutWriter;
  readonly storedAnswers: StoredAnswers;
  readonly queries: Queries;
  readonly operatorQueries: OperatorQueries;
  readonly consoleQueries: ConsoleQueries;
  readonly treasuryQueries: TreasuryQueries;
  readonly webhookQueue: WebhookQueue;
  readonly receiverCircuits: ReceiverCircuits;
  readonly webhookTransport: WebhookTransport;
  readonly webhookFormats: WebhookFormats;
  readonly webhookSigner: WebhookSigner;
  /** Each prefix repeats the webhook headers under another name: `X-Paw` adds X-Paw-Signature. */
  readonly webhookHeaderPrefixes: readonly string[];
  /** Most webhooks that this process may send at a time. */
  readonly webhookPlacesMost: number;
  readonly vault: Vault;
  readonly riskScreener: RiskScreener;
  readonly rateBook: RateBook;
  readonly feeQuoter: FeeQuoter;
  readonly catalog: AssetCatalog;
  /**
   * Chains that are being read, and so may take live payments; grows while the service runs
   * (open-chains.ts).
   */
  readonly watchedChains: ReadonlySet<string>;
  /**
   * How well each configured chain is followed; null before the first result. Renewed while the
   * service runs (watch-health.ts).
   */
  readonly chainHealth: ReadonlyMap<string, ChainStanding | null>;
  /**
   * Live assets of open chains that cannot be read, because their contract does not match the
   * catalog. Grows likewise.
   */
  readonly unscannedAssets: ReadonlySet<string>;
  /** Chains that this gateway sends on, from this process or a worker. */
  readonly sendingChains: ReadonlySet<string>;
  /** Derivers of live addresses. A family without one cannot take live payments. */
  readonly liveDerivers: ReadonlyMap<Family, AddressDeriver>;
  /** One for every family. */
  readonly sandboxDerivers: ReadonlyMap<Family, AddressDeriver>;
  /** The highest indexes that this host issued from them, independent of the database's age. */
  readonly issuedIndexes: IssuedIndexes;
  readonly checkoutUrl: string;
  readonly version: string;
}
