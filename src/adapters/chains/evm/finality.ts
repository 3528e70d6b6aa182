/**
 * When an EVM block is final: by the node's `finalized` tag, or by a count of confirmations
 * (docs/chains/README.md, "Finality defaults").
 */

export interface FinalityRule {
  /** Blocks that make a block final, its own included; null: the node's `finalized` tag decides. */
  readonly confirmations: number | null;
}
