/**
 * What became of a payment: every node is asked for all transactions that were signed for it. A
 * final outcome is reported only when all nodes that answer agree (safety.md A3 and "Paid once"). A
 * transaction that is nowhere is dead only when two things hold on a node whose history reaches
 * back to its signing: the finalized chain is well past the last block that could have taken it,
 * and no longer takes its blockhash. No later block can take it then: blocks build on finalized
 * ones, and its blockhash only gets older.
 */
import type {
  OutcomeQuery,
  SendingOutcome,
  SentTransaction,
} from '../../../../ports/sending/chain-sender.ts';
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import { NodeLagging } from '../../shared/nodes/node-errors.ts';
import { combineNodeViews, type MinedOutcome, type NodeView } from '../../shared/nodes/node-views.ts';
import type { Moment } from '../../shared/nodes/rounds/moments.ts';
import { sharedOrAlone } from '../../shared/nodes/rounds/shared-view.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { onlyPayment } from '../../shared/send/only-payment.ts';
import { lamports, wholeNumber, withSlot } from '../answers.ts';
import {
  paysTo,
  type SignedSolanaTransaction,
  signersOf,
  storedTransaction,
  tagOf,
  tokenAccountOf,
} from '../codec/transaction.ts';
import { TOKEN_2022_PROGRAM } from '../programs.ts';
import { CONFIRMED, FINALIZED, headerOfSlot, MAX_VERSION, type SlotBlock } from '../read/blocks.ts';
import { type Movements, movementsIn, tokensGained } from '../read/movements.ts';
import { BLOCKHASH_LIFE, EXPIRY_MARGIN } from './lifetime.ts';
import { ownWallet, type SolanaSending } from './sending.ts';
import { isPoor } from './simulate.ts';

/** getSignatureStatuses takes 256. */
const STATUSES = { kind: 'statuses', most: 256 };
/** In one request, of JSON-RPC's batch. */
const RESULTS = { kind: 'results', most: 50 };

interface SolanaCandidate {
  readonly signed: SignedSolanaTransaction;
  /** Whether the bytes match the order. */
  readonly fulfils: boolean;
}

export async function outcomeOf(sending: SolanaSending, query: OutcomeQuery): Promise<SendingOutcome> {
  if (query.transactions.length === 0) return { kind: 'unseen' };
  const candidates = query.transactions.map((transaction) => candidateOf(sending, query, transaction));
  const limits = query.transactions.map(({ txid, validUntil }) => {
    if (validUntil == null) throw new Error(`the end of validity of ${txid} is not stored`);
    return Number(validUntil);
  });
  const validity = { first: Math.min(...limits), last: Math.max(...limits) };
  const lastTxid = candidates.at(-1)?.signed.txid ?? null;
  return combineNodeViews(sending, { what: `payment ${query.nonce}`, lastTxid }, (node) => {
    const moment = sending.pool.rounds.moment(node);
    return sharedOrAlone(
      moment,
      () => readViewInRound({ node, moment }, { candidates, validity }),
      () => readViewAlone(node, { candidates, validity }),
    );
  });
}

function candidateOf(
  { assets }: SolanaSending,
  query: OutcomeQuery,
  { txid, raw, voids }: SentTransaction,
): SolanaCandidate {
  const signed = storedTransaction(raw);
  const { wallet, nonce, order } = query;
  if (signed.txid !== txid || signed.wallet !== ownWallet(wallet) || signed.tag !== tagOf(nonce))
    throw new Error(`the stored bytes of ${txid} are of another transaction, nonce or wallet`);
  const { to, units } = onlyPayment(order);
  const sameAsset = (signed.token?.mint ?? null) === assets.mintOf(order.asset);
  return { signed, fulfils: !voids && sameAsset && paysTo(signed, to) && signed.units === units };
}

interface SolanaOutcomeQuery {
  readonly candidates: readonly SolanaCandidate[];
  /** Of the last heights at which blocks take them, the lowest and the highest. */
  readonly validity: { readonly first: number; readonly last: number };
}

/**
 * Asks for the statuses and results of many payments together. Null where they do not prove a
 * payment to be mined, and where one may be dead: only `readViewAlone` says that.
 */
async function readViewInRound(
  { node, moment }: { node: RpcNode; moment: Moment },
  { candidates, validity }: SolanaOutcomeQuery,
): Promise<NodeView | null> {
  const finalized = await moment.once('finalized', () => finalizedOf(node));
  let waiting: string | null = null;
  for (const candidate of candidates) {
    const { txid } = candidate.signed;
    const told = await moment.gathered(STATUSES, txid, (txids) => readStatuses(node, txids));
    if (told === null) return null;
    if (told.status == null) continue;
    const at = await moment.proven(STATUSES, async () => statusIn(told.status));
    if (at === null) return null;
    if (at.isProcessed) waiting = txid;
    else return moment.proven(RESULTS, () => minedInRound({ moment, node, finalized }, candidate, at.slot));
  }
  if (waiting !== null) return { kind: 'waiting', txid: waiting };
  return finalized.height <= validity.last + EXPIRY_MARGIN ? { kind: 'unseen' } : null;
}

/** In the order of `txids`; unchecked. */
async function readStatuses(
  node: RpcNode,
  txids: readonly string[],
): Promise<readonly { status: unknown }[]> {
  const answer = await node.call('getSignatureStatuses', txids, { searchTransactionHistory: true });
  const statuses = list(withSlot(answer, 'status').value, 'status');
  if (statuses.length !== txids.length) throw unusable('status');
  return statuses.map((status) => ({ status }));
}

/** Throws NodeError for a malformed one. */
function statusIn(status: unknown): { slot: number; isProcessed: boolean } {
  const { slot, confirmationStatus } = fields(status, 'status');
  return { slot: wholeNumber(slot, 'slot'), isProcessed: confirmationStatus === 'processed' };
}

/**
 * The block is read after the finalized one, as for a payment alone: where that is not lower, no
 * other block can take its slot.
 */
async function minedInRound(
  { moment, node, finalized }: { moment: Moment; node: RpcNode; finalized: { height: number } },
  candidate: SolanaCandidate,
  slot: number,
): Promise<NodeView | null> {
  const outcome = await moment.gathered(RESULTS, candidate.signed.txid, (txids) =>
    node.outcomes(txids.map(transactionCall)),
  );
  if (outcome === null || 'error' in outcome || outcome.result === null) return null;
  if (movementsIn(outcome.result).txid !== candidate.signed.txid) return null;
  const block = await moment.once(`slot ${slot}`, () => headerOfSlot(node, slot));
  return minedView(node, candidate, { slot, answer: outcome.result, block, finalized: finalized.height });
}

async function readViewAlone(node: RpcNode, { candidates, validity }: SolanaOutcomeQuery): Promise<NodeView> {
  const txids = candidates.map(({ signed }) => signed.txid);
  // The order matters. A machine that has reached a slot shows everything in blocks up to the
  // finalized one, and an answer names the slot that its machine has reached. So a machine that
  // lags behind a shared name proves nothing, whichever machine gets which request.
  const finalized = await finalizedOf(node);
  const answer = await node.call('getSignatureStatuses', txids, { searchTransactionHistory: true });
  const { slot: seenTo, value } = withSlot(answer, 'status');
  const statuses = list(value, 'status');
  if (statuses.length !== txids.length) throw unusable('status');
  let waiting: string | null = null;
  for (const [position, candidate] of candidates.entries()) {
    const status = statuses[position];
    if (status == null) continue;
    const { slot, confirmationStatus } = fields(status, 'status');
    if (confirmationStatus === 'processed') waiting = candidate.signed.txid;
    else return lookUpMined(node, candidate, wholeNumber(slot, 'slot'), finalized.height);
  }
  if (waiting !== null) return { kind: 'waiting', txid: waiting };
  if (finalized.height <= validity.last + EXPIRY_MARGIN) return { kind: 'unseen' };
  if (seenTo < finalized.slot) throw new NodeLagging(`${node.label}: has not come to slot ${finalized.slot}`);
  for (const { signed } of candidates)
    if (await isTaken(node, signed.blockhash, finalized.slot)) return { kind: 'unseen' };
  await refuseShortHistory(node, validity.first - BLOCKHASH_LIFE);
  return { kind: 'expired' };
}

/** The best finalized block, height and slot from one machine. */
async function finalizedOf(node: RpcNode): Promise<{ height: number; slot: number }> {
  const { blockHeight, absoluteSlot } = fields(await node.call('getEpochInfo', FINALIZED), 'epoch info');
  return { height: wholeNumber(blockHeight, 'block height'), slot: wholeNumber(absoluteSlot, 'slot') };
}

/**
 * Whether a block after the finalized ones might still take the blockhash, whatever end was
 * reported for it at its signing.
 */
async function isTaken(node: RpcNode, blockhash: string, minContextSlot: number): Promise<boolean> {
  const answer = await node.call('isBlockhashValid', blockhash, { ...FINALIZED, minContextSlot });
  const { slot, value } = withSlot(answer, 'validity');
  if (typeof value !== 'boolean') throw unusable('validity');
  if (slot < minContextSlot) throw new NodeLagging(`${node.label}: has not come to slot ${minContextSlot}`);
  return value;
}

/**
 * NodeLagging for a node that does not keep the blocks since `height`: that it does not know a
 * transaction proves nothing.
 */
async function refuseShortHistory(node: RpcNode, height: number): Promise<void> {
  const slot = wholeNumber(await node.call('getFirstAvailableBlock'), 'slot');
  // There are no more blocks than slots.
  if (slot <= height) return;
  const oldest = await headerOfSlot(node, slot);
  if (oldest === null || oldest.height > Math.max(height, 1))
    throw new NodeLagging(`${node.label}: does not keep blocks from ${height} on`);
}

async function lookUpMined(
  node: RpcNode,
  candidate: SolanaCandidate,
  slot: number,
  finalized: number,
): Promise<NodeView> {
  const { method, params } = transactionCall(candidate.signed.txid);
  const answer = await node.call(method, ...params);
  const block = await headerOfSlot(node, slot);
  return minedView(node, candidate, { slot, answer, block, finalized });
}

const transactionCall = (txid: string) => ({
  method: 'getTransaction',
  params: [txid, { ...CONFIRMED, ...MAX_VERSION, encoding: 'json' }],
});

function minedView(
  node: RpcNode,
  candidate: SolanaCandidate,
  found: { slot: number; answer: unknown; block: SlotBlock | null; finalized: number },
): NodeView {
  const { slot, answer, block, finalized } = found;
  if (answer === null || block === null || fields(answer, 'transaction').slot !== slot)
    throw new NodeLagging(`${node.label}: was reorganised while a transaction was looked up`);
  const final = block.height <= finalized;
  const mined = minedAs(candidate, movementsIn(answer), { block, final });
  return { kind: 'mined', mined, tipHeight: block.height };
}

function minedAs(
  { signed, fulfils }: SolanaCandidate,
  movements: Movements,
  { block, final }: { block: SlotBlock; final: boolean },
): MinedOutcome {
  const { txid, wallet, feePayer } = signed;
  const feeUnits = takenFrom([...new Set([wallet, feePayer])], signed, movements);
  return {
    kind: 'mined',
    txid,
    block: { height: block.height, hash: block.hash },
    feeUnits,
    ...(feePayer === wallet ? {} : { hotFeeUnits: feeUnits }),
    effects: [fulfils && !movements.failed && paid(signed, movements)],
    unfunded: [fulfils && isUnfunded(signed, movements)],
    final,
  };
}

/**
 * False for Token-2022: its mints may call programs of their own, whose errors have the same
 * numbers.
 */
function isUnfunded(signed: SignedSolanaTransaction, { error }: Movements): boolean {
  return signed.token?.program !== TOKEN_2022_PROGRAM && isPoor(error, signersOf(signed).length);
}

/**
 * What our wallets lost beyond the payment: the fee, and rent of created accounts less that of the
 * closed one.
 */
function takenFrom(
  wallets: readonly string[],
  { recipient, units, token }: SignedSolanaTransaction,
  movements: Movements,
): bigint {
  const { accounts, before, after, failed } = movements;
  const lost = wallets.reduce((sum, wallet) => {
    const position = accounts.indexOf(wallet);
    return sum + lamports(before[position], 'balance') - lamports(after[position], 'balance');
  }, 0n);
  const paidAway = token === null && !failed && !wallets.includes(recipient);
  return lost - (paidAway ? units : 0n);
}

/**
 * A token that keeps a part of a transfer has moved the rest: if that counted as reverted, it would
 * be paid a second time.
 */
function paid(signed: SignedSolanaTransaction, movements: Movements): boolean {
  if (signed.token === null) return true;
  const account = tokenAccountOf(signed, signed.token);
  const held = movements.tokensAfter.find((holding) => holding.account === account);
  return held !== undefined && tokensGained(movements, held) > 0n;
}
