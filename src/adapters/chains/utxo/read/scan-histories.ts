/**
 * The parts of blocks that concern us, from sources that show no whole blocks: the transactions in
 * the histories of our addresses, each proven to be in its block. A transaction that a source
 * omitted or showed only after its block was read is late: it comes from the same source or another
 * one.
 */
import {
  type ChainScanner,
  ChainUnavailable,
  type ScannedBlock,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import type { NodePool } from '../../shared/nodes/node-pool.ts';
import { unknownField } from '../../shared/read/unknown.ts';
import type { HistoryBackend, ProvenTransaction, UtxoBackend } from '../backend.ts';
import { refOf } from '../codec/header-proof.ts';
import type { UtxoNetwork } from '../network.ts';
import { paymentsIn } from './payments.ts';
import { unknownSpends } from './unknown.ts';

interface HistoryScan {
  blocks(
    backend: HistoryBackend,
    range: { from: number; to: number },
    watch: WatchList,
  ): Promise<readonly ScannedBlock[]>;
  readonly late: NonNullable<ChainScanner['late']>;
}

/** How far back a late transaction is still taken: a day of Bitcoin. */
const LATE_BLOCKS = 144;

export function historyScan(options: {
  chain: string;
  network: UtxoNetwork;
  asset: string;
  pool: NodePool<UtxoBackend>;
}): HistoryScan {
  const { chain, network, asset, pool } = options;
  /** By txid and block, of the last `LATE_BLOCKS`. */
  let taken: ReadonlySet<string> = new Set();

  async function follow(backend: HistoryBackend, watch: WatchList): Promise<void> {
    await backend.follow(await watch.following());
  }

  /**
   * What these transactions of one block pay to us, and which of them spend our UTXOs without this
   * gateway.
   */
  async function scanned(
    block: Omit<ScannedBlock, 'transfers' | 'unknown'>,
    found: readonly ProvenTransaction[],
    { watch, unknownIn }: { watch: WatchList; unknownIn: ReturnType<typeof unknownSpends> },
  ): Promise<ScannedBlock> {
    const { height } = block;
    const inOrder = found.toSorted((a, b) => a.position - b.position);
    const placed = inOrder.map(({ transaction, position }) => ({ transaction, block: { height, position } }));
    const transfers = (await paymentsIn(placed, { network, asset, watch })).flat();
    const transactions = inOrder.map(({ transaction }) => transaction);
    return { ...block, transfers, ...unknownField(await unknownIn(transactions, transfers)) };
  }

  async function blocks(
    backend: HistoryBackend,
    { from, to }: { from: number; to: number },
    watch: WatchList,
  ): Promise<readonly ScannedBlock[]> {
    // A payer in one of these blocks learnt the address before the block, and so before this list
    // is read.
    const headers = [];
    for (let height = from; height <= to; height++) {
      const header = await backend.headerAt(height);
      if (header === null) throw new NodeLagging(`has no block ${height}`);
      headers.push(header);
    }
    await follow(backend, watch);
    const found = Map.groupBy(await backend.minedWithin({ from, to }), ({ header }) => header.hash);
    const unknownIn = unknownSpends(watch.spending, { network, asset });
    const all: ScannedBlock[] = [];
    for (const header of headers) {
      if (all.length > 0 && header.parentHash !== all.at(-1)!.hash)
        throw new ChainUnavailable(`${chain} was reorganised while blocks ${from} to ${to} were read`);
      all.push(await scanned(header, found.get(header.hash) ?? [], { watch, unknownIn }));
      found.delete(header.hash);
    }
    if (found.size > 0)
      throw new ChainUnavailable(`${chain} was reorganised while blocks ${from} to ${to} were read`);
    return all;
  }

  return {
    blocks,
    async late(upTo, watch, take) {
      const told = await pool.every(async (backend) => {
        if (!('follow' in backend)) return [];
        await follow(backend, watch);
        return backend.minedWithin({ from: Math.max(0, upTo - LATE_BLOCKS + 1), to: upTo });
      });
      const all = new Map(told.flat().map((each) => [keyOf(each), each] as const));
      const untaken = [...all].flatMap(([key, each]) => (taken.has(key) ? [] : [each]));
      if (untaken.length > 0) {
        const unknownIn = unknownSpends(watch.spending, { network, asset });
        const late: ScannedBlock[] = [];
        const ofBlock = Map.groupBy(untaken, ({ header }) => header.hash);
        const inOrder = [...ofBlock.values()].toSorted((a, b) => a[0]!.header.height - b[0]!.header.height);
        for (const found of inOrder) {
          const block = refOf(found[0]!.header);
          late.push(await scanned(block, found, { watch, unknownIn }));
        }
        await take(late);
      }
      taken = new Set(all.keys());
    },
  };
}

const keyOf = ({ transaction, header }: ProvenTransaction): string => `${transaction.txid()} ${header.hash}`;
