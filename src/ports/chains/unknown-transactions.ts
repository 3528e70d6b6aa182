/**
 * Transactions of our hot wallets that this database does not know: somebody used the wallet
 * elsewhere, or an older backup was restored (safety.md K4). Inside UnitOfWork.run only.
 */

import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { Block } from '../../domain/sending/outgoing.ts';
import type { UnknownTransaction } from './chain-scanner.ts';

/** `payments` without its change. */
export interface NotedTransaction extends UnknownTransaction {
  readonly chain: string;
  /** Normalized. */
  readonly wallet: string;
  /** Null if its block left the chain. */
  readonly block: Block | null;
  /** When its block was mined: the earlier of the chain's clock and ours. */
  readonly minedAt: Date;
  readonly notedAt: Date;
}

export interface UnknownTransactionRepository {
  /**
   * Notes it. Returns false if it was noted before: it takes its present block. True again if it
   * had paid nobody before and paid somebody in this block.
   */
  note(transaction: NotedTransaction & { readonly block: Block }): Promise<boolean>;
  /**
   * Removes the blocks above `height` but for `kept` (hashes): they left the chain. Returns whether
   * there were any.
   */
  orphanAbove(chain: string, height: number, kept?: readonly string[]): Promise<boolean>;
  /**
   * Whether one noted since then may have paid more than the payouts that operators found for it.
   */
  paidSince(chain: string, since: Date): Promise<boolean>;
  /** Height of the newest block of the chain that has one; null if none has. */
  newestBlock(chain: string): Promise<number | null>;
  lock(chain: string, txid: string): Promise<NotedTransaction | null>;
  /** An operator found that it paid this payout. */
  found(payment: { chain: string; txid: string; payoutId: string; at: Date }): Promise<void>;
  /** The payouts found for it. */
  foundFor(chain: string, txid: string): Promise<readonly Pick<Payout, 'asset' | 'address' | 'sentUnits'>[]>;
  /** How many of the wallet's nonces in `from` .. `below` - 1 noted transactions used. */
  countNonces(of: { chain: string; wallet: string; from: bigint; below: bigint }): Promise<bigint>;
}
