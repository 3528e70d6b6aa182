/**
 * The wallet file that monero-wallet-rpc keeps for this adapter: made from the view key where it is missing, opened after a
 * restart, and told of every subaddress before it reads blocks, because a wallet recognises only the ones it knows.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { member } from '../../../domain/money/lossless-json.ts';
import { ChainUnavailable } from '../../../ports/chains/chain-scanner.ts';
import type { Logger } from '../../../ports/runtime/logger.ts';
import { RpcError } from '../shared/nodes/node-errors.ts';
import type { MoneroRpc } from './rpc.ts';

export interface WalletFile {
  /** Has our wallet open, and a block from which on it knows all payments that is not above `from`. */
  open(from: number): Promise<void>;
  /**
   * Has the wallet know the subaddresses of all indexes below `reservedIndexes`, and more ahead. Where it has read blocks
   * from `from` on (null: above the last one that was asked for) without knowing one of them, it reads its blocks again.
   */
  cover(needs: {
    reservedIndexes: number;
    from: number | null;
    knownBlocks: () => Promise<number>;
  }): Promise<void>;
  /** Notes that payments up to this block were asked for: what was given out later is paid in later blocks. */
  asked(upTo: number): Promise<void>;
  /** Writes what was read to the disk: a wallet program that dies begins there again. */
  save(): Promise<void>;
}

export interface WalletKeys {
  readonly primaryAddress: string;
  readonly viewKey: string;
}

/** Kept inside the wallet file: the first block it has read, how many subaddresses it was told, the last block that was asked for. */
const FLOOR = 'quittance.floor';
const COVERED = 'quittance.covered';
const ASKED = 'quittance.asked';

const NOT_OPEN = -13;
const INDEX_OUT_OF_BOUND = -15;
const ATTRIBUTE_NOT_FOUND = -45;

/** As deep as the application can go back (app/watching/watch-chain.ts). */
const BLOCKS_BELOW = 2_000;
/** Addresses are reserved in blocks of 256; a wallet makes a subaddress in 2 ms, on a busy machine in 10. */
const LOOK_AHEAD = 512;
const MADE_AT_ONCE = 256;
/** A wallet of a million addresses is a large file. */
const FILE_PATIENCE_MS = 300_000;
const RESCAN_PATIENCE_MS = 1_800_000;

/** The password of the wallet file: who steals the file without knowing the view key sees nothing. */
export function walletPassword({ viewKey }: Pick<WalletKeys, 'viewKey'>): string {
  return hexDigest(`quittance view-only wallet ${viewKey.toLowerCase()}`);
}

/** `startHeight`: the first block that configuration wants read; a lower one than before makes another wallet. */
export function walletFile(options: {
  chain: string;
  rpc: MoneroRpc;
  keys: WalletKeys;
  startHeight: number | null;
  logger: Logger;
}): WalletFile {
  const { chain, rpc, keys, startHeight, logger } = options;
  const { primaryAddress, viewKey } = keys;
  const password = walletPassword(keys);
  const filename = `quittance-${hexDigest(primaryAddress).slice(0, 16)}${startHeight === null ? '' : `-from-${startHeight}`}`;

  async function attribute(key: string): Promise<number | null> {
    try {
      return Number(member(await rpc.call('get_attribute', { key }), 'value'));
    } catch (error) {
      if (error instanceof RpcError && error.code === ATTRIBUTE_NOT_FOUND) return null;
      throw error;
    }
  }
  const setAttribute = (key: string, value: number): Promise<unknown> =>
    rpc.call('set_attribute', { key, value: `${value}` });

  async function save(): Promise<void> {
    await rpc.call('store', {}, { patienceMs: FILE_PATIENCE_MS });
  }

  /** Primary address of the open wallet; null when none is open. */
  async function openedAddress(): Promise<unknown> {
    try {
      const answer = await rpc.call('get_address', { account_index: 0, address_index: [0] });
      return member(answer, 'address');
    } catch (error) {
      if (error instanceof RpcError && error.code === NOT_OPEN) return null;
      throw error;
    }
  }

  /** There already is one where this was interrupted before. */
  async function hasSubaddress(minor: number): Promise<boolean> {
    try {
      await rpc.call('get_address', { account_index: 0, address_index: [minor] });
      return true;
    } catch (error) {
      if (error instanceof RpcError && error.code === INDEX_OUT_OF_BOUND) return false;
      throw error;
    }
  }

  async function openOrMake(from: number): Promise<void> {
    try {
      await rpc.call('open_wallet', { filename, password }, { patienceMs: FILE_PATIENCE_MS });
      // Made by us, since the password is ours, but its first moments were cut short.
      if ((await attribute(FLOOR)) === null) await setAttribute(FLOOR, Math.min(from, startHeight ?? from));
    } catch (notOpened) {
      if (!(notOpened instanceof RpcError)) throw notOpened;
      await make(from, notOpened);
    }
  }

  async function make(from: number, notOpened: RpcError): Promise<void> {
    const floor = Math.max(0, (startHeight ?? from) - BLOCKS_BELOW);
    const wallet = { filename, password, address: primaryAddress, viewkey: viewKey, restore_height: floor };
    try {
      await rpc.call('generate_from_keys', { ...wallet, autosave_current: true });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      throw new ChainUnavailable(
        `${chain}: no wallet can be opened or made: ${notOpened.message}; ${error.message}`,
      );
    }
    await setAttribute(FLOOR, floor);
    logger.info('monero.wallet_made', { chain, filename, fromHeight: floor });
  }

  return {
    async open(from) {
      // Blocks are read only when this adapter says so: after the wallet knows the subaddresses (cover). Takes effect
      // without an open wallet too, and has to be said again after a restart.
      await rpc.call('auto_refresh', { enable: false });
      const opened = await openedAddress();
      if (opened !== null && opened !== primaryAddress)
        throw new ChainUnavailable(
          `${chain}: ${rpc.label} has the wallet of another address open: it must serve this gateway alone`,
        );
      // A wallet of this address that we did not make may hold the spend key: it is not used.
      const floor = opened === null ? null : await attribute(FLOOR);
      if (floor === null || floor > (startHeight ?? floor)) {
        if (opened !== null) await rpc.call('close_wallet', {}, { patienceMs: FILE_PATIENCE_MS });
        await openOrMake(from);
      }
      const begins = (await attribute(FLOOR)) ?? 0;
      if (begins > from)
        throw new ChainUnavailable(
          `${chain}: the wallet begins at block ${begins} and knows nothing of block ${from}: set chains.${chain}.start_height to it`,
        );
    },

    async cover({ reservedIndexes, from, knownBlocks }) {
      const covered = (await attribute(COVERED)) ?? 0;
      if (reservedIndexes + LOOK_AHEAD - MADE_AT_ONCE <= covered) return;
      const first = from ?? ((await attribute(ASKED)) ?? 0) + 1;
      const missed = reservedIndexes > covered && (await knownBlocks()) > first;
      const wanted = reservedIndexes + LOOK_AHEAD;
      for (let made = covered; made < wanted; made += MADE_AT_ONCE) {
        const count = Math.min(MADE_AT_ONCE, wanted - made);
        if (!(await hasSubaddress(made + count)))
          await rpc.call('create_address', { account_index: 0, count });
      }
      if (missed) {
        logger.warn('monero.rescan', { chain });
        await rpc.call('rescan_blockchain', {}, { patienceMs: RESCAN_PATIENCE_MS });
      }
      // Last: whoever is interrupted before does it all again.
      await setAttribute(COVERED, wanted);
      await save();
    },
    asked: async (upTo) => {
      await setAttribute(ASKED, upTo);
    },
    save,
  };
}

const hexDigest = (text: string): string => Buffer.from(keccak_256(Buffer.from(text))).toString('hex');
