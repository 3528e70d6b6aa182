/** Writes of the treasury: sweeps, frozen addresses, owner funding. Inside UnitOfWork.run only. */

import type { Outpoint } from '../../domain/chains/outpoint.ts';
import type { Block } from '../../domain/sending/outgoing.ts';
import type { Sweep } from '../../domain/sweeps/sweep.ts';
import type { AddressesAt, HotWalletAt, UnitsAtAddress } from './hot-wallet-at.ts';

/** Addresses of a chain, normalized. */
export interface AddressesOf {
  readonly chain: string;
  readonly addresses: readonly string[];
}

/**
 * Sweeps: they move the money of deposit addresses to the hot wallet. What is asked of many is by
 * sweep or address, and lacks those of which there is nothing to say.
 */
export interface SweepRepository {
  /**
   * Inserts sweeps of different places. Where one of the same chain, address and asset is open,
   * nothing is inserted; if the new one is forced, a planned one becomes forced instead. Returns
   * what was inserted and what became forced, as it is stored.
   */
  planAll(sweeps: readonly Sweep[]): Promise<readonly Sweep[]>;
  /** Not locked. */
  find(id: string): Promise<Sweep | null>;
  lock(id: string): Promise<Sweep | null>;
  /** By id, which is the order in which they are locked; without those that are not there. */
  lockAll(ids: readonly string[]): Promise<readonly Sweep[]>;
  save(sweep: Sweep): Promise<void>;
  /** The same for many locked ones. */
  saveAll(sweeps: readonly Sweep[]): Promise<void>;
  /** A chain's open sweeps by id, after `after`. Not locked. */
  open(chain: string, page: { after: string; limit: number }): Promise<readonly Sweep[]>;
  /**
   * A chain's ended sweeps of which a reorganisation reopened a transfer or delegation, by id. Not
   * locked.
   */
  undone(chain: string): Promise<readonly Sweep[]>;
  /** The open sweeps of the addresses, by id. */
  openAt(of: AddressesOf): Promise<readonly Sweep[]>;
  /** How many of a chain have an unsettled transfer. */
  countActive(chain: string): Promise<number>;
  /**
   * How many of a chain are planned for tokens and may begin soon, or as soon as the hot wallet has
   * gas for them.
   */
  countWantingGas(of: { chain: string; nativeAsset: string }): Promise<number>;
  /**
   * Those of the addresses that nothing may leave: a deposit is held or rejected, or the address is
   * frozen.
   */
  withheldAmong(of: AddressesOf): Promise<ReadonlySet<string>>;
  /** What arrived at the addresses in blocks up to `height` and is not credited. */
  undecidedUnits(at: AddressesOf & { height: number }): Promise<readonly UnitsAtAddress[]>;
  /** The highest block in which a sweep's transfer moved money from or to each address. */
  lastMovedAt(of: AddressesOf): Promise<ReadonlyMap<string, number>>;
  /**
   * By sweep, the units that `cover` would assign to it, including those it assigned. Not locked.
   */
  coverable(sweeps: readonly Sweep[]): Promise<ReadonlyMap<string, bigint>>;
  /**
   * Assigns to the sweeps, which are of different places, the deposits that they move: credited,
   * mined, of its address and asset, and not assigned to another sweep unless that failed. Returns
   * by sweep the units of all that are assigned to it. Deposits are locked in the order of ids,
   * those too that it assigned before.
   */
  cover(sweeps: readonly Sweep[]): Promise<ReadonlyMap<string, bigint>>;
  /** Releases the sweeps' deposits: another sweep may move them. */
  uncover(sweeps: readonly Sweep[]): Promise<void>;
}

/**
 * An address of ours whose owner changed on the chain, so that somebody else may spend from it
 * (safety.md T5), or an address of a replaced wallet.
 */
export interface FrozenAddress {
  readonly chain: string;
  /** Normalized. */
  readonly address: string;
  readonly reason: string;
  readonly at: Date;
}

/** Until an operator unfreezes an address, it is not swept and its deposits are unmatched. */
export interface FreezeRepository {
  /** Returns false if it is frozen already. */
  freeze(frozen: FrozenAddress): Promise<boolean>;
  /** Unfreezes it. Returns false if it is not frozen, or belongs to a replaced wallet. */
  thaw(place: { chain: string; address: string }): Promise<boolean>;
  /** Whether it is frozen on one of the chains. */
  isFrozen(place: { chains: readonly string[]; address: string }): Promise<boolean>;
  /** Null if it is not frozen. */
  find(place: { chain: string; address: string }): Promise<FrozenAddress | null>;
  /** Those of `addresses` that are frozen. */
  among(place: { chain: string; addresses: readonly string[] }): Promise<ReadonlySet<string>>;
}

/** The owner's money that entered or left a wallet of the gateway, as found at a block. */
export interface CapitalBooking {
  readonly id: string;
  readonly chain: string;
  readonly asset: string;
  /** Positive: put in; negative: taken out. */
  readonly units: bigint;
  readonly block: Block;
  readonly note: string;
  readonly at: Date;
  /** UTXO chains: the output. Null if it is the difference of a balance, at most one per block. */
  readonly coin: Outpoint | null;
  /** The deposit address of a difference, normalized; null for the hot wallet. */
  readonly address: string | null;
}

/** Whose difference of balances; `address` as in CapitalBooking. */
export type CapitalPlace = Pick<CapitalBooking, 'chain' | 'asset' | 'address'>;

export interface CapitalRepository {
  insert(booking: CapitalBooking): Promise<void>;
  /** The booking that was made last of an asset; null if there is none. */
  newest(place: { chain: string; asset: string }): Promise<Omit<CapitalBooking, 'coin'> | null>;
  /** Height of the newest booking of a difference at a place, no UTXO; null if there is none. */
  lastHeight(place: CapitalPlace): Promise<number | null>;
  /**
   * Whether `units`, above zero, take back at the address what was booked out there: one booking,
   * or all together. Base units.
   */
  takesBack(booking: CapitalPlace & { address: string; units: bigint }): Promise<boolean>;
  /** What the hot wallet should hold after the block at `height`, by asset key. */
  unitsOfHotWallet(at: HotWalletAt): Promise<ReadonlyMap<string, bigint>>;
  /** As TreasuryQueries has it. */
  unitsOfAddresses(at: AddressesAt): Promise<readonly UnitsAtAddress[]>;
}

/** What operators want forwarded now. */
export interface ForwardRequestRepository {
  /** One that is there already stays, with its time. */
  insert(request: ForwardRequest): Promise<void>;
  ofChain(chain: string): Promise<readonly ForwardRequest[]>;
  remove(asset: string): Promise<void>;
}

export interface ForwardRequest {
  readonly chain: string;
  readonly asset: string;
  readonly at: Date;
}
