/**
 * The hot write path of POST /payouts: requests of the same moment are decided and written together
 * (performance.md).
 */
import type { PayoutOutcome, UniqIdClaim } from '../../domain/payouts/payout-acceptance.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { NewEntry } from '../ledger-repository.ts';
import type { Once, StoredAnswer } from '../stored-answers.ts';

export interface PayoutWriter {
  /**
   * Decides the request as if it came alone after all earlier ones, and writes what is accepted in
   * one durable commit: payouts, their ledger entries and the X-Uniq-Id. Creation times are moved
   * forward where they would run backwards in the merchant's lists. Writes nothing and throws
   * IdempotencyKeyTaken when the key of its `once` is used or in use, StorageUnavailable when the
   * database is away.
   */
  add(request: PayoutRequest): Promise<PayoutOutcome>;
}

export interface PayoutRequest extends UniqIdClaim {
  /** One, or the items of a batch. */
  readonly items: readonly PayoutItem[];
  /** Its response is stored in the same commit; null if it is refused, and the key stays unused. */
  readonly once?: Once<PayoutOutcome, StoredAnswer | null> | null;
}

export interface PayoutItem {
  /** Compared with the issued addresses; null if it was refused before that. */
  readonly destination: { readonly family: string; readonly address: string } | null;
  /** Written if it is accepted; null if a rule refused it without the database. */
  readonly toWrite: PayoutToWrite | null;
}

export interface PayoutToWrite {
  readonly payout: Payout;
  /** Its `payout_reserved` entry. */
  readonly entry: NewEntry;
}
