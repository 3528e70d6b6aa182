/** A block of a source; NodeError when it returns another one than requested. */
import { type Outpoint, outpointText } from '../../../../domain/chains/outpoint.ts';
import { NodeError } from '../../shared/nodes/node-errors.ts';
import { type BlockBackend, decoded } from '../backend.ts';
import { decodeBlock, type RawBlock } from '../codec/raw-block.ts';
import type { RawTransaction } from '../codec/transaction.ts';
import type { UtxoNetwork } from '../network.ts';

export async function readBlock(
  network: UtxoNetwork,
  source: Pick<BlockBackend, 'label' | 'rawBlock'>,
  hash: string,
): Promise<RawBlock> {
  const bytes = await source.rawBlock(hash);
  const block = decoded(source.label, () => decodeBlock(network, bytes));
  if (block.hash !== hash) throw new NodeError(`${source.label}: answered another block than asked`);
  return block;
}

/** The first transaction of the block that spends one of these outputs. */
export function spendingIn(
  { transactions }: RawBlock,
  outpoints: readonly Outpoint[],
): RawTransaction | undefined {
  const wanted = new Set(outpoints.map(outpointText));
  return transactions.find((transaction) =>
    transaction.inputs().some((input) => wanted.has(outpointText(input))),
  );
}
