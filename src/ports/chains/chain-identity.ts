/** The chain that the database was used with, told by its first block where the network's name alone does not tell it. */
export interface ChainIdentity {
  /**
   * Whether `genesis` is the first block of that chain. The first node that is asked decides where none was before. Throws
   * StorageUnavailable. `node` is for the alarm.
   */
  isOurs(genesis: string, node: string): Promise<boolean>;
}
