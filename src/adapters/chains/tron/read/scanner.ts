/**
 * The ChainScanner of Tron over the HTTP API of its nodes: the coin, TRC-20 tokens of listed
 * contracts, and what contracts pay in the coin, where the node records it. Blocks are read at the
 * tip; final is what is solidified. Several nodes stand in for each other.
 */
import type {
  ChainScanner,
  ScannedBlock,
  TransactionStatus,
  Transfer,
  UnknownTransaction,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import { bestStatus } from '../../shared/nodes/across-nodes.ts';
import { bridged } from '../../shared/nodes/lagging.ts';
import { byScanning } from '../../shared/nodes/node-quorum.ts';
import { blockOmissions } from '../../shared/read/omissions.ts';
import { finalSeen, refOf, type SeenHead, scannerOver, tipSeen } from '../../shared/read/scanner-over.ts';
import { toldBlocks } from '../../shared/read/told-blocks.ts';
import { unknownField, withoutSigned } from '../../shared/read/unknown.ts';
import { unscannedOf } from '../../shared/token-book.ts';
import { connectTron, type TronConnection } from '../connection.ts';
import { readHead } from '../head.ts';
import type { TronNode } from '../node.ts';
import type { TronOptions } from '../node-pool.ts';
import type { TokenListing, TronTokens } from '../tokens.ts';
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
import { type DoubtedBlocks, doubtedBlocks } from './doubted-blocks.ts';
import { newestBlocks } from './newest.ts';
import { payingOwner, paymentsOf, permissionChange } from './payments.ts';
import { isTxid, isWaiting } from './waiting.ts';

/**
 * Blocks that are not solid yet (19 of 27 producers have to follow) or too few to be looked at, a
 * process leaves to the next.
 */
const UNLOOKED = 24 + BLOCKS_AT_ONCE;

export interface TronScannerOptions extends TronOptions {
  /** Asset key of the coin. */
  readonly asset: string;
  readonly tokens: readonly TokenListing[];
  /**
   * Blocks that make a block final, its own included, if that is to be more than being solidified;
   * null: solidified.
   */
  readonly confirmations: number | null;
}

/** What the blocks are read with. */
interface TronScanContext {
  readonly asset: string;
  readonly tokens: TronTokens;
  readonly doubted: DoubtedBlocks;
}

/**
 * A scanner that opens no connection before its first question. Throws for options that can never
 * work.
 */
export function tronScanner(
  options: TronScannerOptions,
  connection: TronConnection = connectTron(options),
): ChainScanner {
  const { chain, asset, confirmations, logger, time } = options;
  const { pool } = connection;
  const tokens = connection.tokens.among(options.tokens);
  const reading: TronScanContext = { asset, tokens, doubted: doubtedBlocks({ chain, pool, logger }) };
  const newest = newestBlocks();
  const told = toldBlocks();
  const seen: SeenHead = { head: null };
  const late = blockOmissions<TronNode>({
    ...{ chain, pool, logger, told, scan: (node, range, watch) => scanAnew(reading, node, range, watch) },
    ...{ least: BLOCKS_AT_ONCE, most: BLOCKS_AT_ONCE, before: UNLOOKED + (confirmations ?? 0) },
  });
  return {
    ...scannerOver<TronNode, TronHeader>({
      ...{ chain, maxRange: BLOCKS_AT_ONCE, pool, logger, seen, lag: { time }, headerAt },
      async headOf(node, asked) {
        if (asked === undefined) return readHead(node, { confirmations });
        return asked.finality
          ? readHead(node, { confirmations }, newest.tip)
          : { tip: await newest.tip(node), finalizedHeight: finalSeen(seen) };
      },
      async scan(node, range, watch, lag) {
        const read = await bridged(() => newest.read(node, range), lag);
        const wanted = await reading.doubted.held(node, range, read);
        const blocks = await bridged(() => scan(reading, node, wanted, watch), lag);
        told.note(node.label, range, blocks);
        newest.readTo(blocks.at(-1)!.height, tipSeen(seen));
        return blocks;
      },
      witness: {
        hashAt: async (node, height) => (await headerAt(node, height))?.hash,
        finalHeight: async (node) => (await readHead(node, { confirmations })).finalizedHeight,
        // What became of a transaction is in no hash: each node executed it, and says so by itself.
        reading: byScanning((node, range, watch) => scanAnew(reading, node, range, watch)),
      },
    }),
    lookup: async (txid) =>
      isTxid(txid) ? bestStatus(pool, (node) => statusOf(node, txid)) : { state: 'unknown' },
    ...(pool.size === 1
      ? {}
      : { late: (upTo, watch, take) => late(Math.min(upTo, finalSeen(seen)), watch, take) }),
    // A block comes every three seconds: what waits for it is not worth reading the whole pool of a
    // node.
    pending: async () => [],
    unscannedAssets: () => unscannedOf(pool, tokens),
  };
}

async function statusOf(node: TronNode, txid: string): Promise<TransactionStatus> {
  const info = await readInfo(node, txid);
  if (info === null) return { state: (await isWaiting(node, txid)) ? 'pending' : 'unknown' };
  return { state: 'mined', height: info.height, blockHash: (await blockOf(node, info)).hash };
}

async function scanAnew(
  reading: TronScanContext,
  node: TronNode,
  range: { from: number; to: number },
  watch: WatchList,
): Promise<readonly ScannedBlock[]> {
  const wanted = await reading.doubted.held(node, range, await readBlocks(node, range));
  return scan(reading, node, wanted, watch);
}

async function scan(
  { asset, tokens }: TronScanContext,
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
  // No hash binds what became of transactions: it was read of the chain that had the blocks, if it
  // still has them.
  if (known.size > 0 || unknown.flat().length > 0) await confirmCanonical(node, blocks);
  return blocks.map((block, position) => {
    const transfers = found[position]!.flatMap(({ payments }) => payments.filter(({ to }) => known.has(to)));
    const frozen = found[position]!.flatMap(({ changed }) =>
      changed && known.has(changed) ? [changed] : [],
    );
    return {
      ...{ ...refOf(block), transfers, ...unknownField(unknown[position]) },
      ...(frozen.length === 0 ? {} : { frozen: [...new Set(frozen)] }),
    };
  });
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
