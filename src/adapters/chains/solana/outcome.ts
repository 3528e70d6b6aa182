/**
 * What became of a payment: every node is asked for all transactions that were signed for it, and what is final is told only when
 * all nodes that answer see the same (safety.md, 2 and A3). One that is nowhere is dead only when the finalized chain is past the
 * last block that could have taken it, on a node whose history reaches back to when it was signed.
 */
import type { OutcomeQuery, SendingOutcome, SentTransaction } from '../../../ports/chain-sender.ts';
import { fields, list } from '../shared/answers.ts';
import { NodeBehind } from '../shared/faults.ts';
import { type Mined, type NodeView, outcomeSeenBy } from '../shared/node-views.ts';
import { onlyPayment } from '../shared/only-payment.ts';
import type { RpcNode } from '../shared/rpc-node.ts';
import { lamports, wholeNumber, withSlot } from './answers.ts';
import { CONFIRMED, FINALIZED, headerOfSlot, MAX_VERSION, type SlotBlock } from './blocks.ts';
import { type Movements, movementsIn, tokensGained } from './movements.ts';
import { associatedAccount } from './programs.ts';
import { ownWallet, type Sending } from './sending.ts';
import { type SignedSolanaTransaction, storedTransaction, tagOf } from './transaction.ts';

/** Blocks that may use a blockhash after its own. */
const BLOCKHASH_LIFE = 150;

interface Candidate {
  readonly signed: SignedSolanaTransaction;
  /** Whether the bytes say what the order says. */
  readonly fulfils: boolean;
}

export async function outcomeOf(sending: Sending, query: OutcomeQuery): Promise<SendingOutcome> {
  if (query.transactions.length === 0) return { kind: 'unseen' };
  const candidates = query.transactions.map((transaction) => candidateOf(sending, query, transaction));
  const limits = query.transactions.map(({ txid, validUntil }) => {
    if (validUntil == null) throw new Error(`it is not stored until when ${txid} is valid`);
    return Number(validUntil);
  });
  const validity = { first: Math.min(...limits), last: Math.max(...limits) };
  const lastTxid = candidates.at(-1)?.signed.txid ?? null;
  return outcomeSeenBy(sending, { what: `payment ${query.sequence}`, lastTxid }, (node) =>
    readView(node, candidates, validity),
  );
}

function candidateOf(
  { assets }: Sending,
  query: OutcomeQuery,
  { txid, raw, voids }: SentTransaction,
): Candidate {
  const signed = storedTransaction(raw);
  const { wallet, sequence, order } = query;
  if (signed.txid !== txid || signed.wallet !== ownWallet(wallet) || signed.tag !== tagOf(sequence))
    throw new Error(`the stored bytes of ${txid} are of another transaction, sequence or wallet`);
  const { to, units } = onlyPayment(order);
  const sameAsset = (signed.token?.mint ?? null) === assets.mintOf(order.asset);
  return { signed, fulfils: !voids && sameAsset && signed.recipient === to && signed.units === units };
}

async function readView(
  node: RpcNode,
  candidates: readonly Candidate[],
  validity: { first: number; last: number },
): Promise<NodeView> {
  const txids = candidates.map(({ signed }) => signed.txid);
  // In one request, so that an empty answer comes from a machine that has come that far, and not from one behind a common name.
  const [height, answer] = await node.batch([
    { method: 'getBlockHeight', params: [FINALIZED] },
    { method: 'getSignatureStatuses', params: [txids, { searchTransactionHistory: true }] },
  ]);
  const finalized = wholeNumber(height, 'block height');
  const statuses = list(withSlot(answer, 'status').value, 'status');
  let waiting: string | null = null;
  for (const [position, candidate] of candidates.entries()) {
    const status = statuses[position];
    if (status == null) continue;
    const { slot, confirmationStatus } = fields(status, 'status');
    if (confirmationStatus === 'processed') waiting = candidate.signed.txid;
    else return minedView(node, candidate, wholeNumber(slot, 'slot'), finalized);
  }
  if (waiting !== null) return { kind: 'waiting', txid: waiting };
  if (finalized <= validity.last) return { kind: 'unseen' };
  await refuseShortHistory(node, validity.first - BLOCKHASH_LIFE);
  return { kind: 'expired' };
}

/** NodeBehind for a node that does not keep the blocks since `height`: that it knows nothing proves nothing. */
async function refuseShortHistory(node: RpcNode, height: number): Promise<void> {
  const slot = wholeNumber(await node.call('getFirstAvailableBlock'), 'slot');
  // There are no more blocks than slots.
  if (slot <= height) return;
  const oldest = await headerOfSlot(node, slot);
  if (oldest === null || oldest.height > Math.max(height, 1))
    throw new NodeBehind(`${node.label}: does not keep blocks from ${height} on`);
}

async function minedView(
  node: RpcNode,
  candidate: Candidate,
  slot: number,
  finalized: number,
): Promise<NodeView> {
  const { txid } = candidate.signed;
  const answer = await node.call('getTransaction', txid, { ...CONFIRMED, ...MAX_VERSION, encoding: 'json' });
  const block = await headerOfSlot(node, slot);
  if (answer === null || block === null || fields(answer, 'transaction').slot !== slot)
    throw new NodeBehind(`${node.label}: was reorganised while a transaction was looked up`);
  const final = block.height <= finalized;
  const mined = minedAs(candidate, movementsIn(answer), { block, final });
  return { kind: 'mined', mined, tipHeight: block.height };
}

function minedAs(
  { signed, fulfils }: Candidate,
  movements: Movements,
  { block, final }: { block: SlotBlock; final: boolean },
): Mined {
  const { txid, wallet, feePayer } = signed;
  const feeUnits = takenFrom([...new Set([wallet, feePayer])], signed, movements);
  return {
    kind: 'mined',
    txid,
    block: { height: block.height, hash: block.hash },
    feeUnits,
    ...(feePayer === wallet ? {} : { hotFeeUnits: feeUnits }),
    effects: [fulfils && !movements.failed && paid(signed, movements)],
    final,
  };
}

/** What our wallets lost, without what was paid to somebody else: fee, and rent of accounts made, less that of the one ended. */
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

/** A token that keeps a part of what is sent has moved the rest all the same: to call that undone would pay it a second time. */
function paid({ recipient, token }: SignedSolanaTransaction, movements: Movements): boolean {
  if (token === null) return true;
  const account = associatedAccount(recipient, token);
  const held = movements.tokensAfter.find((holding) => holding.account === account);
  return held !== undefined && tokensGained(movements, held) > 0n;
}
