/** Tells the deposit addresses of one network family from public material only; never touches a private key. */
export interface AddressDeriver {
  /** The network family served, for example `evm` (specification, "Permanent deposit address"). */
  readonly family: string;
  /**
   * Addresses for the derivation indexes `from` .. `from + count - 1`, in order, in the family's canonical
   * text form (EVM: EIP-55 checksummed). The same index gives the same address for ever. No network; where keys have no
   * public derivation (Solana), from those that the signer derived ahead.
   */
  derive(range: IndexRange): readonly string[] | Promise<readonly string[]>;
  /**
   * Address of the family's hot wallet, from which payouts are sent (EVM: m/44'/60'/0'/1/0, a change address). Null for a
   * family that is only received: Monero, whose spend key is never here.
   */
  hotWallet(): string | null;
  /** The canonical key under which an address is stored and looked up (EVM: lower case), or null if it is not an address of this family. */
  normalize(address: string): string | null;
  /**
   * The account that an address is a share of, and its share, where addresses of many are of one account (XRP: classic address
   * and destination tag; an X-address holds both); null when it is not an address of the family. Families of which every address
   * stands for itself have no such method.
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

/** Derives from a public key alone, at once. */
export interface OfflineDeriver extends AddressDeriver {
  derive(range: IndexRange): readonly string[];
}
