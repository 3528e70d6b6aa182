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
import { fields, list } from '../shared/answers.ts';
import { RpcError } from '../shared/faults.ts';
import type { NodePool } from '../shared/node-pool.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { inHaste } from '../shared/urgency.ts';
import { headerAt, hexHeight } from './block-reader.ts';
import { log, type NodeLog, smallNumber } from './decode.ts';
import type { EvmTokens } from './tokens.ts';
import { TRANSFER_TOPIC, tokenTransfers } from './transfers.ts';

interface Shown {
  readonly height: number;
  readonly hash: string;
  readonly transfer: Transfer;
}

/** ChainScanner.late over several nodes: ranges of `size` blocks, one at a time. `head`: what was told last. */
export function omissionReader(
  options: { chain: string; pool: NodePool<RpcNode>; tokens: EvmTokens; logger: Logger; size: number },
  head: () => ChainHead | null,
): NonNullable<ChainScanner['late']> {
  const { chain, pool, tokens, logger, size } = options;
  /** Height up to which it was looked; null before the first time. */
  let done: number | null = null;

  async function shownByAny(range: BlockRange, watch: WatchList): Promise<readonly ScannedBlock[]> {
    const contracts = await pool.use(tokens.usable);
    if (contracts.size === 0) return [];
    const shown = await inHaste({ urgency: 'audit' }, () =>
      pool.every(async (node) => ({
        node: node.label,
        payments: await shownBy(node, range, contracts),
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
      const block = await foundByAny(pool, (node) => headerAt(node, ofBlock[0]!.height));
      const transfers = new Map(ofBlock.map((each) => [keyOf(each), each.transfer]));
      if (block?.hash === hash) blocks.push({ ...block, transfers: [...transfers.values()] });
    }
    return blocks;
  }

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
  contracts: ReadonlyMap<string, string>,
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

/** Halved where the node gives no such range: plans allow from 5 to some thousand blocks. */
async function logsOver(
  node: RpcNode,
  { from, to }: BlockRange,
  contracts: readonly string[],
): Promise<readonly { readonly height: number; readonly of: NodeLog }[]> {
  const filter = {
    fromBlock: hexHeight(from),
    toBlock: hexHeight(to),
    address: contracts,
    topics: [TRANSFER_TOPIC],
  };
  try {
    return list(await node.call('eth_getLogs', filter), 'logs').map((item) => ({
      height: smallNumber(fields(item, 'log').blockNumber, 'log blockNumber'),
      of: log(item),
    }));
  } catch (error) {
    if (!(error instanceof RpcError) || from === to) throw error;
    const middle = Math.floor((from + to) / 2);
    return [
      ...(await logsOver(node, { from, to: middle }, contracts)),
      ...(await logsOver(node, { from: middle + 1, to }, contracts)),
    ];
  }
}
