/**
 * What became of a sequence of our account. A transaction is dead when a validated ledger after its
 * LastLedgerSequence does not have the sequence used, and the history up to there, which at least
 * one node has whole, does not have the transaction (safety.md, "Paid once"). A final outcome is
 * reported only when all nodes that answer agree. A node that no longer has those ledgers only has
 * to see that the sequence is used.
 */
import type { BlockRef } from '../../../../ports/chains/chain-scanner.ts';
import type { OutcomeQuery, SendingOutcome } from '../../../../ports/sending/chain-sender.ts';
import { fields, unusable } from '../../shared/nodes/answers.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import { combineNodeViews, type MinedOutcome, type NodeView } from '../../shared/nodes/node-views.ts';
import type { Moment } from '../../shared/nodes/rounds/moments.ts';
import { sharedOrAlone } from '../../shared/nodes/rounds/shared-view.ts';
import { onlyPayment } from '../../shared/send/only-payment.ts';
import { readXrpAddress } from '../codec/address.ts';
import { hash, whole } from '../codec/decode.ts';
import { type SignedXrpTransaction, storedTransaction } from '../codec/transaction.ts';
import { type Fields, type LedgerNode, XrpRefused } from '../ledger-node.ts';
import { lastLedger, ledgerAt } from '../read/ledgers.ts';
import { listMined, openSequences } from '../read/listed.ts';
import { LEDGERS_VALID } from './prepare.ts';
import { accountIn, ownAccount, type XrpSending } from './sending.ts';

/**
 * Ledgers before the last one that could take it: it was signed within them, even by a node that
 * lagged.
 */
const LEDGERS_SEARCHED = 2 * LEDGERS_VALID;

/** Ledgers before the final one in which a round finds its transactions: half a minute's. */
const LEDGERS_LISTED = 7;
const MINED = { kind: 'mined' };

export async function outcomeOf(sending: XrpSending, query: OutcomeQuery): Promise<SendingOutcome> {
  const account = ownAccount(sending, query.wallet);
  const candidates = query.transactions.map(({ txid, raw, voids }): XrpCandidate => {
    const signed = storedTransaction(raw);
    if (signed.txid !== txid || BigInt(signed.sequence) !== query.nonce || signed.account !== account)
      throw new Error(`the stored bytes of ${txid} are of another transaction, sequence or account`);
    return { signed, fulfils: !voids && saysTheOrder(signed, query, sending) };
  });
  const wanted = { account, sequence: query.nonce, candidates };
  let searchedAll = candidates.length === 0;
  const outcome = await combineNodeViews(
    sending,
    { what: `sequence ${query.nonce} of ${account}`, lastTxid: query.transactions.at(-1)?.txid ?? null },
    (node) => {
      const moment = sending.pool.rounds.moment(node);
      return sharedOrAlone(
        moment,
        () => lookInRound(sending, { node, moment }, wanted),
        async () => {
          const seen = await look(sending, node, wanted);
          searchedAll ||= seen.searchedAll;
          return seen.view;
        },
      );
    },
  );
  if (searchedAll || (outcome.kind !== 'expired' && outcome.kind !== 'superseded')) return outcome;
  // No node has searched everywhere: it may be in a ledger that none of them keeps.
  return { kind: 'unseen' };
}

interface XrpCandidate {
  readonly signed: SignedXrpTransaction;
  /** Whether the bytes match the order. Those of a voiding transaction do not. */
  readonly fulfils: boolean;
}

function saysTheOrder(
  { content }: SignedXrpTransaction,
  { order }: OutcomeQuery,
  { network }: XrpSending,
): boolean {
  const { to, units } = onlyPayment(order);
  const meant = readXrpAddress(network, to);
  if (content.kind !== 'payment' || meant === null) return false;
  return content.to.account === meant.account && content.to.tag === meant.tag && content.drops === units;
}

interface XrpOutcomeQuery {
  readonly account: string;
  readonly sequence: bigint;
  readonly candidates: readonly XrpCandidate[];
}

/**
 * Asks together what many batches ask: the transactions of our account in the newest ledgers, and
 * what the node has applied or queued. Null where these do not show one of the transactions. It
 * never says that something is used up or dead: `look` alone does.
 */
async function lookInRound(
  { confirmations }: XrpSending,
  { node, moment }: { node: LedgerNode; moment: Moment },
  { account, sequence, candidates }: XrpOutcomeQuery,
): Promise<NodeView | null> {
  const last = candidates.at(-1);
  if (last === undefined) return null;
  const tip = await moment.once('tip', () => lastLedger(node));
  // That of a validated ledger: those before it are validated, too.
  const final = { height: Math.max(0, tip.height - confirmations + 1) };
  const from = Math.max(1, final.height - LEDGERS_LISTED);
  const mined = await moment.listed({ ...MINED, part: account }, () => listMined(node, account, from));
  if (mined === null) return null;
  for (const candidate of candidates) {
    const listed = mined.get(candidate.signed.txid);
    const found = listed && (await moment.proven(MINED, async () => minedIn(listed, candidate)));
    if (found) return viewOf(found, { final, tip });
  }
  if (candidates.some((candidate) => isPast(candidate, final))) return null;
  const own = await moment.once(`account ${account}`, () => accountIn(node, account, tip.hash));
  // A ledger used it: only the look-up of each transaction tells which one did.
  if (own === null || BigInt(own.sequence) > sequence) return null;
  const list = { kind: 'open', part: account };
  const open = await moment.listed(list, () => openSequences(node, account));
  const waits = open !== null && (open.next > sequence || open.queued.has(Number(sequence)));
  return waits ? { kind: 'waiting', txid: last.signed.txid } : null;
}

function viewOf(
  mined: Omit<MinedOutcome, 'final'>,
  { final, tip }: { final: Pick<BlockRef, 'height'>; tip: BlockRef },
): NodeView {
  return {
    kind: 'mined',
    mined: { ...mined, final: mined.block.height <= final.height },
    tipHeight: tip.height,
  };
}

async function finalLedger(node: LedgerNode, tip: BlockRef, confirmations: number): Promise<BlockRef> {
  const final = confirmations === 1 ? tip : await ledgerAt(node, Math.max(0, tip.height - confirmations + 1));
  if (final === null) throw new NodeLagging(`${node.label}: has no final ledger`);
  return final;
}

/**
 * `searchedAll`: the node has the whole history in which one of the transactions could be, and
 * found none of them.
 */
async function look(
  { confirmations }: XrpSending,
  node: LedgerNode,
  { account, sequence, candidates }: XrpOutcomeQuery,
): Promise<{ view: NodeView; searchedAll: boolean }> {
  const tip = await lastLedger(node);
  const final = await finalLedger(node, tip, confirmations);
  const own = await accountIn(node, account, final.hash);
  // Read after the account: a transaction that had used the sequence by then appears here.
  let waiting: string | null = null;
  let searchedAll = true;
  for (const candidate of candidates) {
    const range = rangeOf(candidate, final);
    const place = await statusOf(node, candidate, range);
    if (place.state === 'mined') return { view: viewOf(place.mined, { final, tip }), searchedAll };
    // For a while nodes remember transactions that no ledger can take any more.
    if (place.state === 'waiting' && !isPast(candidate, final)) waiting = candidate.signed.txid;
    else searchedAll &&= place.state === 'absent' ? place.searchedAll : await keepsAll(node, range);
  }
  const used = own !== null && BigInt(own.sequence) > sequence;
  if (used) return { view: { kind: 'used', final: true, blind: !searchedAll }, searchedAll };
  if (waiting !== null) return { view: { kind: 'waiting', txid: waiting }, searchedAll: false };
  const dead = candidates.length > 0 && candidates.every((candidate) => isPast(candidate, final));
  return { view: { kind: dead ? 'expired' : 'unseen' }, searchedAll };
}

const isPast = ({ signed }: XrpCandidate, final: { height: number }): boolean =>
  signed.lastLedger < final.height;

interface LedgerRange {
  readonly min_ledger: number;
  readonly max_ledger: number;
}

/** All final ledgers in which it can be. */
function rangeOf({ signed: { lastLedger: last } }: XrpCandidate, final: { height: number }): LedgerRange {
  const max_ledger = Math.min(last, final.height);
  return { min_ledger: Math.max(1, Math.min(max_ledger, last - LEDGERS_SEARCHED)), max_ledger };
}

type LedgerPlace =
  | { readonly state: 'mined'; readonly mined: Omit<MinedOutcome, 'final'> }
  | { readonly state: 'waiting' }
  | { readonly state: 'absent'; readonly searchedAll: boolean };

async function statusOf(node: LedgerNode, candidate: XrpCandidate, range: LedgerRange): Promise<LedgerPlace> {
  let answer: Fields;
  try {
    answer = await node.ask('tx', { transaction: candidate.signed.txid, ...range });
  } catch (error) {
    if (!(error instanceof XrpRefused && error.token === 'txnNotFound')) throw error;
    return {
      state: 'absent',
      searchedAll: error.answer.searched_all === true || (await keepsAll(node, range)),
    };
  }
  const mined = minedIn(answer, candidate);
  return mined === null ? { state: 'waiting' } : { state: 'mined', mined };
}

/** As a node tells of one transaction, or in a list; null while no validated ledger has it. */
function minedIn(
  answer: Fields,
  { signed: { txid, feeDrops }, fulfils }: XrpCandidate,
): Omit<MinedOutcome, 'final'> | null {
  if (answer.validated !== true) return null;
  const { TransactionResult: result } = fields(answer.meta, 'transaction metadata');
  if (typeof result !== 'string') throw unusable('transaction result');
  const height = whole(answer.ledger_index, 'ledger index of a transaction');
  const block = { height, hash: hash(answer.ledger_hash, 'ledger hash of a transaction') };
  // A list has zeros where the node lacks the header of the ledger.
  if (/^0+$/.test(block.hash)) throw new NodeLagging(`has no header of ledger ${height}`);
  const effects = [fulfils && result === 'tesSUCCESS'];
  // Its metadata has only the sender's balance.
  const unfunded = [fulfils && result === 'tecUNFUNDED_PAYMENT'];
  return { kind: 'mined', txid, block, feeUnits: feeDrops, effects, unfunded };
}

/**
 * Nodes report an incomplete search where a ledger of the range is empty: then their list of
 * ledgers decides.
 */
async function keepsAll(node: LedgerNode, { min_ledger, max_ledger }: LedgerRange): Promise<boolean> {
  const info = fields((await node.ask('server_info', {})).info, 'server_info');
  return String(info.complete_ledgers)
    .split(',')
    .some((range) => {
      const [from = Number.NaN, to = from] = range.split('-').map(Number);
      return from <= min_ledger && max_ledger <= to;
    });
}
