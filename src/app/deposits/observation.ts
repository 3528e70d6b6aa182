/** A transfer as it was read from a chain. */
import type { Family } from '../../domain/catalog/family.ts';
import type { PaymentTime } from '../../domain/chains/payment-time.ts';
import type { Transfer } from '../../ports/chains/chain-scanner.ts';

/** Where and when a transfer was seen: in a block, or (null) in the mempool. */
export interface Observation extends PaymentTime {
  readonly chain: string;
  readonly family: Family;
  /**
   * The wallet whose incoming payments the scanner reports (coins, pooled deposits), normalized.
   * Else null.
   */
  readonly hotWallet: string | null;
  readonly block: { readonly height: number; readonly hash: string } | null;
}

export interface ObservedTransfer {
  readonly transfer: Transfer;
  readonly at: Observation;
}
