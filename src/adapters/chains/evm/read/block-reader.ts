/**
 * Blocks and traces of one node. All are fetched by or checked against the block's hash, so they
 * belong together.
 */
import { type BlockRef, ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import { inChunks } from '../../shared/chunks.ts';
import { NodeError, NodeLagging } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { heightsOf } from '../../shared/read/block-range.ts';
import { blockRef, fullBlock, header, type NodeBlock, type NodeHeader } from '../decode.ts';
import { blockFrames } from './transfers.ts';

export const hexHeight = (height: number): string => `0x${height.toString(16)}`;

/** The canonical header at `height`, or null when the node's chain is shorter. */
export async function headerAt(node: RpcNode, height: number): Promise<BlockRef | null> {
  const answer = await node.call('eth_getBlockByNumber', hexHeight(height), false);
  if (answer === null) return null;
  const found = blockRef(answer);
  if (found.height !== height) throw new NodeError('unusable answer: another block than asked');
  return found;
}

/** The canonical headers at `heights`, in order; NodeLagging when one is missing. */
export function headersAt(node: RpcNode, heights: readonly number[]): Promise<readonly NodeHeader[]> {
  return blocksAt(node, heights, { full: false, decode: header });
}

async function blocksAt<Block extends BlockRef>(
  node: RpcNode,
  heights: readonly number[],
  { full, decode }: { full: boolean; decode: (answer: unknown) => Block },
): Promise<readonly Block[]> {
  const answers = await node.batch(
    heights.map((height) => ({ method: 'eth_getBlockByNumber', params: [hexHeight(height), full] })),
  );
  return answers.map((answer, position) => {
    if (answer === null) throw new NodeLagging(`has no block ${heights[position]!}`);
    const block = decode(answer);
    if (block.height !== heights[position]) throw new NodeError('unusable answer: another block than asked');
    return block;
  });
}

/**
 * The blocks `from` .. `to` in full, linked; NodeLagging when one is missing. `last`: the block at
 * `to`, if it is known.
 */
export async function readBlocks(
  node: RpcNode,
  { from, to }: { from: number; to: number },
  last?: NodeBlock,
): Promise<readonly NodeBlock[]> {
  const asked = heightsOf({ from, to: last === undefined ? to : to - 1 });
  const read = await blocksAt(node, asked, { full: true, decode: fullBlock });
  const blocks = last === undefined ? read : [...read, last];
  const linked = blocks.every(
    (block, position) => position === 0 || block.parentHash === blocks[position - 1]!.hash,
  );
  if (!linked)
    throw new ChainUnavailable(`the chain was reorganised while blocks ${from} .. ${to} were read`);
  return blocks;
}

/**
 * Throws ChainUnavailable unless the last of `blocks` is still canonical: what was read by hash
 * might otherwise mix two branches.
 */
export async function confirmCanonical(node: RpcNode, blocks: readonly NodeBlock[]): Promise<void> {
  const last = blocks.at(-1)!;
  const now = await headerAt(node, last.height);
  if (now === null) throw new NodeLagging(`has no block ${last.height} any more`);
  if (now.hash !== last.hash)
    throw new ChainUnavailable(`the chain was reorganised while block ${last.height} was read`);
}

const PARALLEL_TRACES = 4;

/**
 * callTracer frames per block, one per transaction in order. RpcError where the node does not
 * trace.
 */
export async function readFrames(
  node: RpcNode,
  blocks: readonly NodeBlock[],
): Promise<readonly (readonly unknown[])[]> {
  const trace = async (block: NodeBlock): Promise<readonly unknown[]> => {
    if (block.transactions.length === 0) return [];
    const answer = await node.call('debug_traceBlockByHash', block.hash, { tracer: 'callTracer' });
    return blockFrames(answer, block.transactions);
  };
  const frames: (readonly unknown[])[] = [];
  for (const some of inChunks(blocks, PARALLEL_TRACES)) frames.push(...(await Promise.all(some.map(trace))));
  return frames;
}
