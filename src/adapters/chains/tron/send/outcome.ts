/**
 * What became of a nonce: every node is asked for all transactions that were signed for it. That
 * none of them can be mined any more is reported only when all nodes that answer prove it
 * (safety.md A3 and "Paid once"): solidified time past their expiration, no trace of them, and a
 * history that reaches back to before they were written. A node's URL may hide several machines,
 * and an answer does not name its machine. So heads are read before and after the look-ups, in both
 * parts of the API, to detect a machine that lags. Those look-ups are each transaction's own. What
 * a round asks together (shared/nodes/rounds) shows only that a transaction is mined, or not yet
 * dead.
 */
import type { OutcomeQuery, SendingOutcome } from '../../../../ports/sending/chain-sender.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import { combineNodeViews, type MinedOutcome, type NodeView } from '../../shared/nodes/node-views.ts';
import type { Moment } from '../../shared/nodes/rounds/moments.ts';
import { sharedOrAlone } from '../../shared/nodes/rounds/shared-view.ts';
import { onlyPayment } from '../../shared/send/only-payment.ts';
import { addressHex, addressText } from '../address.ts';
import { actionOf, type SignedTronTransaction, storedTransaction } from '../codec/transaction.ts';
import { readHead, type TronHead } from '../head.ts';
import type { TronNode } from '../node.ts';
import {
  blockOf,
  headerAt,
  listedInfo,
  listInfos,
  readInfo,
  readLog,
  type TransactionInfo,
} from '../read/blocks.ts';
import { reachesBack } from '../read/history.ts';
import { readTransferLog } from '../read/payments.ts';
import { isWaiting, listWaiting } from '../read/waiting.ts';
import type { TronSending } from './sending.ts';

const BLOCK = { kind: 'block' };
/** A round looks every few seconds, and a block comes every three. */
const BLOCKS_SEARCHED = 4;

interface TronCandidate {
  readonly signed: SignedTronTransaction;
  /** Whether the bytes match the order. */
  readonly fulfils: boolean;
}

export async function outcomeOf(sending: TronSending, query: OutcomeQuery): Promise<SendingOutcome> {
  const candidates = query.transactions.map(({ txid, raw }): TronCandidate => {
    const signed = storedTransaction(raw);
    if (signed.txid !== txid || signed.owner !== query.wallet)
      throw new Error(`the stored bytes of ${txid} are of another transaction or wallet`);
    return { signed, fulfils: saysTheOrder(signed, query.order, sending) };
  });
  const what = { what: `nonce ${query.nonce}`, lastTxid: candidates.at(-1)?.signed.txid ?? null };
  return combineNodeViews(sending, what, (node) => {
    const moment = sending.pool.rounds.moment(node);
    return sharedOrAlone(
      moment,
      () => viewInRound(sending, { node, moment }, candidates),
      () => viewAlone(sending, node, candidates),
    );
  });
}

function saysTheOrder(
  { action }: SignedTronTransaction,
  order: OutcomeQuery['order'],
  { assets }: TronSending,
): boolean {
  const { to, units } = onlyPayment(order);
  const kind = actionOf(order.delegates, assets.of(order.asset) === null ? 'coin' : 'token');
  const contract = action.kind === 'token' ? addressHex(action.contract) : null;
  return (
    action.kind === kind && contract === assets.of(order.asset) && action.to === to && action.units === units
  );
}

/**
 * Much of what the round asks is alike: the head, what waits, and the blocks that took many of our
 * transactions. Null where a transaction may be dead: only `viewAlone` says that.
 */
async function viewInRound(
  sending: TronSending,
  { node, moment }: { node: TronNode; moment: Moment },
  candidates: readonly TronCandidate[],
): Promise<NodeView | null> {
  const { confirmations } = sending;
  const head = await moment.once('head', () => readHead(node, { confirmations }));
  if (isPast(head, candidates)) return viewListed(sending, { node, moment, head }, candidates);
  const waiting = await moment.listed({ kind: 'waiting' }, () => listWaiting(node));
  const listed = candidates.findLast(({ signed }) => waiting?.has(signed.txid));
  if (listed !== undefined) return { kind: 'waiting', txid: listed.signed.txid };
  const mined = await viewListed(sending, { node, moment, head }, candidates);
  if (mined !== null) return mined;
  for (const candidate of candidates) {
    const info = await readInfo(node, candidate.signed.txid);
    if (info !== null) return minedView(sending, node, head, { candidate, info });
  }
  for (const { signed } of waiting === null ? candidates.toReversed() : [])
    if (await isWaiting(node, signed.txid)) return { kind: 'waiting', txid: signed.txid };
  return { kind: 'unseen' };
}

interface TronMoment {
  readonly node: TronNode;
  readonly moment: Moment;
  /** Read before all lists of the moment. */
  readonly head: TronHead;
}

/**
 * Shows one of them in a block, by the results of the whole block. Looks at the block where it was
 * last seen, or else at the newest ones. Null where none of these shows it, which proves nothing.
 */
function viewListed(
  sending: TronSending,
  { node, moment, head }: TronMoment,
  candidates: readonly TronCandidate[],
): Promise<NodeView | null> {
  const { seenAt } = sending;
  const readHeader: typeof headerAt = (_, height) =>
    moment.once(`header ${height}`, () => headerAt(node, height));
  return moment.proven(BLOCK, async () => {
    for (const candidate of candidates) {
      const { txid } = candidate.signed;
      const seen = seenAt.get(txid);
      for (const height of seen === undefined ? newest(head) : [seen]) {
        const infos = await moment.listed({ ...BLOCK, part: height }, () => listInfos(node, height));
        if (infos === null) return null;
        const item = infos.get(txid);
        if (item === undefined) continue;
        const info = listedInfo(item, { txid, height });
        return await minedView(sending, node, head, { candidate, info, readHeader });
      }
      seenAt.delete(txid);
    }
    return null;
  });
}

/** The heights of the blocks that a round reads in search of its transactions. */
function newest({ tip }: TronHead): readonly number[] {
  const count = Math.min(BLOCKS_SEARCHED, tip.height);
  return Array.from({ length: count }, (_, back) => tip.height - back);
}

async function viewAlone(
  sending: TronSending,
  node: TronNode,
  candidates: readonly TronCandidate[],
): Promise<NodeView> {
  const { confirmations } = sending;
  const head = await readHead(node, { confirmations });
  // Read after the head: a transaction in a block up to it appears here.
  for (const candidate of candidates) {
    const info = await readInfo(node, candidate.signed.txid);
    if (info !== null) return minedView(sending, node, head, { candidate, info });
  }
  if (isPast(head, candidates) && (await areDead(node, head, candidates))) {
    const after = await readHead(node, { confirmations });
    if (!isPast(after, candidates))
      throw new NodeLagging(`${node.label}: some of its machines lag behind others`);
    return { kind: 'expired' };
  }
  for (const { signed } of candidates.toReversed())
    if (await isWaiting(node, signed.txid)) return { kind: 'waiting', txid: signed.txid };
  return { kind: 'unseen' };
}

/** A block takes no transaction whose expiration the block before it has reached. */
function isPast({ solid, tip }: TronHead, candidates: readonly TronCandidate[]): boolean {
  return (
    candidates.length > 0 &&
    candidates.every(({ signed: { expiration } }) => solid.timeMs >= expiration && tip.timeMs >= expiration)
  );
}

/**
 * Whether the solidified part is past their end, knows none of them, and knows all transactions
 * since they were written.
 */
async function areDead(
  node: TronNode,
  { solid }: TronHead,
  candidates: readonly TronCandidate[],
): Promise<boolean> {
  for (const { signed } of candidates) {
    if ((await readInfo(node, signed.txid, 'walletsolidity')) !== null) return false;
    if (!(await reachesBack(node, solid, signed))) return false;
  }
  return true;
}

async function minedView(
  { seenAt }: TronSending,
  node: TronNode,
  { tip, finalizedHeight }: TronHead,
  found: { candidate: TronCandidate; info: TransactionInfo; readHeader?: typeof headerAt },
): Promise<NodeView> {
  const { info, readHeader } = found;
  const { signed, fulfils } = found.candidate;
  const block = await blockOf(node, info, readHeader);
  seenAt.set(signed.txid, block.height);
  const mined: MinedOutcome = {
    kind: 'mined',
    txid: signed.txid,
    block: { height: block.height, hash: block.hash },
    feeUnits: info.feeUnits,
    effects: [fulfils && info.succeeded && paid(signed, info)],
    final: block.height <= finalizedHeight,
  };
  return { kind: 'mined', mined, tipHeight: tip.height };
}

/**
 * Whether money went to the recipient (safety.md T1, T6). The bytes order the exact amount. A token
 * that keeps a part of it logs less but has moved the money: if that counted as reverted, it would
 * be paid a second time.
 */
function paid({ owner, action }: SignedTronTransaction, { logs }: TransactionInfo): boolean {
  if (action.kind !== 'token') return true;
  return logs.some((item) => {
    const log = readLog(item);
    const transfer = addressText(`41${log.contract}`) === action.contract ? readTransferLog(log) : null;
    return transfer?.from === owner && transfer.to === action.to;
  });
}
