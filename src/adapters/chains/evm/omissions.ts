/**
 * What any of several nodes shows of final blocks (safety.md R9): a payment in a token that one node left out is found by another's index
 * of logs, at the price of one call for each range and node. It is recorded then, and credited once all show it.
 */
import type {
  BlockRange,
  ChainHead,
  ChainScanner,
  ScannedBlock,
  Transfer,
  WatchList,
} from '../../../ports/chain-scanner.ts';
import type { Logger } from '../../../ports/logger.ts';
import { foundByAny } from '../shared/across-nodes.ts';
import type { NodePool } from '../shared/node-pool.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { inHaste } from '../shared/urgency.ts';
import { headerAt } from './block-reader.ts';
import type { LogRanges } from './log-ranges.ts';
import type { RangeScanner } from './range-scan.ts';
import type { EvmTokens } from './tokens.ts';
import { tokenTransfers } from './transfers.ts';

interface Shown {
  readonly height: number;
  readonly hash: string;
  readonly transfer: Transfer;
}

/** ChainScanner.late over several nodes: ranges of `size` blocks, one at a time. `head`: what was told last. */
export function omissionReader(
  options: {
    chain: string;
    pool: NodePool<RpcNode>;
    tokens: EvmTokens;
    ranges: RangeScanner;
    logsOver: LogRanges;
    logger: Logger;
    size: number;
  },
  head: () => ChainHead | null,
): NonNullable<ChainScanner['late']> {
  const { chain, pool, tokens, ranges, logsOver, logger, size } = options;
  /** Height up to which it was looked; null before the first time. */
  let done: number | null = null;

  async function shownByAny(range: BlockRange, watch: WatchList): Promise<readonly ScannedBlock[]> {
    const contracts = await pool.use(tokens.usable);
    if (contracts.size === 0) return [];
    const shown = await inHaste({ urgency: 'audit' }, () =>
      pool.every(async (node) => ({
        node: node.label,
        payments: await shownBy(node, range, { contracts, logsOver }),
      })),
    );
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
        blocks.push(...(await readWhole(height, watch)));
        continue;
      }
      const block = await foundByAny(pool, (node) => headerAt(node, height));
      const transfers = new Map(ofBlock.map((each) => [keyOf(each), each.transfer]));
      if (block?.hash === hash) blocks.push({ ...block, transfers: [...transfers.values()] });
    }
    return blocks;
  }

  /** What one node alone says is held against the block and the receipts, as nobody else will be asked (safety.md R2, R3). */
  const readWhole = (height: number, watch: WatchList): Promise<readonly ScannedBlock[]> =>
    pool.use((node) => ranges.scan(node, { from: height, to: height }, watch, { moved: [] }));

  return async (upTo, watch, take) => {
    const now = head();
    if (now === null) return;
    // What was not final yet, or not looked at, when the process before ended.
    done ??= Math.max(-1, upTo - (now.tip.height - now.finalizedHeight) - 2 * size);
    const range = { from: done + 1, to: done + size };
    if (range.to > Math.min(upTo, now.finalizedHeight)) return;
    const blocks = await shownByAny(range, watch);
    if (blocks.length > 0) await take(blocks);
    done = range.to;
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
): Promise<readonly Shown[]> {
  const logs = await logsOver(node, range, [...contracts.keys()]);
  const byBlock = Map.groupBy(logs, ({ of }) => `${of.blockHash} ${of.txid}`);
  return [...byBlock.values()].flatMap((ofTransaction) =>
    tokenTransfers(
      ofTransaction.map(({ of }) => of),
      contracts,
    ).map((transfer) => ({
      height: ofTransaction[0]!.height,
      hash: ofTransaction[0]!.of.blockHash,
      transfer,
    })),
  );
}
