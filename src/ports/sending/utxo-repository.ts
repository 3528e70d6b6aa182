/** Coins of chains like Bitcoin: what our keys can spend. As in repositories.ts, inside UnitOfWork.run only. */

import type { Outpoint } from '../../domain/chains/outpoint.ts';
import type { Deposit } from '../../domain/deposits/deposit.ts';
import type { Block } from '../../domain/sending/outgoing.ts';
import type { Utxo } from './chain-sender.ts';

export interface UtxoRepository {
  /** Notes UTXOs that a transaction of ours gives back; they are free once `settle` names its block. Known ones stay as they are. */
  insert(chain: string, utxos: readonly Utxo[]): Promise<void>;
  /** A credited deposit becomes a UTXO, unless it carries something besides (safety.md U8). Nothing happens on other chains. */
  insertDeposit(deposit: Deposit, family: string): Promise<void>;
  /** The deposit was reversed: its UTXO is not spent. One that is claimed stays with its batch. */
  removeDeposit(deposit: Deposit): Promise<void>;
  /** What arrived at the hot wallet's address from outside, in a block. Seen again it takes that block. */
  insertFunding(chain: string, utxo: Omit<Utxo, 'key'>, block: Block): Promise<void>;
  /** The same for change of a transaction of ours that is not known here (safety.md K4): `key` is that of a change address. */
  insertChange(chain: string, utxo: Utxo, block: Block): Promise<void>;
  /** Whether it came in as funding, booked or not. */
  isFunding(chain: string, utxo: Outpoint): Promise<boolean>;
  /** Of these outputs, `txid:vout`, those that paid us, spent or not: UTXOs, and deposits that are none yet; without those of former wallets. */
  ours(chain: string, outpoints: readonly string[]): Promise<ReadonlySet<string>>;
  /** Sum of the funding in blocks up to `height` that is not booked, base units. */
  unbookedUnits(chain: string, height: number): Promise<bigint>;
  /** It was no funding after all. */
  removeFunding(chain: string, utxo: Outpoint): Promise<void>;
  /** Deposits and funding above this height are in no block that is known, until they are seen in one again. */
  orphanAbove(chain: string, height: number): Promise<void>;
  /** Coins that nobody claimed and nothing is doubtful about, in blocks up to `finalHeight`, largest first. Not locked: `claim` decides. */
  free(chain: string, finalHeight: number, limit: number): Promise<readonly Utxo[]>;
  /** Sum of the UTXOs that `free` draws from, base units. */
  freeUnits(chain: string, finalHeight: number): Promise<bigint>;
  /** False, and nothing is claimed, when one of them is not free any more: also when no block has it, unless `waiting`. */
  claim(
    chain: string,
    transferBatchId: string,
    utxos: readonly Utxo[],
    options?: { waiting?: boolean },
  ): Promise<boolean>;
  /** What a batch spends, in a fixed order. */
  ofBatch(transferBatchId: string): Promise<readonly Utxo[]>;
  /** Those of `utxos` that are known, whoever claimed them. */
  named(chain: string, utxos: readonly Outpoint[]): Promise<readonly Utxo[]>;
  /** Those of a batch's that are in no block, or not any more: nobody can spend them. */
  lostOf(transferBatchId: string): Promise<readonly Utxo[]>;
  /** Coins that somebody else may have spent are not free while they are doubted. */
  doubt(chain: string, utxos: readonly Utxo[], doubted: boolean): Promise<void>;
  /** Those that are doubted and in a block by our records. */
  doubted(chain: string, limit: number): Promise<readonly Utxo[]>;
  /** Its UTXOs are claimed by nobody, but for those `spent`: nothing was signed that spends them, or it never happens any more. */
  release(transferBatchId: string, spent?: readonly Outpoint[]): Promise<void>;
  /** The UTXOs that a transaction of ours gives back are in this block, or (null) in none. */
  settle(chain: string, txid: string, height: number | null): Promise<void>;
  /** Funding in blocks up to `finalHeight` that is not in the ledger yet, of one transaction alone if it is named. Locked. */
  lockUnbooked(
    chain: string,
    finalHeight: number,
    limit: number,
    txid?: string,
  ): Promise<readonly (Utxo & { readonly block: Block })[]>;
  /** Funding that is in the ledger and in no block any more, with the block that it was booked for. Locked. */
  lockBookedInVain(chain: string, limit: number): Promise<readonly (Utxo & { readonly block: Block })[]>;
  markBooked(chain: string, utxo: Outpoint, booked: boolean): Promise<void>;
  /** Coins that should be unspent on the chain: in a block, and claimed by no batch that was signed. By outpoint, after `after`. */
  standing(chain: string, page: { after: Outpoint | null; limit: number }): Promise<readonly Utxo[]>;
  /** Outputs of deposits in a block that are no UTXOs yet: not final, not credited, or stray. By outpoint, after `after`. */
  uncredited(chain: string, page: { after: Outpoint | null; limit: number }): Promise<readonly Outpoint[]>;
}
