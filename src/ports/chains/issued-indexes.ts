/**
 * How far this host has issued derivation indexes, stored outside the database. A database that was
 * restored from a backup does not know the addresses issued since, and would issue them a second
 * time (safety.md K5).
 */
export interface IssuedIndexes {
  /** By deriver (IssuedAddress.deriver): the first index above all noted ones. */
  all(): Promise<ReadonlyMap<string, number>>;
  /**
   * Stores on disk, before it resolves, that every index below these may have been issued. A lower
   * index changes nothing.
   */
  note(issued: ReadonlyMap<string, number>): Promise<void>;
  close(): Promise<void>;
}
