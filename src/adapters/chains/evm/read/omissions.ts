/**
 * What any of several nodes shows of final blocks (safety.md R9). Where one node left out a payment
 * in a token, another's index of logs shows it, for one call a range and node. It is recorded then,
 * and credited once all show it. Where one node alone answers, its logs are compared with the
 * headers of a few blocks instead.
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
import type { CreditedContracts, RangeScanner } from './range-scan.ts';
import { type SomeLooks, someLooks } from './some-looks.ts';
import { tokenTransfers } from './transfers.ts';

/** Blocks without logs that are checked in a range. */
const LOOKED_AT = 2;
const WHOLE_AT_ONCE = 32;

interface ShownTransfer {
  readonly height: number;
  readonly hash: string;
  readonly transfer: Transfer;
}

interface LogOmissionOptions {
  readonly chain: string;
  readonly pool: NodePool<RpcNode>;
  readonly tokens: EvmTokens;
  readonly ranges: RangeScanner;
  readonly logsOver: LogRanges;
  readonly held: CreditedContracts;
  /** With several nodes, which are asked for omitted payments in the coin as well. */
  readonly coins: CoinOmissions | null;
  readonly logger: Logger;
  /** Blocks of a range. */
  readonly size: number;
}

interface LogOmissionContext extends LogOmissionOptions {
  /** As it was told last. */
  readonly head: () => ChainHead | null;
  readonly looks: SomeLooks;
  /** The height up to which ranges are done; null before the first. */
  done: number | null;
}

/** ChainScanner.late: one range at a time. */
export function logOmissions(
  options: LogOmissionOptions,
  head: () => ChainHead | null,
): NonNullable<ChainScanner['late']> {
  const { chain, logger } = options;
  const looks = someLooks({ chain, logger, event: 'chain.omissions_unreadable' });
  const context: LogOmissionContext = { ...options, head, looks, done: null };
  return (upTo, watch, take) => nextRange(context, upTo, watch, take);
}

async function nextRange(
  context: LogOmissionContext,
  ...[upTo, watch, take]: Parameters<NonNullable<ChainScanner['late']>>
): Promise<void> {
  const { coins, size, looks } = context;
  const now = context.head();
  if (now === null) return;
  // Also what was not final yet, or not checked, when the process before this one ended.
  context.done ??= Math.max(-1, upTo - (now.tip.height - now.finalizedHeight) - 2 * size);
  const range = { from: context.done + 1, to: context.done + size };
  if (range.to > Math.min(upTo, now.finalizedHeight)) return;
  const leftOut = async (): Promise<readonly ScannedBlock[]> => [
    ...(await shownByAny(context, range, watch)),
    ...((await coins?.find(range, watch)) ?? []),
  ];
  const blocks = await looks.at(range, inHaste({ urgency: 'audit' }, leftOut));
  if (blocks === null) return;
  if (blocks.length > 0) await take(blocks);
  context.done = range.to;
  looks.done();
}

/** The blocks with payments in tokens to our addresses, as any node shows them. */
async function shownByAny(
  context: LogOmissionContext,
  range: BlockRange,
  watch: WatchList,
): Promise<readonly ScannedBlock[]> {
  const { chain, pool, tokens, logsOver, held, logger } = context;
  const contracts = await pool.use(tokens.usable);
  if (contracts.size === 0) return [];
  const shown = await pool.every(async (node) => ({
    node: node.label,
    ...(await shownBy(node, range, { contracts, logsOver })),
  }));
  if (shown.length === 1) {
    const silent = heightsOf(range).filter((height) => !shown[0]!.heights.has(height));
    if (await hasHole(context, silent, held(contracts))) return readWhole(context, range, watch);
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
  for (const ofBlock of Map.groupBy(ours, (each) => each.hash).values())
    blocks.push(...(await blockOf(context, ofBlock, watch)));
  return blocks;
}

/** The block of payments that share one; nothing where the chain has another block there. */
async function blockOf(
  context: LogOmissionContext,
  payments: readonly ShownTransfer[],
  watch: WatchList,
): Promise<readonly ScannedBlock[]> {
  const { pool } = context;
  const { height, hash } = payments[0]!;
  if (pool.size === 1) return readWhole(context, { from: height, to: height }, watch);
  const block = await firstFound(pool, (node) => headerAt(node, height));
  const transfers = new Map(payments.map((each) => [keyOf(each), each.transfer]));
  return block?.hash === hash ? [{ ...block, transfers: [...transfers.values()] }] : [];
}

/**
 * Reads the blocks in full. What one node alone says is checked against blocks and receipts:
 * no other node will be asked (safety.md R2, R3).
 */
async function readWhole(
  { pool, ranges }: LogOmissionContext,
  { from, to }: BlockRange,
  watch: WatchList,
): Promise<readonly ScannedBlock[]> {
  const blocks: ScannedBlock[] = [];
  for (let next = from; next <= to; next += WHOLE_AT_ONCE) {
    const piece = { from: next, to: Math.min(to, next + WHOLE_AT_ONCE - 1) };
    blocks.push(...(await pool.use((node) => ranges.scan(node, piece, watch, { moved: [] }))));
  }
  return blocks.filter(({ transfers }) => transfers.length > 0);
}

/**
 * Whether some block without logs has some after all. Each check costs a call, so a few are made:
 * an index with a hole lacks many blocks in a row.
 */
function hasHole(
  { pool, ranges }: LogOmissionContext,
  silent: readonly number[],
  contracts: readonly string[],
): Promise<boolean> {
  const looked = silent.filter((_, at) => at % Math.ceil(silent.length / LOOKED_AT) === 0);
  return pool.use(async (node) => {
    for (const { height, logsBloom } of await headersAt(node, looked))
      if (mayHaveTransfers(logsBloom, contracts) && (await ranges.hasTransfers(node, height))) return true;
    return false;
  });
}

const keyOf = ({ hash, transfer: { txid, output } }: ShownTransfer): string => `${hash} ${txid} ${output}`;

async function concerning(
  watch: WatchList,
  shown: readonly ShownTransfer[],
): Promise<readonly ShownTransfer[]> {
  const known = await watch.known([...new Set(shown.map(({ transfer }) => transfer.to))]);
  return shown.filter(({ transfer }) => known.has(transfer.to));
}

async function shownBy(
  node: RpcNode,
  range: BlockRange,
  { contracts, logsOver }: { contracts: ReadonlyMap<string, string>; logsOver: LogRanges },
): Promise<{ readonly payments: readonly ShownTransfer[]; readonly heights: ReadonlySet<number> }> {
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
