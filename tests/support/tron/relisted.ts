/** Blocks whose headers fit their transactions. */
import { transactionRoot } from '../../../src/adapters/chains/tron/codec/transaction-root.ts';

interface Printed {
  readonly block_header: { readonly raw_data: object };
}

/**
 * The block as a node prints it that has only these of its transactions, and names them in its
 * header.
 */
export function relisted<Block extends Printed>(
  block: Block,
  transactions: readonly unknown[],
): Block & { readonly transactions: readonly unknown[] } {
  const raw_data = { ...block.block_header.raw_data, txTrieRoot: transactionRoot(transactions) };
  return { ...block, block_header: { ...block.block_header, raw_data }, transactions };
}
