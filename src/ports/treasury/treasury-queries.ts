/** Reading what our wallets hold by our records: for planning sweeps, for operators, and for holding the books against the chain. */
import type { OutgoingPurpose } from '../../domain/sending/outgoing.ts';
import type { Sweep } from '../../domain/sweeps/sweep.ts';
import type { HotWalletAt } from './hot-wallet-at.ts';
import type { FrozenAddress } from './treasury-repositories.ts';

export interface TreasuryQueries {
  /**
   * A page of deposit addresses of a chain, from the one after `after` on: what each holds that is credited, in a block and
   * not swept, unless a deposit of the address is held or rejected or a sweep of the asset is open. `last` is
   * the page's last address; null at the end. The history of what was swept is not read.
   */
  sweepable(
    chain: string,
    page: {
      after: string;
      limit: number;
      /** Also what a failed sweep left behind, which sweeping by itself does not try again, and what a planned one waits with. */
      onDemand: boolean;
    },
  ): Promise<{ readonly rows: readonly Sweepable[]; readonly last: string | null }>;
  /** Live payouts and refunds that wait for liquidity, by asset. */
  waitingForLiquidity(assets: readonly string[]): Promise<readonly WaitingPayouts[]>;
  /** What lies at the deposit addresses of a chain, by asset. */
  atDepositAddresses(chain: string): Promise<readonly AtDepositAddresses[]>;
  /**
   * Of what is ours to collect, what lies in pieces worth less than `least` base units of their asset: at an address in all, or, with
   * `utxos`, in one output. Assets without such pieces, or that `least` does not name, are left out.
   */
  belowCost(of: {
    chain: string;
    utxos: boolean;
    least: ReadonlyMap<string, bigint>;
  }): Promise<readonly BelowCost[]>;
  /** What came to the hot wallet's own address and is not booked yet, oldest first; of the chains that are named. */
  unbookedFunding(chains: readonly string[], limit: number): Promise<readonly UnbookedFunding[]>;
  /** Transfers on their way, by purpose and asset. */
  onTheWay(
    chain: string,
  ): Promise<readonly { purpose: OutgoingPurpose; asset: string; count: number; units: bigint }[]>;
  /** Sweeps of a chain that are open, ended ones of which a transfer is open, and failed ones whose money is still there; youngest first. */
  sweepsToLookAt(chain: string, limit: number): Promise<readonly Sweep[]>;
  /** Addresses of a chain that ever had a deposit, by address, from the one after `after` on; none of a wallet that was replaced. */
  depositAddresses(chain: string, page: { after: string; limit: number }): Promise<readonly string[]>;
  /** The same of every address that was ever given out for the family. */
  issuedAddresses(
    of: { chain: string; family: string },
    page: { after: string; limit: number },
  ): Promise<readonly string[]>;
  /** Those of them that never had a deposit on the chain. */
  unpaidAddresses(
    of: { chain: string; family: string },
    page: { after: string; limit: number },
  ): Promise<readonly string[]>;
  /** Addresses of a chain that are frozen because their owner changed (treasury-repositories.ts), oldest first. */
  frozenAddresses(chain: string): Promise<readonly FrozenAddress[]>;
  /**
   * What the addresses should have after the block at `height`, by our records: deposits that stand and gas that was sent
   * to them, less what left them and what the network took. Transfers of `apart` are left out.
   */
  unitsOfAddresses(at: {
    chain: string;
    nativeAsset: string;
    height: number;
    addresses: readonly string[];
    apart: readonly string[];
  }): Promise<readonly { address: string; asset: string; units: bigint }[]>;
  /** The same for the hot wallet: sweeps, and the operator's capital, less what left it. */
  unitsOfHotWallet(at: HotWalletAt): Promise<ReadonlyMap<string, bigint>>;
  /** The ledger's treasury account against the records it is made from, as they are now, for each asset of the chain. */
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
  /** Null when it is in no block that is known. */
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
  /** Not decided: not final, or with the operator. */
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
