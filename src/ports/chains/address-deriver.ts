/** Derives the deposit addresses of one chain family from public keys only. */
export interface AddressDeriver {
  /** The family, for example `evm` (specification, "Permanent deposit address"). */
  readonly family: string;
  /**
   * Addresses of the derivation indexes `from` .. `from + count - 1`, in order, in the family's
   * canonical text form (EVM: EIP-55 checksummed). An index always gives the same address. No
   * network. Without public derivation (Solana) they come from the pool that the signer filled.
   */
  derive(range: IndexRange): readonly string[] | Promise<readonly string[]>;
  /**
   * Address of the family's hot wallet, which sends payouts (EVM: m/44'/60'/0'/1/0, a change
   * address). Null for Monero, which is only received: its spend key is never here.
   */
  hotWallet(): string | null;
  /** The form in which an address is stored and found (EVM: lower case); null if it is none. */
  normalize(address: string): string | null;
  /**
   * Splits an address of a shared account into account and tag (XRP: classic address and
   * destination tag; an X-address holds both); null if it is no address of the family. Absent in
   * families without shared accounts.
   */
  parts?(address: string): AddressParts | null;
}

export interface AddressParts {
  readonly account: string;
  /** Null: the bare account. */
  readonly tag: number | null;
}

export interface IndexRange {
  readonly from: number;
  readonly count: number;
}

/** Derives from a public key alone, synchronously. */
export interface OfflineDeriver extends AddressDeriver {
  derive(range: IndexRange): readonly string[];
}
