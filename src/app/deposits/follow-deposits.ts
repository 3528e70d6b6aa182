/**
 * Follows the recorded deposits of one chain: they become final with their block, or, when the
 * block left the chain, follow their transaction. The deposits of a block become final together;
 * one that fails blocks no other.
 */
import type { Chain } from '../../domain/catalog/chain.ts';
import { type Deposit, outputKey } from '../../domain/deposits/deposit.ts';
import { leadingGroup } from '../../domain/leading-group.ts';
import type { ChainCursor } from '../../ports/chains/chain-repository.ts';
import type { BlockId, ChainScanner, ClaimedTransfer, Transfer } from '../../ports/chains/chain-scanner.ts';
import type { WatchList } from '../../ports/chains/watch-list.ts';
import { inLanes } from '../shared/in-lanes.ts';
import { tryTogether } from '../shared/try-together.ts';
import { lockWithInvoice, markGone } from './deposit-lifecycle.ts';
import type { ObservedTransfer } from './observation.ts';
import { observationsIn, recordTransfers } from './record-transfer.ts';
import { type BlockVerdict, type FinalityNeeds, paymentKey, settleInBlock } from './settle-in-block.ts';

/** Deposits of one transaction, which must meet its deadline. */
const FINAL_AT_ONCE = 250;
/**
 * Of them at a time: the process decides about one while the database writes another. What they
 * share (balances, counters) each locks last and in one order.
 */
const LANES = 2;
/**
 * Transactions to look up per poll if the pending ones are unknown: each may cost one call of a
 * provider's plan.
 */
const LOOKED_UP_AT_ONCE = 50;

export interface DepositFollower {
  /**
   * Makes deposits in final blocks final, once all nodes that answer agree on those blocks and show
   * the deposits in them (safety.md A3).
   */
  finalize(cursor: ChainCursor, stopping?: AbortSignal): Promise<void>;
  /**
   * Settles deposits without a block: waiting, in another block than before, or gone. Only at the
   * tip, because before it blocks are still unread. Those in `pending`, just read, are waiting. If
   * it is null, each call looks up some of them, in turns.
   */
  resolveOrphans(
    cursor: ChainCursor,
    pending: readonly Transfer[] | null,
    stopping?: AbortSignal,
  ): Promise<void>;
}

export function depositFollower(deps: FinalityNeeds, source: WatchedChain): DepositFollower {
  const { chain } = source;
  let doubted: DisputedBlocks = { before: new Set<string>(), now: new Set<string>() };
  /** The transaction after which the next turn begins. */
  let turn = '';

  function inTurn(orphans: readonly Deposit[]): readonly Deposit[] {
    const txids = [...new Set(orphans.map(({ txid }) => txid))].toSorted();
    const next = txids.filter((txid) => txid > turn);
    const asked = new Set([...next, ...txids].slice(0, LOOKED_UP_AT_ONCE));
    turn = [...asked].at(-1) ?? '';
    return orphans.filter(({ txid }) => asked.has(txid));
  }

  return {
    async finalize(cursor, stopping) {
      const candidates = await deps.unitOfWork.run((repositories) =>
        repositories.deposits.unfinal(chain.name, cursor.finalizedHeight),
      );
      doubted = { before: doubted.now, now: new Set() };
      for (const [block, deposits] of byBlock(candidates)) {
        let asked: Promise<BlockVerdict> | null = null;
        const makeFinal = async (group: readonly Deposit[]) => {
          // Once for a whole block, which may hold thousands (safety.md U5), unless it fails.
          asked ??= verdictOn(deps, source, doubted, block, deposits);
          const verdict = await asked.catch((error: unknown) => {
            asked = null;
            throw error;
          });
          if (verdict !== 'not yet') await settleInBlock(deps, group, block.hash, verdict);
        };
        await inLanes(
          ofWholeInvoices(deposits),
          (part) => forEach(deps, chain, { groups: inTransactions(part), work: makeFinal, stopping }),
          LANES,
        );
      }
    },

    async resolveOrphans(cursor, pending, stopping) {
      const orphans = await deps.unitOfWork.run((repositories) =>
        repositories.deposits.withoutBlock(chain.name),
      );
      const waiting = new Set(pending?.map(({ txid }) => txid));
      /** By txid, because one transaction may have thousands of outputs to the gateway. */
      const looked = new Map<string, ObservedPayments>();
      const resolve = async ([orphan]: readonly Deposit[]) => {
        if (orphan === undefined) return;
        if (orphan.status === 'confirming' && waiting.has(orphan.txid)) return;
        const now = looked.get(orphan.txid) ?? (await paymentsOfTransaction(deps, source, orphan, cursor));
        looked.set(orphan.txid, now);
        if (now === 'unread' || (now === 'pending' && orphan.status === 'confirming')) return;
        const found =
          now === 'pending' ? null : now.find(({ transfer }) => transfer.output === orphan.output);
        await settleOrphan(deps, orphan, found ?? null, cursor);
      };
      const groups = (pending === null ? inTurn(orphans) : orphans).map((orphan) => [orphan]);
      await forEach(deps, chain, { groups, work: resolve, stopping });
    },
  };
}

interface WatchedChain {
  readonly chain: Chain;
  readonly scanner: ChainScanner;
  readonly watch: WatchList;
}

/**
 * Hashes of blocks that nodes disputed at the last look, and at this one. A lagging node disputes a
 * block once; a second dispute in a row is logged (safety.md R10).
 */
interface DisputedBlocks {
  readonly before: ReadonlySet<string>;
  readonly now: Set<string>;
}

/** A deposit that fails is logged and left for the next poll. */
async function forEach(
  { logger }: FinalityNeeds,
  chain: Chain,
  {
    groups,
    work,
    stopping,
  }: {
    groups: Iterable<readonly Deposit[]>;
    work: (deposits: readonly Deposit[]) => Promise<void>;
    stopping: AbortSignal | undefined;
  },
): Promise<void> {
  const failed = ({ id }: Deposit, error: unknown) =>
    logger.error('deposit.not_moved_on', { chain: chain.name, depositId: id, error: String(error) });
  for (const group of groups) await tryTogether(group, { work, failed, stopping });
}

/** The payments of a block that may become final, by `paymentKey`: those that every node shows. */
async function verdictOn(
  { logger }: FinalityNeeds,
  { chain, scanner }: WatchedChain,
  doubted: DisputedBlocks,
  block: BlockId,
  deposits: readonly Deposit[],
): Promise<BlockVerdict> {
  const { height, hash } = block;
  const agreement = await scanner.confirmWithNodes(block, deposits.map(claimedTransferOf));
  // Nodes are seldom at the same height: that is not worth a log line.
  if (agreement.kind === 'not_final') return 'not yet';
  if (agreement.kind === 'disputed') {
    if (await hasLeft(scanner, block)) return 'left';
    doubted.now.add(hash);
    if (doubted.before.has(hash)) logger.warn('deposit.block_disputed', { chain: chain.name, height, hash });
    return 'not yet';
  }
  const unshown = new Set(agreement.disputed.map(outputKey));
  if (unshown.size > 0)
    logger.warn('deposit.payments_disputed', {
      ...{ chain: chain.name, height, hash },
      payments: unshown.size,
      txid: agreement.disputed[0]?.txid,
    });
  return new Set(deposits.filter((deposit) => !unshown.has(outputKey(deposit))).map(paymentKey));
}

/**
 * Whether all nodes have another block in the place of this one: blocks can be recorded after a
 * reorganisation that removed them. One node alone may lie or fail for a moment, and does not
 * decide.
 */
async function hasLeft(scanner: ChainScanner, block: BlockId): Promise<boolean> {
  const canonical = await scanner.blockAt(block.height);
  if (canonical === null || canonical.hash === block.hash) return false;
  return (await scanner.confirmWithNodes(canonical, [])).kind !== 'disputed';
}

type ObservedPayments = readonly ObservedTransfer[] | 'pending' | 'unread';

/**
 * The payments of a transaction in its block; none if it was mined again and failed. `unread` if
 * its block is still to be read, or has just left the chain.
 */
async function paymentsOfTransaction(
  { clock }: FinalityNeeds,
  { chain, scanner, watch }: WatchedChain,
  { txid, asset, address: to, output }: Deposit,
  cursor: ChainCursor,
): Promise<ObservedPayments> {
  const place = await scanner.lookup(txid, { asset, to, output });
  if (place.state === 'pending') return 'pending';
  if (place.state === 'unknown') return [];
  if (place.height > cursor.height) return 'unread';
  const [block] = await scanner.blocks({ from: place.height, to: place.height }, watch);
  if (block?.hash !== place.blockHash) return 'unread';
  const now = { tipTime: cursor.coveredUntil.getTime() / 1000, at: clock.now() };
  const observed = observationsIn({ chain: chain.name, family: chain.family, hotWallet: null }, [block], now);
  return observed.filter(({ transfer }) => transfer.txid === txid);
}

/** Records an orphan's output in its new block; without a payment there the deposit is gone. */
async function settleOrphan(
  deps: FinalityNeeds,
  orphan: Deposit,
  found: ObservedTransfer | null,
  { coveredUntil }: ChainCursor,
): Promise<void> {
  await deps.unitOfWork.run(async (repositories) => {
    await repositories.chains.lockCursor(orphan.chain);
    const locked = await lockWithInvoice(repositories, orphan);
    if (!locked || locked.deposit.block !== null) return;
    if (found) await recordTransfers(deps, repositories, [found]);
    else {
      const goneAt = new Date(Math.min(deps.clock.now().getTime(), coveredUntil.getTime()));
      await markGone(deps, repositories, locked.deposit, locked.invoice, goneAt);
    }
  });
}

function claimedTransferOf(deposit: Deposit): ClaimedTransfer {
  const { txid, output, asset, address, addressFrom, units, unexplained, lockedUntil } = deposit;
  return {
    ...{ txid, output, asset, units, to: address, from: addressFrom },
    kind: unexplained ? 'unexplained' : 'payment',
    ...(lockedUntil === null ? {} : { lockedUntil }),
  };
}

/** In the order of the blocks: those of an invoice that are in several become final one by one. */
function byBlock(deposits: readonly Deposit[]): readonly (readonly [BlockId, readonly Deposit[]])[] {
  return [...Map.groupBy(deposits, ({ block }) => block?.hash).values()].flatMap((ofBlock) => {
    const block = ofBlock[0]?.block ?? null;
    return block === null ? [] : [[block, ofBlock] as const];
  });
}

/**
 * The deposits of a block in parts with all of an invoice's, which are credited together. A part
 * may share a transaction, unless one invoice has more: a block may hold thousands (safety.md U5).
 */
function ofWholeInvoices(deposits: readonly Deposit[]): readonly (readonly Deposit[])[] {
  const ofInvoices = [...Map.groupBy(deposits, ({ invoiceId, id }) => invoiceId ?? id).values()];
  const parts: (readonly Deposit[])[] = [];
  while (ofInvoices.length > 0)
    parts.push(
      ofInvoices
        .splice(
          0,
          leadingGroup(ofInvoices, FINAL_AT_ONCE, ({ length }) => length),
        )
        .flat(),
    );
  return parts;
}

function* inTransactions(deposits: readonly Deposit[]): Generator<readonly Deposit[]> {
  for (let from = 0; from < deposits.length; from += FINAL_AT_ONCE)
    yield deposits.slice(from, from + FINAL_AT_ONCE);
}
