/** When an EVM block is final: by the node's `finalized` tag, or by counting confirmations (chains.md, "Finality defaults"). */

export interface FinalityRule {
  /** Blocks that make a block final, its own included; null asks the node's `finalized` tag. */
  readonly confirmations: number | null;
}

const DEFAULT_CONFIRMATIONS: Readonly<Record<string, number>> = {
  ethereum: 12,
  bsc: 15,
  polygon: 64,
  arbitrum: 30,
  base: 30,
  optimism: 30,
  avalanche: 1,
};
/** For a chain the table does not know: as careful as its most careful line. */
const UNKNOWN_CHAIN_CONFIRMATIONS = 64;

/** Confirmations that stand in where a node has no `finalized` tag. */
export function defaultConfirmations(chain: string): number {
  return Object.hasOwn(DEFAULT_CONFIRMATIONS, chain)
    ? DEFAULT_CONFIRMATIONS[chain]!
    : UNKNOWN_CHAIN_CONFIRMATIONS;
}
