/** Writing what the treasury does: sweeps, and the operator's own money. As in repositories.ts, inside UnitOfWork.run only. */

import type { Outpoint } from '../../domain/chains/outpoint.ts';
import type { Block } from '../../domain/sending/outgoing.ts';
import type { Sweep } from '../../domain/sweeps/sweep.ts';
import type { HotWalletAt } from './hot-wallet-at.ts';

/** Jobs that bring the money of deposit addresses to the hot wallet. */
export interface SweepRepository {
  /** False when one of the same chain, address and asset is open; one that waits to begin becomes forced instead, if this one is. */
  plan(sweep: Sweep): Promise<boolean>;
  lock(id: string): Promise<Sweep | null>;
  save(sweep: Sweep): Promise<void>;
  /** Open sweeps of a chain by id, from the one after `after` on. Not locked. */
  open(chain: string, page: { after: string; limit: number }): Promise<readonly Sweep[]>;
  /** Sweeps of a chain that had ended, and of which a transfer or loan was made open again by a reorganisation. Not locked. */
  undone(chain: string): Promise<readonly Sweep[]>;
  openAt(place: { chain: string; address: string }): Promise<readonly Sweep[]>;
  /** How many of a chain have a transfer on its way. */
  countActive(chain: string): Promise<number>;
  /** Whether the risk check keeps a deposit of the address, an operator rejected one, or it is frozen: nothing leaves it then. */
  isWithheld(place: { chain: string; address: string }): Promise<boolean>;
  /** Units of an asset that arrived at the address in blocks up to `height` and are not credited. */
  undecidedUnits(at: { chain: string; address: string; asset: string; height: number }): Promise<bigint>;
  /** The highest block in which a transfer of a sweep moved something at the address, or to it; null when none did. */
  lastMovedAt(place: { chain: string; address: string }): Promise<number | null>;
  /** Units that `cover` would tie to the sweep, with those that it did tie. Not locked. */
  coverable(sweep: Sweep): Promise<bigint>;
  /**
   * Ties the deposits to the sweep that it moves: of its address and asset, credited, in a block, and not swept by another
   * that did not fail. Answers the units of all that are tied to it.
   */
  cover(sweep: Sweep): Promise<bigint>;
  /** Lets the sweep's deposits go: another sweep may move them. */
  uncover(sweep: Sweep): Promise<void>;
}

/**
 * An address of ours whose owner changed on the chain, so that somebody else may spend from it (safety.md T5), or one of a wallet that
 * was replaced.
 */
export interface FrozenAddress {
  readonly chain: string;
  /** Normalized. */
  readonly address: string;
  readonly reason: string;
  readonly at: Date;
}

/** Nothing is swept from a frozen address, and what arrives there is parked, until an operator says that it is ours again. */
export interface FreezeRepository {
  /** False when it is frozen already. */
  freeze(frozen: FrozenAddress): Promise<boolean>;
  /** False when it was not frozen, or is of a wallet that was replaced. */
  thaw(place: { chain: string; address: string }): Promise<boolean>;
  /** On one of the chains. */
  isFrozen(place: { chains: readonly string[]; address: string }): Promise<boolean>;
  /** Those of `addresses` that are frozen. */
  among(place: { chain: string; addresses: readonly string[] }): Promise<ReadonlySet<string>>;
}

/** The operator's own money in a hot wallet, as it was found at a block. */
export interface CapitalBooking {
  readonly id: string;
  readonly chain: string;
  readonly asset: string;
  /** Positive: put in; negative: taken out. */
  readonly units: bigint;
  readonly block: Block;
  readonly note: string;
  readonly at: Date;
  /** What came in, on a UTXO chain; null where it is the difference of a balance, of which a block has one. */
  readonly coin: Outpoint | null;
}

export interface CapitalRepository {
  insert(booking: CapitalBooking): Promise<void>;
  /** Height of the youngest booking of an asset; null when there is none. */
  lastHeight(place: { chain: string; asset: string }): Promise<number | null>;
  /** What the hot wallet should have after the block at `height`, by asset key (treasury-queries.ts, unitsOfHotWallet). */
  unitsOfHotWallet(at: HotWalletAt): Promise<ReadonlyMap<string, bigint>>;
}
