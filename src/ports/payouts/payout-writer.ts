/** The hot write path of POST /payouts: requests of the same moment are decided and written together (performance.md). */
import type { IdempotencyRecord, PayoutOutcome } from '../../domain/payouts/payout-acceptance.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { Once, StoredAnswer } from '../invoices/stored-answers.ts';
import type { NewEntry } from '../repositories.ts';

export interface PayoutWriter {
  /**
   * Decides the request as if it were alone after all earlier ones, and durably writes what is accepted: payouts, their
   * ledger entries and the X-Uniq-Id, in one commit. Times are moved so that they do not run backwards in the merchant's
   * lists. Throws KeyTaken, and writes nothing, when the key of its `once` stands, or another request has it right now.
   * Throws StorageUnavailable when the database is away.
   */
  add(request: PayoutRequest): Promise<PayoutOutcome>;
}

export interface PayoutRequest extends IdempotencyRecord {
  /** One, or the items of a batch. */
  readonly items: readonly PayoutItem[];
  /** What is answered for the outcome is stored in the same commit; null where it is refused, and its key stays free. */
  readonly once?: Once<PayoutOutcome, StoredAnswer | null> | null;
}

export interface PayoutItem {
  /** Looked for among the addresses that were given out; null when it was refused before that. */
  readonly destination: { readonly family: string; readonly address: string } | null;
  /** What is written when it is accepted; null when a rule that needs no database refuses it. */
  readonly wanted: WantedPayout | null;
}

export interface WantedPayout {
  readonly payout: Payout;
  /** The payout_reserved entry of it. */
  readonly entry: NewEntry;
}
