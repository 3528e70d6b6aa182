/**
 * The ChainScanner of Monero: blocks from monerod, payments from a view-only wallet in monero-wallet-rpc. What the wallet
 * says is held against the daemon's blocks, and where the two are not of one mind the answer is ChainUnavailable.
 */

import type { ChainIdentity } from '../../../ports/chains/chain-identity.ts';
import type { ChainNodes } from '../../../ports/chains/chain-nodes.ts';
import type { BlockRef, ChainScanner, Transfer } from '../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../ports/chains/watch-list.ts';
import type { Logger } from '../../../ports/runtime/logger.ts';
import type { BudgetTime } from '../shared/nodes/call-log.ts';
import { NodeLagging } from '../shared/nodes/node-errors.ts';
import { type NodePool, nodePool } from '../shared/nodes/node-pool.ts';
import { agreementAmong } from '../shared/nodes/node-quorum.ts';
import { checkBlockRange } from '../shared/read/block-range.ts';
import { finalizedByConfirmations } from '../shared/read/finality.ts';
import { type Daemon, daemon, type MinedBlock } from './daemon.ts';
import type { MoneroViewKeys } from './deriver.ts';
import { moneroRpc } from './rpc.ts';
import { lockedUntil } from './unlock-time.ts';
import { snapshotWallet, type WalletTransfer } from './wallet.ts';
import { walletFile, walletPassword } from './wallet-file.ts';

/** Headers only: what is in the blocks the wallet fetches by itself. */
const MAX_RANGE = 100;
const TIMEOUT_MS = 30_000;

export interface MoneroScannerOptions {
  readonly chain: string;
  /** Asset key of the coin. */
  readonly asset: string;
  /** monerod URLs in order of preference. */
  readonly rpc: readonly string[];
  /** A monero-wallet-rpc of our own, started with --wallet-dir. */
  readonly walletRpc: string;
  readonly keys: MoneroViewKeys;
  /** Blocks that make a block final, its own included. */
  readonly confirmations: number;
  /** First block to be read; null: where the application begins. */
  readonly startHeight: number | null;
  /** The chain that the database was used with; absent: any of the network. */
  readonly boundTo?: ChainIdentity | undefined;
  readonly logger: Logger;
  /** Rest of a failed daemon, milliseconds. */
  readonly coolDownMs?: number;
  /** To the daemons, behind whatever plan; the wallet's program is one's own. */
  readonly fetch?: typeof fetch;
  readonly time?: BudgetTime;
}

export interface DaemonPool extends NodePool<Daemon>, ChainNodes {
  readonly closed: AbortSignal;
  close(): void;
}

export function daemonPool(options: MoneroScannerOptions): DaemonPool {
  const { chain, keys, logger, coolDownMs, time } = options;
  const closing = new AbortController();
  const pool = nodePool<Daemon>({
    chain,
    nodes: options.rpc.map((url, position) => {
      const label = `node ${position + 1}`;
      const rpc = moneroRpc({
        ...{ url, label, timeoutMs: TIMEOUT_MS, closed: closing.signal },
        ...{ fetch: options.fetch, time },
      });
      return { node: daemon(rpc), budget: rpc.budget };
    }),
    serves: (node) => node.isOn(keys.network),
    identity: `the network "${keys.network}"`,
    genesis: async (node) => (await node.blockAt(0))?.hash ?? null,
    boundTo: options.boundTo,
    ...{ logger, time },
    ...(coolDownMs === undefined ? {} : { coolDownMs }),
  });
  return { ...pool, closed: closing.signal, close: () => closing.abort() };
}

/** A scanner that opens no connection before its first question. Throws for options that can never work. */
export function moneroScanner(
  options: MoneroScannerOptions,
  pool: DaemonPool = daemonPool(options),
): ChainScanner {
  const { chain, asset, keys, logger } = options;
  const common = { timeoutMs: TIMEOUT_MS, closed: pool.closed };
  const secrets = [keys.viewKey, walletPassword(keys)];
  const walletRpc = moneroRpc({ url: options.walletRpc, label: 'wallet-rpc', secrets, ...common });
  const file = walletFile({ chain, rpc: walletRpc, keys, startHeight: options.startHeight, logger });
  const wallet = snapshotWallet({ chain, rpc: walletRpc, primaryAddress: keys.primaryAddress, file });
  let highestTip = -1;

  /** A node that lags must not look like a shorter chain: whenever the tip falls back, the other nodes are asked as well. */
  async function tip(): Promise<MinedBlock> {
    const read = (node: Daemon): Promise<MinedBlock> => node.tip();
    let best = await pool.use(read);
    if (best.height < highestTip && pool.size > 1)
      for (const other of await pool.every(read)) if (other.height > best.height) best = other;
    highestTip = best.height;
    return best;
  }

  async function blockAt(height: number): Promise<BlockRef | null> {
    const read = (node: Daemon): Promise<MinedBlock | null> => node.blockAt(height);
    const found = await pool.use(read);
    if (found !== null || pool.size === 1) return found && blockRef(found);
    const other = (await pool.every(read)).find((block) => block !== null);
    return other === undefined ? null : blockRef(other);
  }

  async function ofOurs<T extends WalletTransfer>(
    found: readonly T[],
    watch: WatchList,
  ): Promise<readonly T[]> {
    const known = await watch.known([...new Set(found.map(({ address }) => address))]);
    // A payment whose one-time keys were all used before counts nothing.
    return found.filter(({ address, units }) => units > 0n && known.has(address));
  }

  /** Every transfer has to be in the daemon's block at its height; otherwise the wallet stands on another branch. */
  async function checkInBlock(
    node: Daemon,
    block: BlockRef,
    found: readonly WalletTransfer[],
  ): Promise<void> {
    if (found.length === 0) return;
    const inBlock = await node.transactionsIn(block);
    if (found.some(({ txid }) => !inBlock.has(txid)))
      throw new NodeLagging(`the wallet has other transactions in block ${block.height}`);
  }

  function transfer(found: WalletTransfer, block: BlockRef | null): Transfer {
    const until = block === null ? null : lockedUntil(found.unlockTime, block);
    return {
      txid: found.txid,
      output: `subaddress:${found.subaddress}`,
      asset,
      to: found.address,
      from: null,
      units: found.units,
      kind: 'payment',
      ...(until === null ? {} : { lockedUntil: until }),
    };
  }

  async function scan(node: Daemon, range: { from: number; to: number }, watch: WatchList) {
    const blocks = await node.blocks(range);
    const last = blocks.at(-1)!;
    // Asked after the blocks were there: what they pay was given out before.
    const reservedIndexes = await watch.reservedIndexes();
    const received = await wallet.received({ from: range.from, last, reservedIndexes });
    const ours = await ofOurs(received, watch);
    const scanned = [];
    for (const block of blocks) {
      const found = ours.filter(({ height }) => height === block.height);
      await checkInBlock(node, block, found);
      scanned.push({ ...blockRef(block), transfers: found.map((payment) => transfer(payment, block)) });
    }
    if ((await node.blockAt(last.height))?.hash !== last.hash)
      throw new NodeLagging(`the chain was reorganised while block ${last.height} was read`);
    return scanned;
  }

  return {
    chain,
    maxRange: MAX_RANGE,
    head: async () => {
      const best = await tip();
      const finalizedHeight = finalizedByConfirmations(best.height, options.confirmations);
      return { tip: blockRef(best), finalizedHeight };
    },
    blockAt,
    blocks: async (range, watch) => {
      checkBlockRange(range, MAX_RANGE);
      return pool.use((node) => scan(node, range, watch));
    },
    // With an unlock time it is shown when a block has it: from when on it can be spent depends on that block.
    pending: async (watch) =>
      pool.use(async (node) => {
        const at = { tip: await node.tip(), reservedIndexes: await watch.reservedIndexes() };
        const waiting = (await wallet.waiting(at)).filter(({ unlockTime }) => unlockTime === 0n);
        const ours = await ofOurs(waiting, watch);
        const inPool = await node.inPool(ours.map(({ txid }) => txid));
        return ours.filter(({ txid }) => inPool.has(txid)).map((payment) => transfer(payment, null));
      }),
    lookup: async (txid) => {
      if (!/^[0-9a-f]{64}$/.test(txid)) return { state: 'unknown' };
      const first = await pool.use((node) => node.place(txid));
      if (first.state === 'mined' || pool.size === 1) return first;
      const places = [first, ...(await pool.every((node) => node.place(txid)))];
      return (
        places.find(({ state }) => state === 'mined') ??
        places.find(({ state }) => state === 'pending') ??
        first
      );
    },
    confirmWithNodes: agreementAmong<Daemon>(
      { chain, pool, logger },
      {
        hashAt: async (node, height) => (await node.blockAt(height))?.hash,
        finalHeight: async (node) =>
          finalizedByConfirmations((await node.tip()).height, options.confirmations),
        // What a transaction pays only the wallet can tell, from what its one daemon gave it: that daemon should be the operator's
        // own. The others tell that the block holds these transactions.
        reading: async (node, block) => {
          const txids = await node.transactionsIn(block);
          return ({ txid }) => txids.has(txid);
        },
      },
    ),
    unscannedAssets: async () => {
      // A daemon of another network or a wallet that cannot be used is told at the start, and not with the first payment.
      await pool.use(async (node) => wallet.check({ tip: await node.tip() }));
      return [];
    },
    close: async () => pool.close(),
  };
}

function blockRef({ height, hash, parentHash, time }: MinedBlock): BlockRef {
  return { height, hash, parentHash, time };
}
