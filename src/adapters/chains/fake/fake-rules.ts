/**
 * What a fake chain asks about its money, be that in accounts (fake-money.ts) or in UTXOs
 * (fake-utxos.ts).
 */
import type { Transfer } from '../../../ports/chains/chain-scanner.ts';
import type { FakeTransaction } from './chain-state.ts';

/**
 * What a tester can do to the money. Reverts are for accounts: a UTXO chain refuses those orders.
 */
export interface FakeMoneyControl {
  /**
   * Gives `units` to `address`, as if it had had them from the first block on: no transaction,
   * nothing for the scanner. On a UTXO chain a block of its own brings them, in a transaction from
   * outside.
   */
  fund(address: string, asset: string, units: bigint): void;
  /** At the newest block, in base units. */
  balanceOf(address: string, asset: string): bigint;
  /**
   * While on, transactions of wallets to `address` revert; the sender can tell before (a
   * blacklist).
   */
  refuse(address: string, on: boolean): void;
  /**
   * Payments of the chain's coin to `address` take so much weight beyond an ordinary one, as a
   * contract's do. A transaction that was given less fails, for all that it was given.
   */
  demand(address: string, weight: bigint): void;
  /** The next transaction of a wallet to `address` reverts in its block; nobody can tell before. */
  revertNext(address: string): void;
  /**
   * While on, transfers of the token `asset` do nothing, but succeed (safety.md E4); nobody can
   * tell before.
   */
  failSilently(asset: string, on: boolean): void;
  /** Fees in percent of the usual ones. Transactions that offer less than a block asks for wait. */
  setFeeLevel(percent: number): void;
}

export interface FakeRules {
  readonly control: FakeMoneyControl;
  readonly nativeAsset: string;
  /** Throws for an asset that is not of this chain. */
  checkAsset(asset: string): void;
  /**
   * Executes what can be executed as block `height`, and answers it as it is in the block, and what
   * goes on waiting. Those in `reverted` fail.
   */
  execute(block: {
    height: number;
    candidates: readonly FakeTransaction[];
    reverted: readonly string[];
    unexplained: readonly Transfer[];
  }): { mined: readonly FakeTransaction[]; waiting: readonly FakeTransaction[] };
  /** Forgets what the blocks above `height` did. */
  cut(height: number): void;
  /** A transaction of a block as it waited before. */
  asItWaited(transaction: FakeTransaction): FakeTransaction;
  /** One that spends the same money to the address `to`. */
  rival(transaction: FakeTransaction, other: { to: string; txid: string }): FakeTransaction;
}

/** Throws for assets that are not among `assets`. */
export function assetCheck(chain: string, assets: readonly { readonly asset: string }[]) {
  return (asset: string): void => {
    if (!assets.some((known) => known.asset === asset)) throw new Error(`${chain} has no asset ${asset}`);
  };
}

/** Throws for what is no level of fees. */
export function feeLevel(percent: number): bigint {
  if (!Number.isSafeInteger(percent) || percent < 1) throw new RangeError(`no fee level: ${percent}`);
  return BigInt(percent);
}

/** The same payments, all to another address. */
export function paidTo(
  transaction: FakeTransaction,
  { to, txid }: { to: string; txid: string },
): FakeTransaction {
  return { ...transaction, txid, transfers: transaction.transfers.map((each) => ({ ...each, txid, to })) };
}
