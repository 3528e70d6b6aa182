/**
 * What an index left out of its lists (safety.md R9): the addresses that are followed are gone
 * through in turns, some with each poll, and a payment to one whose account has come further than
 * was listed is read from the account's own history.
 */
import { outputKey } from '../../../../domain/deposits/deposit.ts';
import type { ChainScanner, ScannedBlock, Transfer } from '../../../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../../../ports/chains/watch-list.ts';
import type { Logger } from '../../../../ports/runtime/logger.ts';
import { larger, smaller } from '../../shared/larger.ts';
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

/** Of accounts, in one question: a URL with many more of them is refused by some servers. */
const ASKED_AT_ONCE = 50;
/** Accounts that were listed last; the oldest go first, and are looked at again. */
const REMEMBERED_MAX = 20_000;
/** Histories in one poll, which waits for them. */
const LOOKED_AT_ONCE = 10;
/**
 * Logical time, of which each masterchain block takes a million at least: the hour before, in which
 * the process before this one may not have gone through all accounts.
 */
const LOOKED_BACK = 9_000n * 1_000_000n;

/** An account in which `to` is paid in `asset`; all raw. */
interface Paid {
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
   * All transactions of blocks that were read, and those among them, as they were read, that may
   * pay somebody whom the watch list knows.
   */
  note(listed: readonly ListedTransaction[], ours: readonly OwnTransaction[]): void;
  readonly late: NonNullable<ChainScanner['late']>;
}

export function accountOmissions(on: {
  chain: string;
  pool: NodePool<TonNode>;
  nativeAsset: string;
  jettons: JettonBook;
  /** Raw. */
  hotWallet: string;
  logger: Logger;
}): AccountOmissions {
  const { chain, pool, nativeAsset, jettons, hotWallet, logger } = on;
  /** Logical times up to which all transactions of an account were listed or looked at. */
  const known = new Map<string, bigint>();
  /** What is older was the business of the process before. Null until the first block is read. */
  let since: bigint | null = null;
  /** The newest one that was listed: what is younger is in blocks that are yet to be read. */
  let until = 0n;
  let turn: readonly Paid[] = [];

  const knownOf = (account: string): bigint => known.get(account) ?? since ?? 0n;

  function remember(account: string, lt: bigint): void {
    const upTo = larger(lt, knownOf(account));
    known.delete(account);
    known.set(account, upTo);
    const [oldest] = known.keys();
    if (known.size > REMEMBERED_MAX && oldest !== undefined) known.delete(oldest);
  }

  async function everybody(watch: WatchList): Promise<readonly Paid[]> {
    const issued = await watch.known(await watch.following());
    const usable = await jettons.usable();
    return [...issued].flatMap((to) => [
      { account: to, to, asset: nativeAsset },
      ...[...usable].map(([asset, jetton]) => ({ account: jettonWallet(jetton, to), to, asset })),
    ]);
  }

  function transferIn(read: ReadTransaction, { to, asset }: Paid): Transfer | null {
    const deposit = { asset, to, hotWallet };
    return asset === nativeAsset ? nativeDeposit(read, deposit) : jettonDeposit(read, deposit);
  }

  /**
   * What came to an account and is neither known nor recorded yet; null while some of it is in a
   * block above `upTo`.
   */
  async function missed(
    node: TonNode,
    paid: Paid,
    { last, upTo, watch }: { last: Position; upTo: number; watch: WatchList },
  ): Promise<readonly ScannedBlock[] | null> {
    const { account } = paid;
    const enough = ({ transaction }: ReadTransaction) => transaction.lt <= knownOf(account);
    const { read } = await historyOf(node, account, { from: last, enough });
    const paying = read.flatMap((each) => {
      const transfer = transferIn(each, paid);
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

  /** Null where the node has no index that answers. */
  async function missedOn(
    node: TonNode,
    asked: readonly Paid[],
    on: { upTo: number; watch: WatchList },
  ): Promise<Found | null> {
    const newest = await fromIndex(node, 'accounts', (index) => newestOf(index, asked));
    if (newest === null) return null;
    const moved = asked.flatMap((paid) => {
      const last = newest.get(paid.account);
      if (last === undefined || last.lt > until || last.lt <= knownOf(paid.account)) return [];
      return [{ paid, last }];
    });
    const found: ScannedBlock[] = [];
    const lookedAt: [string, bigint][] = [];
    for (const { paid, last } of moved.slice(0, LOOKED_AT_ONCE)) {
      const blocks = await orNothing(() => missed(node, paid, { last, ...on }));
      if (blocks === null) continue;
      lookedAt.push([paid.account, last.lt]);
      found.push(...blocks);
    }
    const [first] = found;
    if (first !== undefined)
      logger.warn('node.payments_missing', { chain, node: node.label, height: first.height });
    return { blocks: found, lookedAt, left: moved.slice(LOOKED_AT_ONCE).map(({ paid }) => paid) };
  }

  return {
    note(listed, ours) {
      if (listed.length > 0) {
        const times = listed.map(({ lt }) => lt);
        since ??= larger(0n, times.reduce(smaller) - LOOKED_BACK);
        until = times.reduce(larger, until);
      }
      const inOrder = ours.toSorted((a, b) => (a.read.transaction.lt < b.read.transaction.lt ? -1 : 1));
      for (const { account, read } of inOrder) {
        const { lt, prevTransactionLt } = read.transaction;
        // Else one before it was left out.
        if (prevTransactionLt <= knownOf(account)) remember(account, lt);
      }
    },
    async late(upTo, watch, take) {
      if (since === null) return;
      if (turn.length === 0) turn = await everybody(watch);
      const asked = turn.slice(0, ASKED_AT_ONCE);
      turn = turn.slice(asked.length);
      if (asked.length === 0) return;
      const answers = await inHaste({ urgency: 'audit' }, () =>
        pool.every((node) => missedOn(node, asked, { upTo, watch })),
      );
      const found = answers.flatMap((answer) => answer ?? []);
      const left = found.length === 0 ? asked : found.flatMap((each) => each.left);
      turn = [...new Set(left), ...turn];
      const blocks = found.flatMap((each) => each.blocks);
      if (blocks.length > 0) await take(blocks);
      for (const [account, lt] of found.flatMap((each) => each.lookedAt)) remember(account, lt);
    },
  };
}

interface Found {
  readonly blocks: readonly ScannedBlock[];
  /** Accounts, and up to which logical time nothing of them is missed once the blocks are taken. */
  readonly lookedAt: readonly (readonly [string, bigint])[];
  /** Accounts that are to be looked at in the next poll. */
  readonly left: readonly Paid[];
}

/** The newest transactions of accounts; without those that had none. */
function newestOf(index: TonIndex, asked: readonly Paid[]): Promise<ReadonlyMap<string, Position>> {
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

/** Null where the node cannot tell at present: it is asked again in the next turn. */
async function orNothing<T>(work: () => Promise<T | null>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NodeError || error instanceof NodeLagging || error instanceof RpcError) return null;
    throw error;
  }
}
