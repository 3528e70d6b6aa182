/**
 * The wallet file that monero-wallet-rpc keeps for this adapter. It is made from the view key where
 * it is missing, and opened again after a restart. A wallet recognises only the subaddresses that
 * it knows, so it is told of all of them before it reads blocks.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { member } from '../../../domain/money/lossless-json.ts';
import { ChainUnavailable } from '../../../ports/chains/chain-scanner.ts';
import type { Logger } from '../../../ports/runtime/logger.ts';
import { RpcError } from '../shared/nodes/node-errors.ts';
import type { MoneroRpc } from './rpc.ts';

export interface WalletFile {
  /**
   * Opens our wallet. Throws ChainUnavailable where it does not know all payments from block `from`
   * on, or where the program has another wallet open.
   */
  open(from: number): Promise<void>;
  /**
   * Tells the wallet the subaddresses of all indexes below `reservedIndexes`, and more ahead. Where
   * it has read blocks from `from` on (null: above the last one that was asked for) without one of
   * them, it reads its blocks again.
   */
  cover(needs: {
    reservedIndexes: number;
    from: number | null;
    knownBlocks: () => Promise<number>;
  }): Promise<void>;
  /**
   * Notes that payments up to this block were asked for: an address that is given out later is paid
   * in a later block.
   */
  asked(upTo: number): Promise<void>;
  /** Writes what was read to the disk: after a crash the wallet program begins there again. */
  save(): Promise<void>;
}

export interface WalletKeys {
  readonly primaryAddress: string;
  readonly viewKey: string;
}

/** Attribute of the wallet file: the first block that it has read. */
const FLOOR = 'quittance.floor';
/** Attribute: how many subaddresses it was told. */
const COVERED = 'quittance.covered';
/** Attribute: the last block whose payments were asked for. */
const ASKED = 'quittance.asked';

const NOT_OPEN = -13;
const INDEX_OUT_OF_BOUND = -15;
const ATTRIBUTE_NOT_FOUND = -45;

/** As deep as the application can go back (app/watching/watch-chain.ts). */
const BLOCKS_BELOW = 2_000;
/**
 * Addresses are reserved in blocks of 256; a wallet makes a subaddress in 2 ms, on a busy machine
 * in 10.
 */
const LOOK_AHEAD = 512;
const MADE_AT_ONCE = 256;
/** A wallet of a million addresses is a large file. */
const FILE_PATIENCE_MS = 300_000;
const RESCAN_PATIENCE_MS = 1_800_000;

/**
 * The password of the wallet file: who steals the file without knowing the view key sees nothing.
 */
export function walletPassword({ viewKey }: Pick<WalletKeys, 'viewKey'>): string {
  return hexDigest(`quittance view-only wallet ${viewKey.toLowerCase()}`);
}

interface WalletFileContext {
  readonly chain: string;
  readonly rpc: MoneroRpc;
  readonly keys: WalletKeys;
  /** The first block that configuration wants read. */
  readonly startHeight: number | null;
  readonly logger: Logger;
}

/** A `startHeight` below the one before makes another wallet. */
export function walletFile(context: WalletFileContext): WalletFile {
  const { rpc } = context;
  return {
    open: (from) => open(context, from),
    cover: (needs) => cover(context, needs),
    asked: async (upTo) => {
      await setAttribute(rpc, ASKED, upTo);
    },
    save: () => save(rpc),
  };
}

async function open(context: WalletFileContext, from: number): Promise<void> {
  const { chain, rpc, keys, startHeight } = context;
  // Otherwise the program reads blocks before the wallet knows the subaddresses (cover). It forgets
  // this at a restart.
  await rpc.call('auto_refresh', { enable: false });
  const opened = await openedAddress(rpc);
  if (opened !== null && opened !== keys.primaryAddress)
    throw new ChainUnavailable(
      `${chain}: ${rpc.label} has the wallet of another address open: it must serve this gateway alone`,
    );
  // A wallet of this address that we did not make may hold the spend key: it is not used.
  const floor = opened === null ? null : await attribute(rpc, FLOOR);
  if (floor === null || floor > (startHeight ?? floor)) {
    if (opened !== null) await rpc.call('close_wallet', {}, { patienceMs: FILE_PATIENCE_MS });
    await openOrMake(context, from);
  }
  const begins = (await attribute(rpc, FLOOR)) ?? 0;
  if (begins > from)
    throw new ChainUnavailable(
      `${chain}: the wallet begins at block ${begins} and knows nothing of block ${from}: set chains.${chain}.start_height to it`,
    );
}

/** Primary address of the open wallet; null when none is open. */
async function openedAddress(rpc: MoneroRpc): Promise<unknown> {
  const answer = await unlessRefused(NOT_OPEN, () =>
    rpc.call('get_address', { account_index: 0, address_index: [0] }),
  );
  return answer === null ? null : member(answer, 'address');
}

async function openOrMake(context: WalletFileContext, from: number): Promise<void> {
  const { rpc, startHeight } = context;
  const opening = { filename: filenameOf(context), password: walletPassword(context.keys) };
  try {
    await rpc.call('open_wallet', opening, { patienceMs: FILE_PATIENCE_MS });
    // We made it, since the password is ours, but were interrupted before it had its first block.
    if ((await attribute(rpc, FLOOR)) === null)
      await setAttribute(rpc, FLOOR, Math.min(from, startHeight ?? from));
  } catch (notOpened) {
    if (!(notOpened instanceof RpcError)) throw notOpened;
    await make(context, from, notOpened);
  }
}

async function make(context: WalletFileContext, from: number, notOpened: RpcError): Promise<void> {
  const { chain, rpc, keys, startHeight, logger } = context;
  const { primaryAddress: address, viewKey: viewkey } = keys;
  const filename = filenameOf(context);
  const floor = Math.max(0, (startHeight ?? from) - BLOCKS_BELOW);
  const wallet = { filename, password: walletPassword(keys), address, viewkey, restore_height: floor };
  try {
    await rpc.call('generate_from_keys', { ...wallet, autosave_current: true });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw new ChainUnavailable(
      `${chain}: no wallet can be opened or made: ${notOpened.message}; ${error.message}`,
    );
  }
  await setAttribute(rpc, FLOOR, floor);
  logger.info('monero.wallet_made', { chain, filename, fromHeight: floor });
}

function filenameOf({ keys, startHeight }: WalletFileContext): string {
  const name = `quittance-${hexDigest(keys.primaryAddress).slice(0, 16)}`;
  return startHeight === null ? name : `${name}-from-${startHeight}`;
}

async function cover(
  { chain, rpc, logger }: WalletFileContext,
  { reservedIndexes, from, knownBlocks }: Parameters<WalletFile['cover']>[0],
): Promise<void> {
  const covered = (await attribute(rpc, COVERED)) ?? 0;
  if (reservedIndexes + LOOK_AHEAD - MADE_AT_ONCE <= covered) return;
  const first = from ?? ((await attribute(rpc, ASKED)) ?? 0) + 1;
  const missed = reservedIndexes > covered && (await knownBlocks()) > first;
  const wanted = reservedIndexes + LOOK_AHEAD;
  for (let made = covered; made < wanted; made += MADE_AT_ONCE) {
    const count = Math.min(MADE_AT_ONCE, wanted - made);
    if (!(await hasSubaddress(rpc, made + count)))
      await rpc.call('create_address', { account_index: 0, count });
  }
  if (missed) {
    logger.warn('monero.rescan', { chain });
    await rpc.call('rescan_blockchain', {}, { patienceMs: RESCAN_PATIENCE_MS });
  }
  // Last, so that an interruption before makes it all happen again.
  await setAttribute(rpc, COVERED, wanted);
  await save(rpc);
}

/** There already is one where making them was interrupted before. */
async function hasSubaddress(rpc: MoneroRpc, minor: number): Promise<boolean> {
  const answer = await unlessRefused(INDEX_OUT_OF_BOUND, () =>
    rpc.call('get_address', { account_index: 0, address_index: [minor] }),
  );
  return answer !== null;
}

async function attribute(rpc: MoneroRpc, key: string): Promise<number | null> {
  const answer = await unlessRefused(ATTRIBUTE_NOT_FOUND, () => rpc.call('get_attribute', { key }));
  return answer === null ? null : Number(member(answer, 'value'));
}

function setAttribute(rpc: MoneroRpc, key: string, value: number): Promise<unknown> {
  return rpc.call('set_attribute', { key, value: `${value}` });
}

async function save(rpc: MoneroRpc): Promise<void> {
  await rpc.call('store', {}, { patienceMs: FILE_PATIENCE_MS });
}

/** The answer; null where the program refuses with this code. */
async function unlessRefused(code: number, ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RpcError && error.code === code) return null;
    throw error;
  }
}

const hexDigest = (text: string): string => Buffer.from(keccak_256(Buffer.from(text))).toString('hex');
