/**
 * What an index left out of its lists (safety.md R9). Each poll checks some of the followed
 * addresses, in turns. Where an account has come further than was listed, its payments are read
 * from the account's own history.
 */
import { outputKey } from '../../../../domain/deposits/deposit.ts';
import { larger, smaller } from '../../../../domain/money/larger.ts';
import type { ChainScanner, ScannedBlock, Transfer } from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import { fields, list } from '../../shared/nodes/answers.ts';
import { NodeError, NodeLagging, RpcError } from '../../shared/nodes/node-errors.ts';
import type { NodePool } from '../../shared/nodes/node-pool.ts';
import { inHaste } from '../../shared/nodes/urgency.ts';
import { accountIn, hash, units } from '../answers.ts';
import { fromIndex, type TonIndex } from '../index-api.ts';
import { jettonWallet } from '../send/sending.ts';
import type { TonNode } from '../toncenter.ts';
import { type ListedTransaction, masterTip } from './blocks.ts';
import { jettonDeposit, nativeDeposit, type ReadTransaction } from './deposits.ts';
import { historyOf, type Position } from './history.ts';
import type { JettonBook } from './jettons.ts';
import { blockOf } from './placing.ts';

/** Accounts in one question. Some servers refuse a URL with many more. */
const ASKED_AT_ONCE = 50;
/** Accounts that are remembered. The oldest are forgotten first, and are checked again. */
const REMEMBERED_MAX = 20_000;
/** Histories that are read in one poll. The poll waits for them. */
const LOOKED_AT_ONCE = 10;
/**
 * An hour of logical time: each masterchain block takes a million at least. The process before this
 * one may have left some of the last hour unchecked.
 */
const LOOKED_BACK = 9_000n * 1_000_000n;

/** An account in which `to` is paid in `asset`; all raw. */
interface PaidAccount {
  readonly account: string;
  readonly to: string;
  readonly asset: string;
}

/** A transaction of an account of ours. */
export interface OwnTransaction {
  /** Raw. */
  readonly account: string;
  readonly read: ReadTransaction;
}

export interface AccountOmissions {
  /**
   * Notes all transactions of blocks that were read, and those among them that may pay an address
   * of the watch list.
   */
  note(listed: readonly ListedTransaction[], ours: readonly OwnTransaction[]): void;
  readonly late: NonNullable<ChainScanner['late']>;
}

interface AccountOptions {
  readonly chain: string;
  readonly pool: NodePool<TonNode>;
  readonly nativeAsset: string;
  readonly jettons: JettonBook;
  /** Raw. */
  readonly hotWallet: string;
  readonly logger: Logger;
}

interface FoundOmissions {
  readonly blocks: readonly ScannedBlock[];
  /** Accounts, and the logical times up to which nothing is missed once the blocks are taken. */
  readonly lookedAt: readonly (readonly [string, bigint])[];
  /** Accounts to check in the next poll. */
  readonly left: readonly PaidAccount[];
}

interface TonOmissionContext extends AccountOptions {
  /** Logical times up to which all transactions of an account were listed or checked. */
  readonly known: Map<string, bigint>;
  /**
   * Older transactions were left to the process before this one. Null until the first block is
   * read.
   */
  since: bigint | null;
  /** The newest logical time that was listed. Blocks yet to be read hold what is younger. */
  until: bigint;
  /** Who is still to be checked in this turn. */
  turn: readonly PaidAccount[];
}

export function accountOmissions(options: AccountOptions): AccountOmissions {
  const context: TonOmissionContext = { ...options, known: new Map(), since: null, until: 0n, turn: [] };
  return {
    note: (listed, ours) => note(context, listed, ours),
    late: (...asked) => late(context, ...asked),
  };
}

function note(
  context: TonOmissionContext,
  listed: readonly ListedTransaction[],
  ours: readonly OwnTransaction[],
): void {
  if (listed.length > 0) {
    const times = listed.map(({ lt }) => lt);
    context.since ??= larger(0n, times.reduce(smaller) - LOOKED_BACK);
    context.until = times.reduce(larger, context.until);
  }
  const inOrder = ours.toSorted((a, b) => (a.read.transaction.lt < b.read.transaction.lt ? -1 : 1));
  for (const { account, read } of inOrder) {
    const { lt, prevTransactionLt } = read.transaction;
    // A gap stays open: a transaction before this one was left out.
    if (prevTransactionLt <= knownOf(context, account)) remember(context, account, lt);
  }
}

const knownOf = ({ known, since }: TonOmissionContext, account: string): bigint =>
  known.get(account) ?? since ?? 0n;

function remember(context: TonOmissionContext, account: string, lt: bigint): void {
  const { known } = context;
  const upTo = larger(lt, knownOf(context, account));
  known.delete(account);
  known.set(account, upTo);
  const [oldest] = known.keys();
  if (known.size > REMEMBERED_MAX && oldest !== undefined) known.delete(oldest);
}

async function late(
  context: TonOmissionContext,
  ...[upTo, watch, take]: Parameters<AccountOmissions['late']>
): Promise<void> {
  if (context.since === null) return;
  if (context.turn.length === 0) context.turn = await everybody(context, watch);
  const asked = context.turn.slice(0, ASKED_AT_ONCE);
  context.turn = context.turn.slice(asked.length);
  if (asked.length === 0) return;
  const answers = await inHaste({ urgency: 'audit' }, () =>
    context.pool.every((node) => missedOn(context, node, asked, { upTo, watch })),
  );
  const found = answers.flatMap((answer) => answer ?? []);
  const left = found.length === 0 ? asked : found.flatMap((each) => each.left);
  context.turn = [...new Set(left), ...context.turn];
  const blocks = found.flatMap((each) => each.blocks);
  if (blocks.length > 0) await take(blocks);
  for (const [account, lt] of found.flatMap((each) => each.lookedAt)) remember(context, account, lt);
}

/** Every account in which a followed address is paid. */
async function everybody(
  { nativeAsset, jettons }: TonOmissionContext,
  watch: WatchList,
): Promise<readonly PaidAccount[]> {
  const issued = await watch.known(await watch.following());
  const usable = await jettons.usable();
  return [...issued].flatMap((to) => [
    { account: to, to, asset: nativeAsset },
    ...[...usable].map(([asset, jetton]) => ({ account: jettonWallet(jetton, to), to, asset })),
  ]);
}

/** Null where the node has no index that answers. */
async function missedOn(
  context: TonOmissionContext,
  node: TonNode,
  asked: readonly PaidAccount[],
  on: { upTo: number; watch: WatchList },
): Promise<FoundOmissions | null> {
  const { chain, logger } = context;
  const newest = await fromIndex(node, 'accounts', (index) => newestOf(index, asked));
  if (newest === null) return null;
  const moved = asked.flatMap((paid) => {
    const last = newest.get(paid.account);
    if (last === undefined || last.lt > context.until || last.lt <= knownOf(context, paid.account)) return [];
    return [{ paid, last }];
  });
  const found: ScannedBlock[] = [];
  const lookedAt: [string, bigint][] = [];
  for (const { paid, last } of moved.slice(0, LOOKED_AT_ONCE)) {
    const blocks = await orNothing(() => missed(context, node, paid, { last, ...on }));
    if (blocks === null) continue;
    lookedAt.push([paid.account, last.lt]);
    found.push(...blocks);
  }
  const [first] = found;
  if (first !== undefined)
    logger.warn('node.payments_missing', { chain, node: node.label, height: first.height });
  return { blocks: found, lookedAt, left: moved.slice(LOOKED_AT_ONCE).map(({ paid }) => paid) };
}

/**
 * What came to an account and is neither known nor recorded yet. Null while some of it is in a
 * block above `upTo`.
 */
async function missed(
  context: TonOmissionContext,
  node: TonNode,
  paid: PaidAccount,
  { last, upTo, watch }: { last: Position; upTo: number; watch: WatchList },
): Promise<readonly ScannedBlock[] | null> {
  const { account } = paid;
  const enough = ({ transaction }: ReadTransaction) => transaction.lt <= knownOf(context, account);
  const { read } = await historyOf(node, account, { from: last, enough });
  const paying = read.flatMap((each) => {
    const transfer = transferIn(context, each, paid);
    return transfer === null ? [] : [{ each, transfer }];
  });
  const recorded = await watch.recorded(paying.map(({ transfer }) => transfer));
  const blocks: ScannedBlock[] = [];
  for (const { each, transfer } of paying) {
    if (recorded.has(outputKey(transfer))) continue;
    const block = await blockOf(node, { account, read: each, tip: await masterTip(node) });
    if (block.height > upTo) return null;
    blocks.push({ ...block, transfers: [transfer] });
  }
  return blocks;
}

function transferIn(
  { nativeAsset, hotWallet }: TonOmissionContext,
  read: ReadTransaction,
  { to, asset }: PaidAccount,
): Transfer | null {
  const deposit = { asset, to, hotWallet };
  return asset === nativeAsset ? nativeDeposit(read, deposit) : jettonDeposit(read, deposit);
}

/** The newest transaction of each account that has one. */
function newestOf(index: TonIndex, asked: readonly PaidAccount[]): Promise<ReadonlyMap<string, Position>> {
  const query = { address: asked.map(({ account }) => account), include_boc: 'false' };
  return index.ask('accountStates', query, (answer) => {
    const states = list(fields(answer, 'answer').accounts, 'accounts').map((item) => fields(item, 'account'));
    return new Map(
      states.flatMap((state): [string, Position][] => {
        const { address, last_transaction_lt: lt, last_transaction_hash: last } = state;
        if (lt == null || last == null) return [];
        return [[accountIn(address, 0), { lt: units(lt, 'lt'), hash: hash(last, 'transaction hash') }]];
      }),
    );
  });
}

/** Null where the node cannot tell at present. It is asked again in the next turn. */
async function orNothing<T>(work: () => Promise<T | null>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NodeError || error instanceof NodeLagging || error instanceof RpcError) return null;
    throw error;
  }
}
