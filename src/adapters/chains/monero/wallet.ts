/**
 * The view-only wallet inside monero-wallet-rpc, which this adapter makes, opens and refreshes
 * itself. It answers only when the daemon behind it had the caller's block before and after it was
 * read, so that no two branches are mixed.
 */
import { member } from '../../../domain/money/lossless-json.ts';
import { ChainUnavailable } from '../../../ports/chains/chain-scanner.ts';
import { NodeError, RpcError } from '../shared/nodes/node-errors.ts';
import { digits, hash, list, wholeNumber } from './answers.ts';
import type { MinedBlock } from './daemon.ts';
import type { MoneroRpc } from './rpc.ts';
import type { WalletFile } from './wallet-file.ts';

/**
 * What one transaction pays to one of our subaddresses: wallet2 adds its outputs up, and counts a
 * one-time key once (safety.md M1), as only one of its outputs can ever be spent: of a later one
 * just what it has more than the one before.
 */
export interface WalletTransfer {
  readonly txid: string;
  /** Null while it waits in the pool. */
  readonly height: number | null;
  readonly address: string;
  /** `0/7`: account and index. */
  readonly subaddress: string;
  /** Atomic units. */
  readonly units: bigint;
  /** As the transaction says it: 0, a height, or Unix seconds. */
  readonly unlockTime: bigint;
}

export interface ViewWallet {
  /** Throws ChainUnavailable unless the wallet is there, and ours. */
  check(at: { tip: MinedBlock }): Promise<void>;
  /**
   * What the blocks `from` .. `last` pay. `reservedIndexes`: see WatchList, read after `last` was.
   * Throws ChainUnavailable.
   */
  received(range: {
    from: number;
    last: MinedBlock;
    reservedIndexes: number;
  }): Promise<readonly WalletTransfer[]>;
  /**
   * What waits in the pool of the wallet's daemon, whose chain may be another than the caller's by
   * now.
   */
  waiting(at: { tip: MinedBlock; reservedIndexes: number }): Promise<readonly WalletTransfer[]>;
}

/** A wallet that was away for long reads many blocks; after that it is asked again. */
const REFRESH_PATIENCE_MS = 300_000;
/** Any scalar will do: only whether the transaction is found is of interest. */
const SOME_TX_KEY = `01${'00'.repeat(31)}`;

export function snapshotWallet(options: {
  chain: string;
  rpc: MoneroRpc;
  primaryAddress: string;
  file: WalletFile;
}): ViewWallet {
  const { chain, rpc, primaryAddress, file } = options;

  /** The wallet's failures end the caller's work at once: another daemon would not help. */
  async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NodeError || error instanceof RpcError)) throw error;
      throw new ChainUnavailable(`${chain}: ${error.message}`);
    }
  }

  /**
   * Whether the wallet's daemon has this very block on its chain. The wallet tells no hashes, but
   * it looks transactions up (check_tx_key), and the one that pays a block's miner is in no other
   * block.
   */
  async function checkDaemonHas({ height, minerTxid }: MinedBlock): Promise<void> {
    const question = { txid: minerTxid, tx_key: SOME_TX_KEY, address: primaryAddress };
    try {
      await rpc.call('check_tx_key', question);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      throw new ChainUnavailable(
        `${chain}: the daemon behind ${rpc.label} does not have block ${height} (${error.message})`,
      );
    }
  }

  async function knownBlocks(): Promise<number> {
    return wholeNumber(member(await rpc.call('get_height'), 'height'), 'height');
  }

  async function transfers(kind: 'in' | 'pool', filter: object): Promise<readonly WalletTransfer[]> {
    const answer = await rpc.call('get_transfers', { [kind]: true, account_index: 0, ...filter });
    return list(member(answer, kind) ?? [], kind).map((entry) => ({
      txid: hash(member(entry, 'txid'), 'txid'),
      height: kind === 'pool' ? null : wholeNumber(member(entry, 'height'), 'height'),
      address: String(member(entry, 'address')),
      subaddress: `0/${wholeNumber(member(entry, 'subaddr_index', 'minor'), 'subaddr_index')}`,
      units: digits(member(entry, 'amount'), 'amount'),
      unlockTime: digits(member(entry, 'unlock_time'), 'unlock_time'),
    }));
  }

  return {
    check: ({ tip }) => orUnavailable(() => file.open(tip.height)),
    received: ({ from, last, reservedIndexes }) =>
      orUnavailable(async () => {
        await file.open(from);
        await file.cover({ reservedIndexes, from, knownBlocks });
        await checkDaemonHas(last);
        const refreshed = await rpc.call('refresh', {}, { patienceMs: REFRESH_PATIENCE_MS });
        await checkDaemonHas(last);
        if (wholeNumber(member(refreshed, 'blocks_fetched'), 'blocks_fetched') > 0) await file.save();
        if ((await knownBlocks()) <= last.height)
          throw new ChainUnavailable(`${chain}: ${rpc.label} has not read block ${last.height} yet`);
        // Heights above min_height, up to and with max_height; block 0 pays nobody.
        const range = { filter_by_height: true, min_height: Math.max(0, from - 1), max_height: last.height };
        const found = await transfers('in', range);
        await file.asked(last.height);
        return found;
      }),
    waiting: ({ tip, reservedIndexes }) =>
      orUnavailable(async () => {
        await file.open(tip.height);
        await file.cover({ reservedIndexes, from: null, knownBlocks });
        return transfers('pool', {});
      }),
  };
}
