/**
 * Transactions of our hot wallets that this gateway did not sign, as far as its database knows: somebody used the wallet elsewhere,
 * or an older backup was put back (safety.md K4). Inside UnitOfWork.run, as all repositories.
 */

import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { Block } from '../../domain/sending/outgoing.ts';
import type { UnknownTransaction } from './chain-scanner.ts';

/** `payments` without what it brought back to us. */
export interface NotedTransaction extends UnknownTransaction {
  readonly chain: string;
  /** Normalized. */
  readonly wallet: string;
  /** Null while the block in which it was noted is not on the chain any more. */
  readonly block: Block | null;
  /** When its block was mined, by the chain or by us, whichever says earlier. */
  readonly minedAt: Date;
  readonly notedAt: Date;
}

export interface UnknownTransactionRepository {
  /**
   * False when it was noted before: it takes the block that it is in now. True again for one that had paid nobody where it was noted, and
   * paid somebody in that block.
   */
  note(transaction: NotedTransaction & { readonly block: Block }): Promise<boolean>;
  /** Blocks above that height left the chain. */
  orphanAbove(chain: string, height: number): Promise<void>;
  /** Whether one was noted since then that may have paid more than operators found payouts for. */
  paidSince(chain: string, since: Date): Promise<boolean>;
  lock(chain: string, txid: string): Promise<NotedTransaction | null>;
  /** An operator found that it paid this payout. */
  found(payment: { chain: string; txid: string; payoutId: string; at: Date }): Promise<void>;
  /** The payouts that were found so. */
  foundFor(chain: string, txid: string): Promise<readonly Pick<Payout, 'asset' | 'address' | 'sentUnits'>[]>;
  /** How many nonces of the wallet in `from` .. `below` - 1 were used by noted ones. */
  countNonces(of: { chain: string; wallet: string; from: bigint; below: bigint }): Promise<bigint>;
}
