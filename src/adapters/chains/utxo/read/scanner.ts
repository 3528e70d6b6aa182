/**
 * The ChainScanner of Bitcoin, Litecoin and Bitcoin Cash: blocks in consensus bytes, outputs matched by the address of their
 * script, waiting payments from the mempool; or, where a source shows no blocks, the histories of addresses (scan-histories.ts).
 * Several sources stand in for each other.
 */
import {
  type BlockRef,
  type ChainHead,
  type ChainScanner,
  ChainUnavailable,
  type ScannedBlock,
  type TransactionStatus,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import { bestStatus, firstFound } from '../../shared/nodes/across-nodes.ts';
import { bridged, lagAt } from '../../shared/nodes/lagging.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import { agreementAmong } from '../../shared/nodes/node-quorum.ts';
import { checkBlockRange, heightsOf } from '../../shared/read/block-range.ts';
import { finalizedByConfirmations } from '../../shared/read/finality.ts';
import { unknownField } from '../../shared/read/unknown.ts';
import type { BlockBackend } from '../backend.ts';
import { type BackendPool, backendPool, type UtxoOptions } from '../backends.ts';
import { isTxid } from '../rpc/answers.ts';
import { paymentsIn } from './payments.ts';
import { readBlock } from './read-block.ts';
import { historyScan } from './scan-histories.ts';
import { unknownSpends } from './unknown.ts';
import { waitingPayments } from './waiting-payments.ts';

/** One block is in memory at a time; their payments are looked up together. */
const MAX_RANGE = 16;

export interface UtxoScannerOptions extends UtxoOptions {
  /** Asset key of the chain's coin. */
  readonly asset: string;
  /** Blocks that make a block final, its own included. */
  readonly confirmations: number;
}

/** A scanner that opens no connection before its first question. Throws for options that can never work. */
export function utxoScanner(
  options: UtxoScannerOptions,
  pool: BackendPool = backendPool(options),
): ChainScanner {
  const { chain, network, asset, confirmations } = options;
  const waiting = waitingPayments({ network, asset });
  const histories = historyScan({ chain, network, asset, pool });
  const lag = { time: options.time };
  let highestTip = -1;

  /** A node that lags must not look like a shorter chain: whenever the tip falls back, the other nodes are asked as well. */
  async function head(): Promise<ChainHead> {
    let tip = await pool.use((backend) => backend.tip());
    if (tip.height < highestTip && pool.size > 1)
      for (const other of await pool.every((backend) => backend.tip()))
        if (other.height > tip.height) tip = other;
    highestTip = tip.height;
    return { tip, finalizedHeight: finalizedByConfirmations(tip.height, confirmations) };
  }

  async function blockAt(height: number): Promise<BlockRef | null> {
    return firstFound(pool, (backend) => backend.headerAt(height));
  }

  async function lookup(txid: string): Promise<TransactionStatus> {
    if (!isTxid(txid)) return { state: 'unknown' };
    return bestStatus(pool, (backend) => backend.place(txid));
  }

  async function hashesIn(
    backend: BlockBackend,
    range: { from: number; to: number },
  ): Promise<readonly string[]> {
    const hashes = await backend.hashesAt(heightsOf(range));
    return hashes.map((hash, position) => {
      if (hash === null) throw new NodeLagging(`has no block ${range.from + position}`);
      return hash;
    });
  }

  async function scan(
    backend: BlockBackend,
    { from, to }: { from: number; to: number },
    watch: WatchList,
  ): Promise<readonly ScannedBlock[]> {
    const hashes = await bridged(() => hashesIn(backend, { from, to }), lagAt(to, highestTip, lag));
    const unknownIn = unknownSpends(watch.spending, { network, asset });
    const scanned: ScannedBlock[] = [];
    for (const [position, hash] of hashes.entries()) {
      const height = from + position;
      const { transactions, parentHash, time } = await readBlock(network, backend, hash);
      if (position > 0 && parentHash !== hashes[position - 1])
        throw new ChainUnavailable(`${chain} was reorganised while blocks ${from} to ${to} were read`);
      const placed = transactions.map((transaction, at) => ({
        transaction,
        block: { height, position: at },
      }));
      const transfers = (await paymentsIn(placed, { network, asset, watch })).flat();
      const unknown = unknownField(await unknownIn(transactions, transfers));
      scanned.push({ height, hash, parentHash, time, transfers, ...unknown });
    }
    return scanned;
  }

  return {
    chain,
    maxRange: MAX_RANGE,
    head,
    blockAt,
    lookup,
    blocks: async (range, watch) => {
      checkBlockRange(range, MAX_RANGE);
      return pool.use((backend) =>
        'rawBlock' in backend ? scan(backend, range, watch) : histories.blocks(backend, range, watch),
      );
    },
    ...('electrum' in options.source ? { late: histories.late } : {}),
    pending: async (watch) => {
      let isSpared = false;
      const read = pool.use(async (backend) => {
        if ('follow' in backend) await backend.follow(await watch.following());
        const found = await waiting.read(backend, watch);
        isSpared ||= found === null;
        if (found === null) throw new NodeLagging('counts its calls: another one may not');
        return found;
      });
      return read.catch((error: unknown) => {
        if (isSpared && error instanceof ChainUnavailable) return null;
        throw error;
      });
    },
    confirmWithNodes: agreementAmong(
      { chain, pool, logger: options.logger },
      {
        hashAt: async (backend, height) => (await backend.hashesAt([height]))[0],
        finalHeight: async (backend) => finalizedByConfirmations((await backend.tip()).height, confirmations),
        // The block's hash was computed, and commits to its transactions by the Merkle root that they were held against (raw-block.ts).
        reading: null,
      },
    ),
    unscannedAssets: async () => [],
    doubt: () => pool.doubt(),
    close: async () => pool.close(),
  };
}
