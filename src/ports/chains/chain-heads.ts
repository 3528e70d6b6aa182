/**
 * New heads that nodes push. A head is only a reason to read; it is not trusted (safety.md R11).
 */

export interface ChainHeads {
  /**
   * Opens a stream to each node that has one, and reopens it when it breaks, until `stopping` is
   * aborted. Calls `told` for each head with its height as the scanner counts, or null if the head
   * has none; also once, with null, when a stream is lost.
   */
  listen(told: (height: number | null) => void, stopping: AbortSignal): void;
  /** Whether a stream delivered a head recently. */
  isAlive(): boolean;
  /**
   * The same for one node (`node 2 (eth.example.com)`); null if it has no stream or none is open.
   */
  isAliveAt(node: string): boolean | null;
}
