/**
 * The ChainScanner of TON over toncenter's API: coins, and listed jettons, that arrive at wallets
 * of one public key. Blocks are those of the masterchain, which are final when they are there.
 * Several nodes stand in for each other.
 */
import type { BlockRef, ChainScanner } from '../../../../ports/chains/chain-scanner.ts';
import { bridged } from '../../shared/nodes/lagging.ts';
import { finalizedByConfirmations } from '../../shared/read/finality.ts';
import { type SeenHead, scannerOver, tipSeen } from '../../shared/read/scanner-over.ts';
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
  /**
   * Masterchain blocks that make one final, its own included; 1 unless an operator wants to wait
   * for more.
   */
  readonly confirmations: number;
}

/** The newest block that ranges go up to: an index is some blocks behind its lite server. */
async function readableTip(node: TonNode): Promise<BlockRef> {
  return (await fromIndex(node, 'blocks', (index) => indexedTip(node, index))) ?? masterTip(node);
}

/**
 * A scanner that opens no connection before its first question. Throws for options that can never
 * work.
 */
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
  const seen: SeenHead = { head: null };
  return {
    ...scannerOver({
      ...{ chain, maxRange: MAX_RANGE, pool, logger, seen, lag: { time: options.time } },
      async headOf(node, asked) {
        const lag = { time: options.time, lacks: lacksBlock };
        const tip = await (asked === undefined ? readableTip(node) : bridged(() => readableTip(node), lag));
        return { tip, finalizedHeight: finalizedByConfirmations(tip.height, confirmations) };
      },
      headerAt: masterBlockAt,
      scan: (node, range, watch, lag) =>
        bridged(() => ranges.scan(node, range, watch), { ...lag, lacks: lacksBlock }),
      witness: {
        hashAt: async (node, height) => (await masterBlock(node, height)).hash,
        finalHeight: async (node) => finalizedByConfirmations((await masterTip(node)).height, confirmations),
        // The hash of a transaction commits to its account, its time and all that it says
        // (transactions.ts): each node has to list it.
        reading: async (node, { height }) => {
          const [before, after] = await Promise.all([shardTips(node, height - 1), shardTips(node, height)]);
          const listed = await transactionsBetween(node, before, after);
          const shown = new Set(listed.map(({ hash, lt }) => `${hash} lt:${lt}`));
          return ({ txid, output }) => shown.has(`${txid} ${output}`);
        },
      },
    }),
    lookup: (txid, claimed) =>
      lookUp({ chain, pool, nativeAsset, jettons, highestTip: tipSeen(seen) }, txid, claimed),
    late: omissions.late,
    // What is on its way between shards is not listed anywhere.
    pending: async () => [],
    unscannedAssets: async () => {
      await jettons.usable();
      return jettons.faults();
    },
  };
}
