/** The heads that nodes of a chain tell unasked: whoever hears of one looks, and believes nothing of it (safety.md R11). */

export interface ChainHeads {
  /**
   * Opens a stream to each node that has one, again and again where it breaks, until `stopping` is aborted. `told` hears of each head:
   * its height as the scanner counts, or null where that is not told, also once when a stream is lost.
   */
  listen(told: (height: number | null) => void, stopping: AbortSignal): void;
  /** Whether one of them told a head lately. */
  isAlive(): boolean;
  /** Whether that node (`node 2 (eth.example.com)`) told a head lately; null where it has no stream, or nobody listens. */
  isAliveAt(node: string): boolean | null;
}
