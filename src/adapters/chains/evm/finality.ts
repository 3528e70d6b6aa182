/** When an EVM block is final: by the node's `finalized` tag, or by counting confirmations (docs/chains/README.md, "Finality defaults"). */

export interface FinalityRule {
  /** Blocks that make a block final, its own included; null asks the node's `finalized` tag. */
  readonly confirmations: number | null;
}
