/**
 * The ChainScanner of Monero: blocks from monerod, payments from a view-only wallet in
 * monero-wallet-rpc. What the wallet says is held against the daemon's blocks, and where the two
 * are not of one mind the answer is ChainUnavailable.
 */

import type { ChainIdentity } from '../../../ports/chains/chain-identity.ts';
import type { ChainNodes } from '../../../ports/chains/chain-nodes.ts';
import type { BlockRef, ChainScanner, ScannedBlock, Transfer } from '../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../ports/chains/watch-list.ts';
import type { Logger } from '../../../ports/runtime/logger.ts';
import { bestStatus } from '../shared/nodes/across-nodes.ts';
import type { BudgetTime } from '../shared/nodes/call-log.ts';
import { NodeLagging } from '../shared/nodes/node-errors.ts';
import { type NodePool, nodePool } from '../shared/nodes/node-pool.ts';
import { finalizedByConfirmations } from '../shared/read/finality.ts';
import { refOf, scannerOver } from '../shared/read/scanner-over.ts';
import { type Daemon, daemon, type MinedBlock } from './daemon.ts';
import type { MoneroViewKeys } from './deriver.ts';
import { moneroRpc } from './rpc.ts';
import { lockedUntil } from './unlock-time.ts';
import { snapshotWallet, type ViewWallet, type WalletTransfer } from './wallet.ts';
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

interface MoneroScanContext {
  readonly asset: string;
  readonly pool: DaemonPool;
  readonly wallet: ViewWallet;
}

/**
 * A scanner that opens no connection before its first question. Throws for options that can never
 * work.
 */
export function moneroScanner(
  options: MoneroScannerOptions,
  pool: DaemonPool = daemonPool(options),
): ChainScanner {
  const { chain, asset, confirmations, logger, time } = options;
  const wallet = openWallet(options, pool);
  const reading: MoneroScanContext = { asset, pool, wallet };
  const headOf = async (node: Daemon) => {
    const tip = await node.tip();
    return { tip, finalizedHeight: finalizedByConfirmations(tip.height, confirmations) };
  };
  return {
    ...scannerOver<Daemon, MinedBlock>({
      ...{ chain, maxRange: MAX_RANGE, pool, logger, seen: { head: null }, lag: { time }, headOf },
      headerAt: (node, height) => node.blockAt(height),
      scan: (node, range, watch) => scan(reading, node, range, watch),
      witness: {
        hashAt: async (node, height) => (await node.blockAt(height))?.hash,
        finalHeight: async (node) => (await headOf(node)).finalizedHeight,
        // What a transaction pays only the wallet can tell, from what its one daemon gave it: that
        // daemon should be the operator's own. The others tell that the block holds these
        // transactions.
        reading: async (node, block) => {
          const txids = await node.transactionsIn(block);
          return ({ txid }) => txids.has(txid);
        },
      },
    }),
    lookup: async (txid) =>
      isTxid(txid) ? bestStatus(pool, (node) => node.place(txid)) : { state: 'unknown' },
    pending: (watch) => pool.use((node) => waiting(reading, node, watch)),
    unscannedAssets: async () => {
      // A daemon of another network or a wallet that cannot be used is told at the start, and not
      // with the first payment.
      await pool.use(async (node) => wallet.check({ tip: await node.tip() }));
      return [];
    },
  };
}

const isTxid = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

function openWallet(
  { chain, keys, startHeight, logger, ...options }: MoneroScannerOptions,
  { closed }: DaemonPool,
): ViewWallet {
  const secrets = [keys.viewKey, walletPassword(keys)];
  const rpc = moneroRpc({
    ...{ url: options.walletRpc, label: 'wallet-rpc', secrets, timeoutMs: TIMEOUT_MS, closed },
  });
  const file = walletFile({ chain, rpc, keys, startHeight, logger });
  return snapshotWallet({ chain, rpc, primaryAddress: keys.primaryAddress, file });
}

async function scan(
  reading: MoneroScanContext,
  node: Daemon,
  range: { from: number; to: number },
  watch: WatchList,
): Promise<readonly ScannedBlock[]> {
  const blocks = await node.blocks(range);
  const last = blocks.at(-1)!;
  // Asked after the blocks were there: what they pay was given out before.
  const reservedIndexes = await watch.reservedIndexes();
  const received = await reading.wallet.received({ from: range.from, last, reservedIndexes });
  const ours = await ofOurs(received, watch);
  const scanned: ScannedBlock[] = [];
  for (const block of blocks) {
    const found = ours.filter(({ height }) => height === block.height);
    await checkInBlock(node, block, found);
    scanned.push({
      ...refOf(block),
      transfers: found.map((payment) => transferOf(reading, payment, block)),
    });
  }
  if ((await node.blockAt(last.height))?.hash !== last.hash)
    throw new NodeLagging(`the chain was reorganised while block ${last.height} was read`);
  return scanned;
}

/**
 * With an unlock time it is shown when a block has it: from when on it can be spent depends on that
 * block.
 */
async function waiting(
  reading: MoneroScanContext,
  node: Daemon,
  watch: WatchList,
): Promise<readonly Transfer[]> {
  const at = { tip: await node.tip(), reservedIndexes: await watch.reservedIndexes() };
  const found = (await reading.wallet.waiting(at)).filter(({ unlockTime }) => unlockTime === 0n);
  const ours = await ofOurs(found, watch);
  const inPool = await node.inPool(ours.map(({ txid }) => txid));
  return ours.filter(({ txid }) => inPool.has(txid)).map((payment) => transferOf(reading, payment, null));
}

async function ofOurs<T extends WalletTransfer>(
  found: readonly T[],
  watch: WatchList,
): Promise<readonly T[]> {
  const known = await watch.known([...new Set(found.map(({ address }) => address))]);
  // A payment whose one-time keys were all used before counts nothing.
  return found.filter(({ address, units }) => units > 0n && known.has(address));
}

/**
 * Every transfer has to be in the daemon's block at its height; otherwise the wallet stands on
 * another branch.
 */
async function checkInBlock(node: Daemon, block: BlockRef, found: readonly WalletTransfer[]): Promise<void> {
  if (found.length === 0) return;
  const inBlock = await node.transactionsIn(block);
  if (found.some(({ txid }) => !inBlock.has(txid)))
    throw new NodeLagging(`the wallet has other transactions in block ${block.height}`);
}

function transferOf({ asset }: MoneroScanContext, found: WalletTransfer, block: BlockRef | null): Transfer {
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
