/**
 * How far this host has given out derivation indexes, kept outside the database: a database that was restored from a backup
 * does not know the addresses that were given out since, and would give them out a second time (safety.md K5).
 */
export interface IssuedIndexes {
  /** By deriver (IssuedAddress.deriver): the first index above all that were noted. */
  all(): Promise<ReadonlyMap<string, number>>;
  /** Once it resolves, it is on disk that every index below a deriver's `next` may have been given out. A lower one changes nothing. */
  note(issued: ReadonlyMap<string, number>): Promise<void>;
  close(): Promise<void>;
}
