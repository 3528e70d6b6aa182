/**
 * The lifetime of a blockhash, which decides whether a payment is signed again. Its end follows
 * from the protocol, counted from the block of the hash. A node that names another end, or whose
 * block is not near that of the other nodes, is not believed.
 */
import { fields } from '../../shared/nodes/answers.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { address, wholeNumber, withSlot } from '../answers.ts';
import { CONFIRMED } from '../read/blocks.ts';
import type { SolanaPool } from '../rpc-pool.ts';

/**
 * A blockhash may be used for so many blocks after its own (MAX_PROCESSING_AGE). Nodes report this
 * end.
 */
export const BLOCKHASH_LIFE = 150;
/** Blocks that may come between two answers of one node. */
const BETWEEN_ANSWERS = 2;
/**
 * Blocks that another node may be ahead, some eight seconds. A node that is further behind, or says
 * so, gives no blockhash.
 */
const BEHIND_MAX = 20;
/**
 * Blocks that a node may be ahead of all others, which may lag. A false height within this range
 * keeps a lost payment open for seven minutes.
 */
const AHEAD_MAX = 1_000;
/**
 * Blocks past the reported end before what is signed counts as dead. This is more than an end can
 * be reported too early under the limits above, and one block more: the runtime counts from the
 * parent of the block that it makes.
 */
export const EXPIRY_MARGIN = 32;

export interface Blockhash {
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
}

/**
 * The newest blockhash of `node`; NodeLagging when its end is not the protocol's, or its chain is
 * not near that of the others.
 */
export async function latestBlockhash({ pool }: { pool: SolanaPool }, node: RpcNode): Promise<Blockhash> {
  const [height, answer] = await node.batch([
    { method: 'getBlockHeight', params: [CONFIRMED] },
    { method: 'getLatestBlockhash', params: [CONFIRMED] },
  ]);
  const { value } = withSlot(answer, 'blockhash');
  const { blockhash, lastValidBlockHeight: last } = fields(value, 'blockhash');
  const lastValidBlockHeight = wholeNumber(last, 'last valid block height');
  const born = lastValidBlockHeight - BLOCKHASH_LIFE;
  if (Math.abs(born - wholeNumber(height, 'block height')) > BETWEEN_ANSWERS)
    throw new NodeLagging(`${node.label}: names another end of a blockhash than the protocol's`);
  const others = await heightsBeside(pool, node);
  if (others.some((other) => other > born + BEHIND_MAX || born > Math.max(...others) + AHEAD_MAX))
    throw new NodeLagging(`${node.label}: its blocks are not those that other nodes are at`);
  return { blockhash: address(blockhash, 'blockhash'), lastValidBlockHeight };
}

async function heightsBeside(pool: SolanaPool, node: RpcNode): Promise<readonly number[]> {
  if (pool.size === 1) return [];
  const heights = await pool.every(async (other) =>
    other === node ? [] : [wholeNumber(await other.call('getBlockHeight', CONFIRMED), 'block height')],
  );
  return heights.flat();
}
