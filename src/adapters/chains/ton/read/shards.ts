/**
 * Which shard blocks came between two masterchain blocks. Each masterchain block names the newest
 * block of every shard. In between a shard may have made several blocks, and may have been split in
 * two or merged with its neighbour (TON whitepaper, 2.6 and 2.7). Its numbers then continue from
 * those of the shard or the two shards that it came from.
 */

/** The newest block of a shard as a masterchain block names it. */
export interface ShardTip {
  readonly workchain: number;
  /** Signed 64 bits in decimal: the shard's prefix, a 1, and zeros. */
  readonly shard: string;
  readonly seqno: number;
  /** Lower-case hex. */
  readonly rootHash: string;
  readonly fileHash: string;
}

export interface ShardBlock {
  readonly workchain: number;
  readonly shard: string;
  readonly seqno: number;
  /** Known only for the newest block of a shard. */
  readonly tip: ShardTip | null;
}

/**
 * Null when no splits and merges lead from one to the other. `before` is empty for the zero state.
 */
export function shardBlocksBetween(
  before: readonly ShardTip[],
  after: readonly ShardTip[],
): readonly ShardBlock[] | null {
  const blocks: ShardBlock[] = [];
  for (const tip of after) {
    const last = before.length === 0 ? 0 : lastOfAncestors(before, tip);
    if (last === null || last > tip.seqno) return null;
    const { workchain, shard } = tip;
    for (let seqno = last + 1; seqno <= tip.seqno; seqno++)
      blocks.push({ workchain, shard, seqno, tip: seqno === tip.seqno ? tip : null });
  }
  return blocks;
}

/**
 * The highest number of the shard itself, the shard it was split from, and those it was merged
 * from; null when there is none.
 */
function lastOfAncestors(before: readonly ShardTip[], { workchain, shard }: ShardTip): number | null {
  const related = [shard, parentOf(shard), ...childrenOf(shard)];
  const seqnos = before
    .filter((tip) => tip.workchain === workchain && related.includes(tip.shard))
    .map(({ seqno }) => seqno);
  return seqnos.length === 0 ? null : Math.max(...seqnos);
}

function parentOf(shard: string): string {
  const id = BigInt.asUintN(64, BigInt(shard));
  const marker = id & -id;
  return signed((id - marker) | (marker << 1n));
}

function childrenOf(shard: string): readonly string[] {
  const id = BigInt.asUintN(64, BigInt(shard));
  const half = (id & -id) >> 1n;
  return half === 0n ? [] : [signed(id - half), signed(id + half)];
}

const signed = (id: bigint): string => BigInt.asIntN(64, id).toString();
