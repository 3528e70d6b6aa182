/** Issued addresses and derivation indexes. Inside UnitOfWork.run only. */

/** Every address ever issued: a payment to any of them is found. */
export interface AddressRepository {
  /** An invoice has one address of its own per family, besides retired ones. */
  insert(address: IssuedAddress): Promise<void>;
  /**
   * Lets the invoice take another address of the family. The retired one stays the invoice's:
   * payments to it are found.
   */
  retire(of: { invoiceId: string; family: string }): Promise<void>;
  /** By normalized address. */
  find(family: string, addresses: readonly string[]): Promise<readonly IssuedAddress[]>;
  /** Whether a normalized address was issued, or took our change. */
  isOurs(family: string, address: string): Promise<boolean>;
  /**
   * Reserves `count` derivation indexes of a deriver, none below `atLeast`, and returns the first.
   * Gaps are harmless.
   */
  reserveIndexes(wanted: { deriver: string; count: number; atLeast: number }): Promise<number>;
  /** How many were reserved so far; 0 for an unknown deriver. */
  reservedIndexes(deriver: string): Promise<number>;
  /** The same for all derivers. */
  allReservedIndexes(): Promise<ReadonlyMap<string, number>>;
  /** By deriver: one more than the highest index of an issued address. Reads all addresses. */
  issuedIndexes(): Promise<ReadonlyMap<string, number>>;
  /** The first index that the family's pool does not have yet (ports/chains/address-pool.ts). */
  derivedIndexes(family: string): Promise<number>;
  /**
   * Adds the normalized addresses of the indexes from `from` on to the pool; existing ones stay.
   */
  addDerived(derived: { family: string; from: number; addresses: readonly string[] }): Promise<void>;
}

export interface IssuedAddress {
  readonly family: string;
  /** Normalized (AddressDeriver.normalize): the key within the family. */
  readonly address: string;
  /** The deriver of the index: the family, or `fake:<family>` (sandbox of a family without one). */
  readonly deriver: string;
  readonly derivationIndex: number;
  readonly merchantId: string;
  readonly sandbox: boolean;
  readonly invoiceId: string | null;
  readonly permanentAddressId: string | null;
  /** When its invoice or user got it; null for addresses from before this column. */
  readonly issuedAt: Date | null;
}
