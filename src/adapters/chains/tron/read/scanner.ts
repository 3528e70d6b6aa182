/**
 * The ChainScanner of Tron over the HTTP API of its nodes: the coin, TRC-20 tokens of listed contracts, and what contracts
 * pay in the coin, where the node records it. Blocks are read at the tip; final is what is solidified. Several nodes stand in
 * for each other.
 */
import type {
  BlockRef,
  ChainHead,
  ChainScanner,
  ScannedBlock,
  TransactionStatus,
  Transfer,
  UnknownTransaction,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import { bestStatus, firstFound } from '../../shared/nodes/across-nodes.ts';
import { bridged, lagAt } from '../../shared/nodes/lagging.ts';
import { agreementAmong, byScanning } from '../../shared/nodes/node-quorum.ts';
import { checkBlockRange } from '../../shared/read/block-range.ts';
import { blockOmissions } from '../../shared/read/omissions.ts';
import { toldBlocks } from '../../shared/read/told-blocks.ts';
import { unknownField, withoutSigned } from '../../shared/read/unknown.ts';
import { connectTron, type TronConnection } from '../connection.ts';
import { readHead } from '../head.ts';
import type { TronNode } from '../node.ts';
import type { TronOptions } from '../node-pool.ts';
import type { TokenListing } from '../tokens.ts';
import {
  BLOCKS_AT_ONCE,
  blockOf,
  confirmCanonical,
  headerAt,
  readBlocks,
  readInfo,
  readInfosOf,
  type TransactionInfo,
  type TronBlock,
  type TronHeader,
} from './blocks.ts';
import { doubtedBlocks } from './doubted-blocks.ts';
import { newestBlocks } from './newest.ts';
import { payingOwner, paymentsOf, permissionChange } from './payments.ts';
import { isTxid, isWaiting } from './waiting.ts';

/** Blocks that are not solid yet (19 of 27 producers have to follow) or too few to be looked at, a process leaves to the next. */
const UNLOOKED = 24 + BLOCKS_AT_ONCE;

export interface TronScannerOptions extends TronOptions {
  /** Asset key of the coin. */
  readonly asset: string;
  readonly tokens: readonly TokenListing[];
  /** Blocks that make a block final, its own included, if that is to be more than being solidified; null: solidified. */
  readonly confirmations: number | null;
}

/** A scanner that opens no connection before its first question. Throws for options that can never work. */
export function tronScanner(
  options: TronScannerOptions,
  connection: TronConnection = connectTron(options),
): ChainScanner {
  const { chain, asset, confirmations, logger } = options;
  const { pool } = connection;
  const tokens = connection.tokens.among(options.tokens);
  const newest = newestBlocks();
  const told = toldBlocks();
  const doubted = doubtedBlocks({ chain, pool, logger });
  let highestTip = -1;
  let finalized = -1;
  const readAlone = (node: TronNode) => readHead(node, { confirmations });

  /** A node that lags must not look like a shorter chain: whenever the tip falls back, the other nodes are asked as well. */
  async function head({ finality } = { finality: true }): Promise<ChainHead> {
    let best: { tip: TronHeader; finalizedHeight: number } = await pool.use(async (node) =>
      finality
        ? readHead(node, { confirmations }, newest.tip)
        : { tip: await newest.tip(node), finalizedHeight: finalized },
    );
    if (best.tip.height < highestTip && pool.size > 1)
      for (const other of await pool.every(readAlone)) if (other.tip.height > best.tip.height) best = other;
    highestTip = best.tip.height;
    finalized = best.finalizedHeight;
    return { tip: refOf(best.tip), finalizedHeight: Math.min(finalized, highestTip) };
  }

  async function blockAt(height: number): Promise<BlockRef | null> {
    const found = await firstFound(pool, (node) => headerAt(node, height));
    return found && refOf(found);
  }

  async function statusOf(node: TronNode, txid: string): Promise<TransactionStatus> {
    const info = await readInfo(node, txid);
    if (info === null) return { state: (await isWaiting(node, txid)) ? 'pending' : 'unknown' };
    return { state: 'mined', height: info.height, blockHash: (await blockOf(node, info)).hash };
  }

  async function lookup(txid: string): Promise<TransactionStatus> {
    if (!isTxid(txid)) return { state: 'unknown' };
    return bestStatus(pool, (node) => statusOf(node, txid));
  }

  async function scan(
    node: TronNode,
    wanted: readonly TronBlock[],
    watch: WatchList,
  ): Promise<readonly ScannedBlock[]> {
    const paid = { native: asset, tokens: await tokens.usable(node) };
    const infos = await readInfosOf(node, wanted);
    const blocks = wanted.slice(0, infos.length);
    const found = blocks.map(({ transactions }, position) =>
      transactions.map((transaction, index) => {
        const info = infos[position]![index]!;
        return {
          payments: paymentsOf(transaction, info, paid),
          changed: permissionChange(transaction, info),
        };
      }),
    );
    const all = found
      .flat()
      .flatMap(({ payments, changed }) => [
        ...payments.map(({ to }) => to),
        ...(changed === null ? [] : [changed]),
      ]);
    const known = await watch.known([...new Set(all)]);
    const { spending } = watch;
    const sent = blocks.map(({ transactions }, position) =>
      transactions.flatMap((transaction, index) => {
        if (spending === undefined || payingOwner(transaction) !== spending.wallet) return [];
        return [unknownOf(infos[position]![index]!, found[position]![index]!.payments, spending.wallet)];
      }),
    );
    const unknown = await withoutSigned(spending, sent);
    // No hash binds what became of transactions: it was read of the chain that had the blocks, if it still has them.
    if (known.size > 0 || unknown.flat().length > 0) await confirmCanonical(node, blocks);
    return blocks.map((block, position) => {
      const transfers = found[position]!.flatMap(({ payments }) =>
        payments.filter(({ to }) => known.has(to)),
      );
      const frozen = found[position]!.flatMap(({ changed }) =>
        changed && known.has(changed) ? [changed] : [],
      );
      return {
        ...{ ...refOf(block), transfers, ...unknownField(unknown[position]) },
        ...(frozen.length === 0 ? {} : { frozen: [...new Set(frozen)] }),
      };
    });
  }

  const scanAnew = async (node: TronNode, range: { from: number; to: number }, watch: WatchList) =>
    scan(node, await doubted.held(node, range, await readBlocks(node, range)), watch);

  const late = blockOmissions({
    ...{ chain, pool, logger, told, scan: scanAnew },
    ...{ least: BLOCKS_AT_ONCE, most: BLOCKS_AT_ONCE, before: UNLOOKED + (confirmations ?? 0) },
  });

  return {
    chain,
    maxRange: BLOCKS_AT_ONCE,
    head,
    blockAt,
    lookup,
    blocks: async (range, watch) => {
      checkBlockRange(range, BLOCKS_AT_ONCE);
      const lag = lagAt(range.to, highestTip, options);
      const scanned = await pool.use(async (node) => {
        const read = await bridged(() => newest.read(node, range), lag);
        const wanted = await doubted.held(node, range, read);
        const blocks = await bridged(() => scan(node, wanted, watch), lag);
        told.note(node.label, range, blocks);
        return blocks;
      });
      newest.readTo(scanned.at(-1)!.height, highestTip);
      return scanned;
    },
    ...(pool.size === 1 ? {} : { late: (upTo, watch, take) => late(Math.min(upTo, finalized), watch, take) }),
    // A block comes every three seconds: what waits for it is not worth reading the whole pool of a node.
    pending: async () => [],
    confirmWithNodes: agreementAmong(
      { chain, pool, logger },
      {
        hashAt: async (node, height) => (await headerAt(node, height))?.hash,
        finalHeight: async (node) => (await readAlone(node)).finalizedHeight,
        // What became of a transaction is in no hash: each node executed it, and says so by itself.
        reading: byScanning(scanAnew),
      },
    ),
    unscannedAssets: async () => {
      await pool.use(tokens.usable);
      return tokens.faults();
    },
    doubt: () => pool.doubt(),
    close: async () => pool.close(),
  };
}

/** A transaction of our wallet, as if this gateway had not signed it. */
function unknownOf(
  { txid, feeUnits, succeeded }: TransactionInfo,
  payments: readonly Transfer[],
  wallet: string,
): UnknownTransaction {
  const paid = payments.filter(({ from }) => from === wallet);
  return {
    ...{ txid, nonce: null, feeUnits, harmless: !succeeded },
    payments: paid.map(({ to, asset, units }) => ({ to, asset, units })),
  };
}

function refOf({ height, hash, parentHash, time }: TronHeader): BlockRef {
  return { height, hash, parentHash, time };
}
