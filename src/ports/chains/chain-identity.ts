/** The chain that the database was used with, identified by its first block. */
export interface ChainIdentity {
  /**
   * Whether `genesis` is the first block of that chain. If none is stored yet, it is stored. `node`
   * is for the alarm. Throws StorageUnavailable.
   */
  isOurs(genesis: string, node: string): Promise<boolean>;
}
