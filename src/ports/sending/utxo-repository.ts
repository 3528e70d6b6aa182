/** The UTXOs that our keys can spend. Like all repositories, inside UnitOfWork.run only. */

import type { Outpoint } from '../../domain/chains/outpoint.ts';
import type { Deposit } from '../../domain/deposits/deposit.ts';
import type { Block } from '../../domain/sending/outgoing.ts';
import type { Utxo } from './utxo-spending.ts';

export interface UtxoRepository {
  /**
   * Inserts the change of our own transactions. It is free once `settle` names its block. Known
   * ones stay as they are.
   */
  insert(chain: string, utxos: readonly Utxo[]): Promise<void>;
  /**
   * Inserts credited deposits of a family as they are stored, but for those that carry tokens
   * (safety.md U8). No effect on other chains.
   */
  insertDeposits(deposits: readonly Pick<Deposit, 'id'>[], family: string): Promise<void>;
  /** Removes the UTXO of a reversed deposit. One that is claimed stays with its batch. */
  removeDeposit(deposit: Deposit): Promise<void>;
  /**
   * Inserts money that arrived at the hot wallet from outside; seen again, it takes the new block.
   */
  insertFunding(chain: string, utxo: Omit<Utxo, 'key'>, block: Block): Promise<void>;
  /**
   * The same for the change of an unknown transaction of ours (safety.md K4), at a change address.
   * What that transaction spent is booked out of the capital (markSpentOutside), so its change is
   * booked into it, as funding is.
   */
  insertChange(chain: string, utxo: Utxo, block: Block): Promise<void>;
  /** Whether it arrived at the hot wallet, booked or not. */
  isFunding(chain: string, utxo: Outpoint): Promise<boolean>;
  /**
   * Of these outputs, `txid:vout`, those that paid us, spent or not, deposits that are no UTXO yet
   * included. Those of replaced wallets are left out.
   */
  ours(chain: string, outpoints: readonly string[]): Promise<ReadonlySet<string>>;
  /** Sum of what is unbooked in blocks up to `height`, base units. */
  unbookedUnits(chain: string, height: number): Promise<bigint>;
  /** Removes what turned out to be no funding: unbooked, at the hot wallet. */
  removeFunding(chain: string, utxo: Outpoint): Promise<void>;
  /**
   * Removes the block of deposits, funding and unknown transactions' change above `height` until
   * they are seen in one again; not of what is in a block of `kept` (hashes).
   */
  orphanAbove(chain: string, height: number, kept?: readonly string[]): Promise<void>;
  /**
   * Unclaimed and undisputed UTXOs in blocks up to `finalHeight`, largest first. Not locked:
   * `claim` decides.
   */
  free(chain: string, finalHeight: number, limit: number): Promise<readonly Utxo[]>;
  /** Sum of all that `free` selects from, base units. */
  freeUnits(chain: string, finalHeight: number): Promise<bigint>;
  /**
   * Claims all of them for a batch. If one is not free any more, or in no block (unless `waiting`),
   * nothing is claimed and false is returned. A waiting one may be in doubt: it was missing because
   * its block was gone.
   */
  claim(
    chain: string,
    transferBatchId: string,
    utxos: readonly Utxo[],
    options?: { waiting?: boolean },
  ): Promise<boolean>;
  /** Whether a batch claims any of them. */
  isClaimed(chain: string, utxos: readonly Outpoint[]): Promise<boolean>;
  /** What a batch spends, in a fixed order. */
  ofBatch(transferBatchId: string): Promise<readonly Utxo[]>;
  /** Those of `utxos` that are stored, claimed or not. */
  named(chain: string, utxos: readonly Outpoint[]): Promise<readonly Utxo[]>;
  /** Those of a batch that are in no block, or in none any more: they cannot be spent. */
  lostOf(transferBatchId: string): Promise<readonly Utxo[]>;
  /**
   * Marks UTXOs that somebody else may have spent: they are not free until the mark is removed.
   * On those that are booked out it has no effect.
   */
  doubt(chain: string, utxos: readonly Utxo[], doubted: boolean): Promise<void>;
  /** Marked ones that are in a block by our records, and not booked out (markSpentOutside). */
  doubted(chain: string, limit: number): Promise<readonly Utxo[]>;
  /** Frees the UTXOs of a batch, except `spent`: no signed transaction can spend them any more. */
  release(transferBatchId: string, spent?: readonly Outpoint[]): Promise<void>;
  /** Sets the block of the change of our transaction; null: it is in none. */
  settle(chain: string, txid: string, height: number | null): Promise<void>;
  /**
   * Unbooked funding and change of unknown transactions in blocks up to `finalHeight`, of one
   * transaction only if it is named. Locked.
   */
  lockUnbooked(
    chain: string,
    finalHeight: number,
    limit: number,
    txid?: string,
  ): Promise<readonly (Utxo & { readonly block: Block })[]>;
  /** What was booked and is in no block any more, with the block it was booked for. Locked. */
  lockBookedInVain(chain: string, limit: number): Promise<readonly (Utxo & { readonly block: Block })[]>;
  markBooked(chain: string, utxo: Outpoint, booked: boolean): Promise<void>;
  /**
   * Makes outputs of a transaction of ours our own that were noted as what no transaction of ours
   * brought: from now on they are never booked. Returns those that are booked, with the block that
   * they are noted in.
   */
  adopt(chain: string, utxos: readonly Outpoint[]): Promise<readonly (Utxo & { readonly block: Block })[]>;
  /**
   * Marks a UTXO as spent without the gateway: it is never free and never standing, until the mark
   * is removed. Then it stays in doubt. Returns it; null, and nothing changes, if it has that state
   * already; to be marked, if it is claimed or in no block up to `finalHeight`; to be taken back,
   * if it is in a block or in none, other than `inBlock` says: the watcher may have been there
   * first.
   */
  markSpentOutside(
    chain: string,
    utxo: Outpoint,
    mark: { isSpent: true; finalHeight: number } | { isSpent: false; inBlock: boolean },
  ): Promise<Utxo | null>;
  /**
   * Those marked so: in a block or, with `inBlock` false, in none any more. By outpoint, after
   * `after`.
   */
  spentOutside(
    chain: string,
    page: { inBlock: boolean; after: Outpoint | null; limit: number },
  ): Promise<readonly Utxo[]>;
  /** UTXOs that should be unspent: in a block, in no signed batch. By outpoint, after `after`. */
  standing(chain: string, page: { after: Outpoint | null; limit: number }): Promise<readonly Utxo[]>;
  /**
   * Mined outputs of deposits that are not credited, unmatched included. By outpoint, after
   * `after`.
   */
  uncredited(chain: string, page: { after: Outpoint | null; limit: number }): Promise<readonly Outpoint[]>;
}
