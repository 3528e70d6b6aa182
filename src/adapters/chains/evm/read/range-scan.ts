/** One range of blocks on one node, from raw answers to the transfers that pay somebody on the watch list. */
import { isTraced } from '../../../../domain/deposits/deposit.ts';
import type {
  BlockRange,
  ClaimedTransfer,
  ScannedBlock,
  Transfer,
} from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import { normalizeEvmAddress } from '../../shared/keys/eip55.ts';
import { RpcError } from '../../shared/nodes/node-errors.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { unknownField } from '../../shared/read/unknown.ts';
import { type NodeBlock, type NodeReceipt, type NodeTransaction, refOf } from '../decode.ts';
import type { EvmTokens } from '../tokens.ts';
import { balanceReader } from './balances.ts';
import { confirmCanonical, readBlocks } from './block-reader.ts';
import { readLogs } from './logs.ts';
import { receiptReader } from './receipts.ts';
import { unexplainedArrivals } from './reconcile.ts';
import { blockTraces } from './traces.ts';
import { internalTransfers, nativeTransfer, tokenTransfers } from './transfers.ts';
import { unknownIn } from './unknown.ts';

export interface RangeScanner {
  /** All blocks of the range, linked by parent hash. */
  scan(
    node: RpcNode,
    range: Pick<BlockRange, 'from' | 'to'>,
    watch: WatchList,
    known?: Known,
  ): Promise<readonly ScannedBlock[]>;
  /**
   * Of blocks that were read before (Known.later), linked and ascending, those in which something came to `addresses`. RpcError when the
   * node does not have their state (yet).
   */
  arrivals(
    node: RpcNode,
    left: readonly LeftBlock[],
    addresses: readonly string[],
  ): Promise<readonly ScannedBlock[]>;
  /** Whether listed contracts logged transfers in the block, as its header and its receipts say. */
  hasTransfers(node: RpcNode, height: number): Promise<boolean>;
  /** What contracts paid in each of the blocks. RpcError where the node does not trace them, at all or this time. */
  traced(
    node: RpcNode,
    blocks: readonly NodeBlock[],
    watch: WatchList,
  ): Promise<readonly (readonly Transfer[])[]>;
  /** Whether the node may be asked for traces, now or at a later poll. */
  mayTrace(node: RpcNode): boolean;
}

/** Of contracts, by which their assets are known, those whose logs are held against headers: the money in them is credited. */
export type Held = (contracts: ReadonlyMap<string, string>) => readonly string[];

/** What is known of a range before it is read. */
interface Known {
  /**
   * The blocks are traced only when some of these came by internal transfers, and only the balances are reconciled that told of some: a
   * node that does not trace, or has lost the state of the block, does not confirm these.
   */
  readonly claimed?: readonly ClaimedTransfer[];
  /** Of all addresses that expect the coin, those whose balance is another one after the range: the others got none in it. */
  readonly moved?: readonly string[];
  /** The last block, which the node told already. */
  readonly tip?: NodeBlock;
  /** Gets the blocks, and who expects the coin: they are neither traced nor are balances compared. */
  readonly later?: (read: readonly LeftBlock[], expecting: readonly string[]) => void;
}

/** A block whose balances are to be compared, and receipts of it that are known. */
export interface LeftBlock {
  readonly block: NodeBlock;
  readonly receipts: ReadonlyMap<string, NodeReceipt>;
}

export function rangeScanner(options: {
  chain: string;
  nativeAsset: string;
  tokens: EvmTokens;
  held: Held;
  trace: boolean;
  logger: Logger;
}): RangeScanner {
  const { chain, nativeAsset, tokens, held, logger } = options;
  const traces = blockTraces({ chain, logger });
  const endsAt = balanceReader();
  const receiptsAt = receiptReader();

  /** An old block's state may be gone from the node: then the range goes on without, loudly, rather than stop for ever. */
  async function reconciled(
    scan: Omit<Parameters<typeof unexplainedArrivals>[0], 'chain' | 'asset' | 'endsAt'>,
  ): Promise<ReadonlyMap<number, readonly Transfer[]>> {
    if (scan.addresses.length === 0) return new Map();
    try {
      return await unexplainedArrivals({ chain, asset: nativeAsset, endsAt, ...scan });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const [from, to] = [scan.blocks[0]!.height, scan.blocks.at(-1)!.height];
      const problem = { chain, node: scan.node.label, from, to, problem: error.message };
      logger.warn('chain.balances_unreconciled', problem);
      return new Map();
    }
  }

  async function logsOf(node: RpcNode, blocks: readonly NodeBlock[]) {
    const contracts = await tokens.usable(node);
    const asked = { blocks, contracts: [...contracts.keys()], held: held(contracts) };
    return { contracts, logs: await readLogs(node, asked, { chain, logger, receipts: receiptsAt }) };
  }

  /** Null where the node does not trace. */
  async function paidByContracts(node: RpcNode, blocks: readonly NodeBlock[]) {
    const frames = await traces.framesOf(node, blocks);
    return (
      frames &&
      blocks.map(({ transactions }, position) =>
        frames[position]!.flatMap((frame, index) =>
          internalTransfers({ txid: transactions[index]!.hash, frame, asset: nativeAsset }),
        ),
      )
    );
  }

  return {
    mayTrace: (node) => options.trace && traces.mayTrace(node),

    async traced(node, blocks, watch) {
      const paid = options.trace ? await paidByContracts(node, blocks) : null;
      if (paid === null) throw new RpcError(0, 'traces none of these blocks at present');
      const known = await watch.known([...new Set(paid.flat().map(({ to }) => to))]);
      return paid.map((ofBlock) => ofBlock.filter(({ to }) => known.has(to)));
    },

    async hasTransfers(node, height) {
      const { logs } = await logsOf(node, await readBlocks(node, { from: height, to: height }));
      return logs.some(({ length }) => length > 0);
    },

    async arrivals(node, left, addresses) {
      const blocks = left.map(({ block }) => block);
      const moving = paysOneOf(new Set(addresses));
      const wanted = left.flatMap(({ block, receipts }) =>
        block.transactions
          .filter((each) => moving(each) && !receipts.has(each.hash))
          .map(({ hash }) => ({ txid: hash, block })),
      );
      const known = left.flatMap(({ receipts }) => [...receipts]);
      const receipts = new Map([...known, ...(await receiptsAt.of(node, wanted))]);
      const asked = { chain, asset: nativeAsset, node, blocks, addresses, receipts, endsAt };
      const arrived = await unexplainedArrivals(asked);
      return blocks.flatMap((block) => {
        const transfers = arrived.get(block.height);
        return transfers === undefined ? [] : [{ ...refOf(block), transfers }];
      });
    },

    scan: async (node, range, watch, { claimed, moved, tip, later } = {}) => {
      const blocks = await readBlocks(node, range, tip);
      const { contracts, logs } = await logsOf(node, blocks);
      const hasCalls = claimed?.some(isTraced) ?? moved?.length !== 0;
      const asksTraces = hasCalls && later === undefined && options.trace;
      const calls = asksTraces ? await paidByContracts(node, blocks) : null;
      const tokensPaid = logs.map((ofBlock) => tokenTransfers(ofBlock, contracts));
      const candidates = blocks.map((block, position): readonly Transfer[] => [
        ...block.transactions.flatMap((transaction) => nativeTransfer(transaction, nativeAsset) ?? []),
        ...(calls?.[position] ?? []),
        ...tokensPaid[position]!,
      ]);
      const known = await watch.known([...new Set(candidates.flat().map(({ to }) => to))]);
      const untraced = calls === null && claimed === undefined;
      const expecting = untraced ? (moved ?? (await expectingNative(watch))) : [];
      const comparing = later ? [] : [...expecting, ...reconciledAmong(claimed ?? [])];
      const moving = paysOneOf(new Set(comparing));
      const unlisted = blocks.map((block, position) => unlistedAmong(block, tokensPaid[position]!, known));
      const receipts = await receiptsAt.of(
        node,
        blocks.flatMap((block, position) => [
          ...block.transactions
            .filter((each) => moving(each) || (each.value > 0n && each.to !== null && known.has(each.to)))
            .map(({ hash }) => ({ txid: hash, block })),
          ...[...unlisted[position]!].map((txid) => ({ txid, block })),
        ]),
      );
      const unexplained = await reconciled({ node, blocks, addresses: comparing, receipts });
      const { spending } = watch;
      const unknown = await unknownIn(node, blocks, {
        ...{ spending, nativeAsset, tokens: tokensPaid.flat(), receipts: receiptsAt },
      });
      // All of a single block was told by its hash.
      if (blocks.length > 1) await confirmCanonical(node, blocks);
      later?.(
        blocks.map((block) => ({ block, receipts })),
        expecting,
      );
      return blocks.map(({ height, hash, parentHash, time, transactions }, position) => {
        const order = new Map(transactions.map(({ hash: txid }, index) => [txid, index]));
        const placeIn = ({ txid }: Transfer): number => order.get(txid) ?? transactions.length;
        const paid = candidates[position]!.filter(
          ({ to, txid, output }) =>
            known.has(to) &&
            ((output !== 'native' && !unlisted[position]!.has(txid)) ||
              receipts.get(txid)?.succeeded === true),
        ).toSorted((a, b) => placeIn(a) - placeIn(b));
        const transfers = [...paid, ...(unexplained.get(height) ?? [])];
        return { height, hash, parentHash, time, transfers, ...unknownField(unknown[position]) };
      });
    },
  };
}

/** Of transactions, whether they move coins of one of `addresses`; fees are coins. */
const paysOneOf =
  (addresses: ReadonlySet<string>) =>
  ({ from, to, value }: NodeTransaction): boolean =>
    addresses.has(from) || (value > 0n && to !== null && addresses.has(to));

/** Receivers of what balances told of. */
const reconciledAmong = (claimed: readonly ClaimedTransfer[]): readonly string[] =>
  claimed.flatMap(({ output, to }) => (output.startsWith('balance:') ? [to] : []));

/** Normalized. */
async function expectingNative(watch: WatchList): Promise<readonly string[]> {
  const addresses = await watch.expectingNative();
  return [...new Set(addresses.flatMap((address) => normalizeEvmAddress(address) ?? []))];
}

/**
 * Transactions that pay somebody we know by a log, but are not in their block: those by which Polygon takes in money of another chain
 * were in none for a long time. Their receipts decide (safety.md R3).
 */
function unlistedAmong(
  { transactions }: NodeBlock,
  paid: readonly Transfer[],
  known: ReadonlySet<string>,
): ReadonlySet<string> {
  const listed = new Set(transactions.map(({ hash }) => hash));
  return new Set(paid.flatMap(({ txid, to }) => (known.has(to) && !listed.has(txid) ? [txid] : [])));
}
