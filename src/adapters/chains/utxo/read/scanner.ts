/**
 * The ChainScanner of Bitcoin, Litecoin and Bitcoin Cash: blocks in consensus bytes, outputs
 * matched by the address of their script, waiting payments from the mempool; or, where a source
 * shows no blocks, the histories of addresses (scan-histories.ts). Several sources stand in for
 * each other.
 */
import {
  type ChainScanner,
  ChainUnavailable,
  type ScannedBlock,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import { bestStatus } from '../../shared/nodes/across-nodes.ts';
import { bridged, type Lag } from '../../shared/nodes/lagging.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import { heightsOf } from '../../shared/read/block-range.ts';
import { finalizedByConfirmations } from '../../shared/read/finality.ts';
import { scannerOver } from '../../shared/read/scanner-over.ts';
import { unknownField } from '../../shared/read/unknown.ts';
import type { BlockBackend, UtxoBackend } from '../backend.ts';
import { type BackendPool, backendPool, type UtxoOptions } from '../backends.ts';
import { isTxid } from '../rpc/answers.ts';
import { paymentsIn } from './payments.ts';
import { readBlock } from './read-block.ts';
import { historyScan } from './scan-histories.ts';
import { unknownSpends } from './unknown.ts';
import { type WaitingPayments, waitingPayments } from './waiting-payments.ts';

/** One block is in memory at a time; their payments are looked up together. */
const MAX_RANGE = 16;

export interface UtxoScannerOptions extends UtxoOptions {
  /** Asset key of the chain's coin. */
  readonly asset: string;
  /** Blocks that make a block final, its own included. */
  readonly confirmations: number;
}

/**
 * A scanner that opens no connection before its first question. Throws for options that can never
 * work.
 */
export function utxoScanner(
  options: UtxoScannerOptions,
  pool: BackendPool = backendPool(options),
): ChainScanner {
  const { chain, network, asset, confirmations, logger, time } = options;
  const waiting = waitingPayments({ network, asset });
  const histories = historyScan({ chain, network, asset, pool });
  const headOf = async (backend: UtxoBackend) => {
    const tip = await backend.tip();
    return { tip, finalizedHeight: finalizedByConfirmations(tip.height, confirmations) };
  };
  return {
    ...scannerOver({
      ...{ chain, maxRange: MAX_RANGE, pool, logger, seen: { head: null }, lag: { time }, headOf },
      headerAt: (backend, height) => backend.headerAt(height),
      scan: (backend, range, watch, lag) =>
        'rawBlock' in backend
          ? scanBlocks(options, backend, range, watch, lag)
          : histories.blocks(backend, range, watch),
      witness: {
        hashAt: async (backend, height) => (await backend.hashesAt([height]))[0],
        finalHeight: async (backend) => (await headOf(backend)).finalizedHeight,
        // The block's hash was computed, and commits to its transactions by the Merkle root that
        // they were held against (raw-block.ts).
        reading: null,
      },
    }),
    lookup: async (txid) =>
      isTxid(txid) ? bestStatus(pool, (backend) => backend.place(txid)) : { state: 'unknown' },
    ...('electrum' in options.source ? { late: histories.late } : {}),
    pending: (watch) => pendingAt(pool, waiting, watch),
    unscannedAssets: async () => [],
  };
}

/** Null where no source tells, since one counts its calls. */
async function pendingAt(
  pool: BackendPool,
  waiting: WaitingPayments,
  watch: WatchList,
): ReturnType<ChainScanner['pending']> {
  let isSpared = false;
  try {
    return await pool.use(async (backend) => {
      if ('follow' in backend) await backend.follow(await watch.following());
      const found = await waiting.read(backend, watch);
      isSpared ||= found === null;
      if (found === null) throw new NodeLagging('counts its calls: another one may not');
      return found;
    });
  } catch (error) {
    if (isSpared && error instanceof ChainUnavailable) return null;
    throw error;
  }
}

async function scanBlocks(
  { chain, network, asset }: UtxoScannerOptions,
  backend: BlockBackend,
  { from, to }: { from: number; to: number },
  watch: WatchList,
  lag: Lag,
): Promise<readonly ScannedBlock[]> {
  const hashes = await bridged(() => hashesIn(backend, { from, to }), lag);
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
