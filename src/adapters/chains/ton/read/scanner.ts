/**
 * The ChainScanner of TON over toncenter's API: coins, and listed jettons, that arrive at wallets of one public key. Blocks are
 * those of the masterchain, which are final when they are there. Several nodes stand in for each other.
 */
import type { BlockRef, ChainHead, ChainScanner } from '../../../../ports/chains/chain-scanner.ts';
import { firstFound } from '../../shared/nodes/across-nodes.ts';
import { bridged, lagAt } from '../../shared/nodes/lagging.ts';
import { agreementAmong } from '../../shared/nodes/node-quorum.ts';
import { checkBlockRange } from '../../shared/read/block-range.ts';
import { finalizedByConfirmations } from '../../shared/read/finality.ts';
import { rawAddress } from '../address.ts';
import { walletAddress, walletId } from '../codec/wallet-v5.ts';
import { connectTon, type TonConnection } from '../connection.ts';
import { tonPublicKey } from '../deriver.ts';
import { fromIndex } from '../index-api.ts';
import type { TonNodeOptions } from '../nodes.ts';
import { lacksBlock, type TonNode } from '../toncenter.ts';
import { masterBlock, masterBlockAt, masterTip, shardTips, transactionsBetween } from './blocks.ts';
import { indexedTip } from './indexed-blocks.ts';
import type { JettonListing } from './jettons.ts';
import { lookUp } from './look-up.ts';
import { accountOmissions } from './omissions.ts';
import { rangeScanner } from './range-scan.ts';

/** Out of an index; of lists of the lite server a range has fewer (range-scan.ts). */
const MAX_RANGE = 128;

export interface TonScannerOptions extends TonNodeOptions {
  /** The family's key (keystore), 64 hex digits. */
  readonly publicKey: string;
  /** Asset key of the chain's own coin. */
  readonly nativeAsset: string;
  readonly jettons: readonly JettonListing[];
  /** Masterchain blocks that make one final, its own included; 1 unless an operator wants to wait for more. */
  readonly confirmations: number;
}

/** The newest block that ranges go up to: an index is some blocks behind its lite server. */
async function readableTip(node: TonNode): Promise<BlockRef> {
  return (await fromIndex(node, 'blocks', (index) => indexedTip(node, index))) ?? masterTip(node);
}

/** A scanner that opens no connection before its first question. Throws for options that can never work. */
export function tonScanner(
  options: TonScannerOptions,
  connection: TonConnection = connectTon(options),
): ChainScanner {
  const { chain, network, nativeAsset, confirmations, logger } = options;
  const key = tonPublicKey(options.publicKey);
  const ownerOf = (index: number): Uint8Array => walletAddress(network, key, { role: 'deposit', index }).hash;
  const hot = walletAddress(network, key, { role: 'hot' });
  const { pool } = connection;
  const jettons = connection.jettons.among(options.jettons);
  const hotWallet = {
    address: rawAddress(hot),
    walletId: walletId(network, { role: 'hot' }),
    publicKey: key,
  };
  const omissions = accountOmissions({
    ...{ chain, pool, nativeAsset, jettons, logger },
    hotWallet: hotWallet.address,
  });
  const ranges = rangeScanner({ nativeAsset, jettons, ownerOf, hotWallet, note: omissions.note });
  let highestTip = -1;

  /** A node that lags must not look like a shorter chain: whenever the tip falls back, the other nodes are asked as well. */
  async function head(): Promise<ChainHead> {
    let tip = await pool.use((node) => bridged(() => readableTip(node), { ...options, lacks: lacksBlock }));
    if (tip.height < highestTip && pool.size > 1)
      for (const other of await pool.every(readableTip)) if (other.height > tip.height) tip = other;
    highestTip = tip.height;
    return { tip, finalizedHeight: finalizedByConfirmations(tip.height, confirmations) };
  }

  return {
    chain,
    maxRange: MAX_RANGE,
    head,
    blockAt: (height) => firstFound(pool, (node) => masterBlockAt(node, height)),
    blocks: async (range, watch) => {
      checkBlockRange(range, MAX_RANGE);
      const lag = { ...lagAt(range.to, highestTip, options), lacks: lacksBlock };
      return pool.use((node) => bridged(() => ranges.scan(node, range, watch), lag));
    },
    late: omissions.late,
    // What is on its way between shards is not listed anywhere.
    pending: async () => [],
    confirmWithNodes: agreementAmong(
      { chain, pool, logger },
      {
        hashAt: async (node, height) => (await masterBlock(node, height)).hash,
        finalHeight: async (node) => finalizedByConfirmations((await masterTip(node)).height, confirmations),
        // The hash of a transaction commits to its account, its time and all that it says (transactions.ts): each node has to list it.
        reading: async (node, { height }) => {
          const [before, after] = await Promise.all([shardTips(node, height - 1), shardTips(node, height)]);
          const listed = await transactionsBetween(node, before, after);
          const shown = new Set(listed.map(({ hash, lt }) => `${hash} lt:${lt}`));
          return ({ txid, output }) => shown.has(`${txid} ${output}`);
        },
      },
    ),
    lookup: (txid, seen) => lookUp({ chain, pool, nativeAsset, jettons, highestTip }, txid, seen),
    unscannedAssets: async () => {
      await jettons.usable();
      return jettons.faults();
    },
    doubt: () => pool.doubt(),
    close: async () => pool.close(),
  };
}
