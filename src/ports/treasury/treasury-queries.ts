/** What our wallets hold by our records: for sweeps, for operators and for reconciliation. */
import type { OutgoingPurpose } from '../../domain/sending/outgoing-purpose.ts';
import type { Sweep } from '../../domain/sweeps/sweep.ts';
import type { AddressesAt, HotWalletAt, UnitsAtAddress } from './hot-wallet-at.ts';
import type { FrozenAddress } from './treasury-repositories.ts';

export interface TreasuryQueries {
  /**
   * A page of a chain's deposit addresses after `after`, with what each holds that is credited,
   * mined and not swept. Left out: addresses with a held or rejected deposit, and assets with an
   * open sweep. `last` is the page's last address; null at the end. Swept deposits are not read.
   */
  sweepable(
    chain: string,
    page: {
      after: string;
      limit: number;
      /**
       * Also what a failed sweep left behind, which is not swept automatically, and planned sweeps.
       */
      onDemand: boolean;
    },
  ): Promise<{ readonly rows: readonly Sweepable[]; readonly last: string | null }>;
  /** Live payouts and refunds that wait for liquidity, by asset. */
  waitingForLiquidity(assets: readonly string[]): Promise<readonly WaitingPayouts[]>;
  /** The money at a chain's deposit addresses, by asset. */
  atDepositAddresses(chain: string): Promise<readonly AtDepositAddresses[]>;
  /**
   * Collectable money in pieces of less than `least` base units of their asset: per address or,
   * with `utxos`, per output. Assets without such pieces, or missing in `least`, are left out.
   */
  belowCost(of: {
    chain: string;
    utxos: boolean;
    least: ReadonlyMap<string, bigint>;
  }): Promise<readonly BelowCost[]>;
  /** Unbooked funding of these chains' hot wallets, oldest first. */
  unbookedFunding(chains: readonly string[], limit: number): Promise<readonly UnbookedFunding[]>;
  /** Unsettled transfers, by purpose and asset. */
  onTheWay(
    chain: string,
  ): Promise<readonly { purpose: OutgoingPurpose; asset: string; count: number; units: bigint }[]>;
  /**
   * A chain's open sweeps, ended ones with an open transfer, and failed ones whose money is still
   * there; newest first.
   */
  sweepsToLookAt(chain: string, limit: number): Promise<readonly Sweep[]>;
  /**
   * A chain's addresses that ever had a deposit, by address, after `after`; none of replaced
   * wallets.
   */
  depositAddresses(chain: string, page: { after: string; limit: number }): Promise<readonly string[]>;
  /** The same for every address ever issued for the family. */
  issuedAddresses(
    of: { chain: string; family: string },
    page: { after: string; limit: number },
  ): Promise<readonly string[]>;
  /** Those of them without any deposit on the chain. */
  unpaidAddresses(
    of: { chain: string; family: string },
    page: { after: string; limit: number },
  ): Promise<readonly string[]>;
  /** A chain's addresses that are frozen because their owner changed, oldest first. */
  frozenAddresses(chain: string): Promise<readonly FrozenAddress[]>;
  /**
   * What the addresses should hold after the block at `height`, by our records: deposits and gas
   * that arrived and owner funding booked there, less what left and network fees. Transfers of
   * `apart` are left out.
   */
  unitsOfAddresses(at: AddressesAt): Promise<readonly UnitsAtAddress[]>;
  /** The same for the hot wallet: sweeps and its owner funding, less what left. */
  unitsOfHotWallet(at: HotWalletAt): Promise<ReadonlyMap<string, bigint>>;
  /** For each asset of the chain, the ledger's treasury account and the records it is made from. */
  treasuryBooks(
    chain: string,
    assets: readonly string[],
    nativeAsset: string,
  ): Promise<readonly TreasuryBook[]>;
}

export interface Sweepable {
  readonly address: string;
  readonly asset: string;
  readonly units: bigint;
}

export interface UnbookedFunding {
  readonly chain: string;
  readonly txid: string;
  readonly vout: number;
  /** Normalized. */
  readonly address: string;
  readonly units: bigint;
  /** Null if it is in no known block. */
  readonly height: number | null;
}

export interface WaitingPayouts {
  readonly asset: string;
  readonly count: number;
  readonly units: bigint;
}

export interface AtDepositAddresses {
  readonly asset: string;
  /** Credited and not swept. */
  readonly sweepableUnits: bigint;
  /** Not final, or waiting for an operator. */
  readonly undecidedUnits: bigint;
}

export interface BelowCost {
  readonly asset: string;
  /** Addresses or outputs. */
  readonly count: number;
  readonly units: bigint;
}

export interface TreasuryBook {
  readonly asset: string;
  readonly recordedUnits: bigint;
  readonly ledgerUnits: bigint;
}
