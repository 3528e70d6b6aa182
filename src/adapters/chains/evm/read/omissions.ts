/**
 * What any of several nodes shows of final blocks (safety.md R9): a payment in a token that one node left out is found by another's index
 * of logs, at the price of one call for each range and node. It is recorded then, and credited once all show it. A node that stands alone,
 * if only since the others are away, is held against the headers of a few blocks instead.
 */
import type {
  BlockRange,
  ChainHead,
  ChainScanner,
  ScannedBlock,
  Transfer,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import { firstFound } from '../../shared/nodes/across-nodes.ts';
import type { NodePool } from '../../shared/nodes/node-pool.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { inHaste } from '../../shared/nodes/urgency.ts';
import { heightsOf } from '../../shared/read/block-range.ts';
import type { EvmTokens } from '../tokens.ts';
import { headerAt, headersAt } from './block-reader.ts';
import type { CoinOmissions } from './coin-omissions.ts';
import type { LogRanges } from './log-ranges.ts';
import { mayHaveTransfers } from './logs.ts';
import type { Held, RangeScanner } from './range-scan.ts';
import { someLooks } from './some-looks.ts';
import { tokenTransfers } from './transfers.ts';

/** Blocks without logs that are looked at in a range. */
const LOOKED_AT = 2;
const WHOLE_AT_ONCE = 32;

interface Shown {
  readonly height: number;
  readonly hash: string;
  readonly transfer: Transfer;
}

/**
 * ChainScanner.late: ranges of `size` blocks, one at a time. `head`: what was told last. `coins`: of several nodes, which are asked for
 * omitted payments in the coin as well.
 */
export function logOmissions(
  options: {
    chain: string;
    pool: NodePool<RpcNode>;
    tokens: EvmTokens;
    ranges: RangeScanner;
    logsOver: LogRanges;
    held: Held;
    coins: CoinOmissions | null;
    logger: Logger;
    size: number;
  },
  head: () => ChainHead | null,
): NonNullable<ChainScanner['late']> {
  const { chain, pool, tokens, ranges, logsOver, held, coins, logger, size } = options;
  /** Height up to which it was looked; null before the first time. */
  let done: number | null = null;
  const looks = someLooks({ chain, logger, event: 'chain.omissions_unreadable' });

  async function shownByAny(range: BlockRange, watch: WatchList): Promise<readonly ScannedBlock[]> {
    const contracts = await pool.use(tokens.usable);
    if (contracts.size === 0) return [];
    const shown = await pool.every(async (node) => ({
      node: node.label,
      ...(await shownBy(node, range, { contracts, logsOver })),
    }));
    if (shown.length === 1) {
      const silent = heightsOf(range).filter((height) => !shown[0]!.heights.has(height));
      if (await hasHole(silent, held(contracts))) return readWhole(range, watch);
    }
    const ours = await concerning(
      watch,
      shown.flatMap(({ payments }) => payments),
    );
    for (const { node, payments } of shown) {
      const own = new Set(payments.map(keyOf));
      const left = ours.filter((each) => !own.has(keyOf(each)));
      if (left.length > 0) logger.warn('node.payments_missing', { chain, node, height: left[0]!.height });
    }
    const blocks: ScannedBlock[] = [];
    for (const [hash, ofBlock] of Map.groupBy(ours, (each) => each.hash)) {
      const [{ height }] = ofBlock as [Shown];
      if (pool.size === 1) {
        blocks.push(...(await readWhole({ from: height, to: height }, watch)));
        continue;
      }
      const block = await firstFound(pool, (node) => headerAt(node, height));
      const transfers = new Map(ofBlock.map((each) => [keyOf(each), each.transfer]));
      if (block?.hash === hash) blocks.push({ ...block, transfers: [...transfers.values()] });
    }
    return blocks;
  }

  /** What one node alone says is held against the blocks and the receipts, as nobody else will be asked (safety.md R2, R3). */
  async function readWhole({ from, to }: BlockRange, watch: WatchList): Promise<readonly ScannedBlock[]> {
    const blocks: ScannedBlock[] = [];
    for (let next = from; next <= to; next += WHOLE_AT_ONCE) {
      const piece = { from: next, to: Math.min(to, next + WHOLE_AT_ONCE - 1) };
      blocks.push(...(await pool.use((node) => ranges.scan(node, piece, watch, { moved: [] }))));
    }
    return blocks.filter(({ transfers }) => transfers.length > 0);
  }

  /** Whether some block without logs has some after all. Each costs a call, so a few are looked at: an index lacks many in a row. */
  function hasHole(silent: readonly number[], contracts: readonly string[]): Promise<boolean> {
    const looked = silent.filter((_, at) => at % Math.ceil(silent.length / LOOKED_AT) === 0);
    return pool.use(async (node) => {
      for (const { height, logsBloom } of await headersAt(node, looked))
        if (mayHaveTransfers(logsBloom, contracts) && (await ranges.hasTransfers(node, height))) return true;
      return false;
    });
  }

  const leftOut = async (range: BlockRange, watch: WatchList): Promise<readonly ScannedBlock[]> => [
    ...(await shownByAny(range, watch)),
    ...((await coins?.find(range, watch)) ?? []),
  ];

  return async (upTo, watch, take) => {
    const now = head();
    if (now === null) return;
    // What was not final yet, or not looked at, when the process before ended.
    done ??= Math.max(-1, upTo - (now.tip.height - now.finalizedHeight) - 2 * size);
    const range = { from: done + 1, to: done + size };
    if (range.to > Math.min(upTo, now.finalizedHeight)) return;
    const blocks = await looks.at(
      range,
      inHaste({ urgency: 'audit' }, () => leftOut(range, watch)),
    );
    if (blocks === null) return;
    if (blocks.length > 0) await take(blocks);
    done = range.to;
    looks.done();
  };
}

const keyOf = ({ hash, transfer: { txid, output } }: Shown): string => `${hash} ${txid} ${output}`;

async function concerning(watch: WatchList, shown: readonly Shown[]): Promise<readonly Shown[]> {
  const known = await watch.known([...new Set(shown.map(({ transfer }) => transfer.to))]);
  return shown.filter(({ transfer }) => known.has(transfer.to));
}

async function shownBy(
  node: RpcNode,
  range: BlockRange,
  { contracts, logsOver }: { contracts: ReadonlyMap<string, string>; logsOver: LogRanges },
): Promise<{ readonly payments: readonly Shown[]; readonly heights: ReadonlySet<number> }> {
  const logs = await logsOver(node, range, [...contracts.keys()]);
  const byBlock = Map.groupBy(logs, ({ of }) => `${of.blockHash} ${of.txid}`);
  const payments = [...byBlock.values()].flatMap((ofTransaction) =>
    tokenTransfers(
      ofTransaction.map(({ of }) => of),
      contracts,
    ).map((transfer) => ({
      height: ofTransaction[0]!.height,
      hash: ofTransaction[0]!.of.blockHash,
      transfer,
    })),
  );
  return { payments, heights: new Set(logs.map(({ height }) => height)) };
}
