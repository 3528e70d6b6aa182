/**
 * A range of masterchain blocks from a node's index: some ten calls for any number of blocks. The
 * lite server behind the node says where the range begins and ends, in the masterchain and in every
 * shard. Between these ends each shard block has to lead to the one before it, and to show as many
 * transactions as it counts. So a late shard, a split or a merge cannot leave anything out.
 */
import type { BlockRef } from '../../../../ports/chains/chain-scanner.ts';
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import { accountIn, hash, units, wholeNumber } from '../answers.ts';
import { IndexUnfit, type TonIndex } from '../index-api.ts';
import type { TonNode } from '../toncenter.ts';
import {
  type ListedBlock,
  type ListedTransaction,
  MASTERCHAIN,
  masterBlock,
  masterInfo,
  shardTips,
} from './blocks.ts';
import type { ShardTip } from './shards.ts';

/** Most that the index returns in one call. */
const PAGE = 1_000;
const PAGES_MAX = 200;
/**
 * A masterchain block names a shard block within some seconds; if it takes longer, the lite
 * server's lists are read.
 */
const SHARD_LATE_SECONDS = 10;
/** Its newest blocks, of which some were made within the same second. */
const NEWEST = 20;
/** An index that is further behind its lite server, about a minute, is not waited for. */
const LAG_MAX = 150;

interface BlockName {
  readonly workchain: number;
  /** Signed 64 bits in decimal. */
  readonly shard: string;
  readonly seqno: number;
}

interface IndexedBlock extends BlockName {
  readonly rootHash: string;
  /** Unix seconds. */
  readonly time: number;
  readonly transactions: number;
  readonly before: readonly BlockName[];
  /** Masterchain block that is the first to name it. */
  readonly masterSeqno: number;
}

type BlocksByName = ReadonlyMap<string, IndexedBlock>;

const nameOf = ({ workchain, shard, seqno }: BlockName): string => `${workchain} ${shard} ${seqno}`;
const masterName = (seqno: number): string => nameOf({ ...MASTERCHAIN, seqno });

/** The newest masterchain block that the index and the lite server both have. */
export async function indexedTip(node: TonNode, index: TonIndex): Promise<BlockRef> {
  const { height: newest } = await masterInfo(node);
  const { workchain } = MASTERCHAIN;
  const blocks = await readBlocks(index, { workchain, sort: 'desc', limit: NEWEST });
  const masters = [...blocks.values()].filter(({ seqno }) => seqno <= newest);
  const height = Math.max(...masters.map(({ seqno }) => seqno));
  if (!(height >= newest - LAG_MAX)) throw new IndexUnfit('it lags');
  return refAt(blocks, height);
}

/**
 * The blocks from `from` on, linked, as far as one query of the index goes, and not beyond `to`.
 */
export async function indexedBlocks(
  node: TonNode,
  index: TonIndex,
  { from, to }: { from: number; to: number },
): Promise<readonly ListedBlock[]> {
  const [first, before] = await Promise.all([masterBlock(node, from), shardTips(node, from - 1)]);
  const { blocks, goesOn } = await blocksSince(index, first.time - SHARD_LATE_SECONDS);
  let last = from - 1;
  while (last < to && blocks.has(masterName(last + 1))) last += 1;
  if (last < to && !goesOn) {
    const hasLater = [...blocks.values()].some(({ masterSeqno }) => masterSeqno > last + 1);
    if (hasLater) throw new IndexUnfit('it lacks a block');
    throw new NodeLagging(`${node.label}: its index does not have block ${to} yet`);
  }
  if (blocks.get(masterName(from))?.rootHash !== first.hash) throw new IndexUnfit('it has another block');
  const made = madeBetween(blocks, before, await shardTips(node, last));
  if (made.some(({ masterSeqno }) => masterSeqno < from || masterSeqno > last))
    throw new IndexUnfit('a shard block belongs to another masterchain block');
  const listed = await transactionsOf(index, made);
  const heights = Array.from({ length: last - from + 1 }, (_, offset) => from + offset);
  return heights.map((height) => ({
    ...(height === from ? first : refAt(blocks, height)),
    listed: made.flatMap((block) => (block.masterSeqno === height ? (listed.get(nameOf(block)) ?? []) : [])),
  }));
}

/**
 * The height of the masterchain block of a transaction (hex), by the index; null where it does not
 * know the transaction.
 */
export function indexedHeight(index: TonIndex, hashOfTransaction: string): Promise<number | null> {
  return index.ask('transactions', { hash: hashOfTransaction, limit: 1 }, (answer) => {
    const [found] = list(fields(answer, 'answer').transactions, 'transactions');
    return found === undefined
      ? null
      : wholeNumber(fields(found, 'transaction').mc_block_seqno, 'mc_block_seqno');
  });
}

function refAt(blocks: BlocksByName, height: number): BlockRef {
  const [block, parent] = [blocks.get(masterName(height)), blocks.get(masterName(height - 1))];
  if (block === undefined || parent === undefined) throw new IndexUnfit('it lacks a block');
  return { height, hash: block.rootHash, parentHash: parent.rootHash, time: block.time };
}

/**
 * Blocks of all workchains in the order of their time. Where more follow (`goesOn`), those of the
 * last second are left out.
 */
async function blocksSince(
  index: TonIndex,
  time: number,
): Promise<{ blocks: BlocksByName; goesOn: boolean }> {
  const blocks = await readBlocks(index, { start_utime: time, sort: 'asc', limit: PAGE });
  if (blocks.size < PAGE) return { blocks, goesOn: false };
  const lastTime = Math.max(...[...blocks.values()].map((block) => block.time));
  return { blocks: new Map([...blocks].filter(([, block]) => block.time < lastTime)), goesOn: true };
}

/** From the newest blocks of all shards back to those that were the newest before. */
function madeBetween(
  blocks: BlocksByName,
  before: readonly ShardTip[],
  after: readonly ShardTip[],
): readonly IndexedBlock[] {
  const reached = new Set(before.map(nameOf));
  const made: IndexedBlock[] = [];
  const tips = new Map(after.map((tip) => [nameOf(tip), tip.rootHash]));
  for (const names: BlockName[] = [...after]; ; ) {
    const next = names.pop();
    if (next === undefined) return made;
    const name = nameOf(next);
    // The zero state is no block.
    if (reached.has(name) || next.seqno === 0) continue;
    reached.add(name);
    const block = blocks.get(name);
    if (block === undefined) throw new IndexUnfit('it lacks a block of a shard');
    if ((tips.get(name) ?? block.rootHash) !== block.rootHash) throw new IndexUnfit('it has another block');
    made.push(block);
    names.push(...block.before);
  }
}

/** By the blocks' names: for each block as many as it counts. */
async function transactionsOf(
  index: TonIndex,
  blocks: readonly IndexedBlock[],
): Promise<ReadonlyMap<string, readonly ListedTransaction[]>> {
  const filled = blocks.filter(({ transactions }) => transactions > 0);
  const listed = new Map(filled.map((block) => [nameOf(block), new Map<string, ListedTransaction>()]));
  const times = filled.map(({ time }) => time);
  const during = { start_utime: Math.min(...times), end_utime: Math.max(...times) };
  const lacking = (): boolean =>
    filled.some((block) => listed.get(nameOf(block))!.size !== block.transactions);
  for (let page = 0; lacking(); page++) {
    const query = { ...during, sort: 'asc', limit: PAGE, offset: page * PAGE };
    const found = await index.ask('transactions', query, readTransactions);
    for (const { block, transaction } of found) listed.get(block)?.set(transaction.hash, transaction);
    if (lacking() && (found.length < PAGE || page === PAGES_MAX))
      throw new IndexUnfit('it lacks transactions');
  }
  return new Map([...listed].map(([block, transactions]) => [block, [...transactions.values()]]));
}

function readTransactions(answer: unknown): readonly { block: string; transaction: ListedTransaction }[] {
  return list(fields(answer, 'answer').transactions, 'transactions').map((item) => {
    const told = fields(item, 'transaction');
    const block = blockName(told.block_ref);
    const account = accountIn(told.account, block.workchain);
    const named = { lt: units(told.lt, 'lt'), hash: hash(told.hash, 'transaction hash') };
    return { block: nameOf(block), transaction: { account, ...named } };
  });
}

async function readBlocks(
  index: TonIndex,
  query: Readonly<Record<string, string | number>>,
): Promise<BlocksByName> {
  const blocks = await index.ask('blocks', query, (answer) =>
    list(fields(answer, 'answer').blocks, 'blocks').map(readBlock),
  );
  return new Map(blocks.map((block) => [nameOf(block), block]));
}

export function readBlock(item: unknown): IndexedBlock {
  const told = fields(item, 'block');
  return {
    ...blockName(told),
    rootHash: hash(told.root_hash, 'root hash'),
    time: wholeNumber(told.gen_utime, 'gen_utime'),
    transactions: wholeNumber(told.tx_count, 'tx_count'),
    before: list(told.prev_blocks, 'prev_blocks').map(blockName),
    masterSeqno: blockName(told.masterchain_block_ref).seqno,
  };
}

/** The index writes shards in hex. */
function blockName(item: unknown): BlockName {
  const { workchain, shard, seqno } = fields(item, 'block id');
  if (typeof shard !== 'string' || !/^[0-9a-f]{1,16}$/i.test(shard)) throw unusable('shard');
  return {
    workchain: wholeNumber(workchain, 'workchain'),
    shard: BigInt.asIntN(64, BigInt(`0x${shard}`)).toString(),
    seqno: wholeNumber(seqno, 'seqno'),
  };
}
