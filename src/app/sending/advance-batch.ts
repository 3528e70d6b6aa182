/**
 * Takes one open batch a step further. It is signed and stored, broadcast until a node has it,
 * replaced when it is stuck, and settled at the chain's finality. What is remembered between steps
 * only saves questions: a restart may forget it.
 */
import { type BoundedMap, boundedMap } from '../../domain/bounded-map.ts';
import {
  allVoided,
  isCancelOrdered,
  type SignedTransaction,
  type TransferBatch,
} from '../../domain/sending/outgoing.ts';
import { failureOf } from '../../domain/sending/outgoing-failure.ts';
import { delegationOf, leavesUs } from '../../domain/sending/outgoing-purpose.ts';
import { type ChainSender, SendingRefused } from '../../ports/sending/chain-sender.ts';
import { NOTES_MAX } from '../shared/notes-max.ts';
import type { Slots } from '../shared/slots.ts';
import { type BroadcastStored, storedBroadcaster } from './broadcast-stored.ts';
import { paidAndSpent } from './paid-and-spent.ts';
import { countsNonces, lockBatch, type SendingChain, type SendingNeeds } from './sending-chain.ts';
import { endedByExpiry, settleBatch } from './settle-batch.ts';
import { type SettleTransfer, transferSettler } from './settle-transfer.ts';
import { giveUpLost } from './signing/give-up-lost.ts';
import { type BatchSigner, batchSigner, type SigningResult } from './signing/sign-batch.ts';
import { type SigningAgain, signingAgain } from './signing/sign-replacement.ts';
import { attemptCounter, type CountAttempt } from './signing/signing-attempts.ts';
import { type SigningTurn, signInTurn } from './signing/signing-order.ts';
import { removePayment } from './signing/split-batch.ts';
import { staleTransactionAlarm } from './stale-transaction-alarm.ts';
import { type StuckBatches, stuckBatches } from './stuck-batch.ts';
import { bumpBatch } from './utxos/bump-batch.ts';

/** A mined batch is asked for again after this long, if its block is not final before. */
const MINED_AGAIN_MS = 60_000;

export interface AdvanceOptions {
  /** Nothing may be signed. */
  readonly stopped: boolean;
  /**
   * No older nonce of its wallet waits for a block. A higher fee does not help a batch that waits
   * behind another.
   */
  readonly first: boolean;
  /** For the first signature, where the chain counts nonces. */
  readonly turn: SigningTurn | null;
}

export interface BatchAdvancer {
  /** Whether it was in a block when it was last asked for. */
  isMined(batch: TransferBatch): boolean;
  /** Whether it only waits for its block to be final: there is nothing to ask or do meanwhile. */
  rests(batch: TransferBatch, at: { readonly finalizedHeight: number }): boolean;
  /**
   * `signed`: all that was signed for it, by ordinal. Rejects with ChainUnavailable or
   * SignerUnavailable.
   */
  advance(batch: TransferBatch, signed: readonly SignedTransaction[], options: AdvanceOptions): Promise<void>;
}

/** The batches of a chain, and what is remembered of them, by batch. */
interface Advancing {
  readonly deps: SendingNeeds;
  readonly on: SendingChain;
  readonly signer: BatchSigner;
  readonly countAttempt: CountAttempt;
  readonly broadcastStored: BroadcastStored;
  readonly settle: SettleTransfer;
  /** The height of its block, and until when that is believed. */
  readonly mined: BoundedMap<string, { readonly height: number; readonly until: number }>;
  /** When its fee was last bumped, or was to be. */
  readonly bumpedAt: BoundedMap<string, number>;
  readonly again: SigningAgain;
  readonly stuck: StuckBatches;
  readonly alarm: ReturnType<typeof staleTransactionAlarm>;
}

/** A batch in a step, once something is signed for it. */
interface SignedBatch {
  readonly batch: TransferBatch;
  readonly signed: readonly SignedTransaction[];
  /** The newest of them. */
  readonly latest: SignedTransaction;
  readonly options: AdvanceOptions;
}

/** Nodes are asked in slots of `asking`. */
export function batchAdvancer(deps: SendingNeeds, chain: SendingChain, asking: Slots): BatchAdvancer {
  const on = { ...chain, sender: askingIn(asking, chain.sender) };
  const advancing: Advancing = {
    ...{ deps, on, signer: batchSigner(deps, on), broadcastStored: storedBroadcaster(deps, chain, asking) },
    countAttempt: attemptCounter(deps),
    settle: transferSettler(deps, on.sender),
    mined: boundedMap(NOTES_MAX),
    bumpedAt: boundedMap(NOTES_MAX),
    again: signingAgain(deps, on),
    stuck: stuckBatches(deps, on),
    alarm: staleTransactionAlarm(deps, on),
  };
  return {
    isMined: ([{ transferBatchId }]) => advancing.mined.get(transferBatchId) !== undefined,
    rests([{ transferBatchId }], { finalizedHeight }) {
      const known = advancing.mined.get(transferBatchId);
      return known !== undefined && finalizedHeight < known.height && nowMs(deps) < known.until;
    },
    advance: (batch, signed, options) => advance(advancing, batch, signed, options),
  };
}

function askingIn(asking: Slots, sender: ChainSender): ChainSender {
  return {
    ...sender,
    prepare: (...order) => asking.run(() => sender.prepare(...order)),
    outcome: (query) => asking.run(() => sender.outcome(query)),
  };
}

const nowMs = ({ clock }: Pick<SendingNeeds, 'clock'>): number => clock.now().getTime();

async function advance(
  advancing: Advancing,
  batch: TransferBatch,
  signed: readonly SignedTransaction[],
  options: AdvanceOptions,
): Promise<void> {
  const latest = signed.at(-1);
  const waits =
    latest === undefined
      ? await signFirst(advancing, batch, options.turn)
      : await followSigned(advancing, { batch, signed, latest, options });
  if (waits && options.first && countsNonces(advancing.on)) advancing.stuck.noteWaiting(batch, signed);
}

/** Returns whether it still holds its nonce or its UTXOs, and is not mined. */
async function signFirst(
  advancing: Advancing,
  batch: TransferBatch,
  turn: SigningTurn | null,
): Promise<boolean> {
  const { on } = advancing;
  await removeGivenUp(advancing, batch);
  if (allVoided(batch) && !usesNonceUp(advancing, batch)) return false;
  const { kind } = await signAndBroadcast(advancing, batch, [], turn);
  if (kind === 'left') return false;
  if (kind === 'signed' || !countsNonces(advancing.on)) return true;
  // Nothing was signed. Something else may have used the nonce, as after a restored backup.
  const [{ wallet, nonce, asset, purpose }] = batch;
  const order = { asset, payments: batch, ...delegationOf(purpose) };
  const outcome = await on.sender.outcome({ wallet, nonce, transactions: [], order, inputs: [] });
  return !(await settleBatch(advancing, { batch, payments: batch }, outcome, 0));
}

/**
 * Whether a batch that is given up has to use its nonce up: a single transfer, where nonces count.
 */
const usesNonceUp = (advancing: Advancing, batch: TransferBatch): boolean =>
  countsNonces(advancing.on) && batch.length === 1;

/**
 * Transfers that were given up leave the batch before anything is signed. Where all leave it, its
 * nonce is free again (fill-nonce-gaps.ts).
 */
async function removeGivenUp(advancing: Advancing, batch: TransferBatch): Promise<void> {
  if (!batch.some(({ voided }) => voided) || usesNonceUp(advancing, batch)) return;
  const [{ transferBatchId }] = batch;
  await advancing.deps.unitOfWork.run(async (repositories) => {
    await lockBatch(repositories, transferBatchId);
    const reason = failureOf('given_up');
    await removePayment(repositories, transferBatchId, { which: ({ voided }) => voided, reason });
  });
}

/** Returns whether the batch still is in no block. */
async function followSigned(advancing: Advancing, step: SignedBatch): Promise<boolean> {
  const { deps, on, mined } = advancing;
  const { batch, signed } = step;
  const [{ transferBatchId, wallet, nonce, asset, purpose }] = batch;
  const { payments, inputs } = await paidAndSpent(deps, on, batch, signed);
  const order = { asset, payments, ...delegationOf(purpose) };
  const toOurs = !leavesUs({ purpose });
  const outcome = await on.sender.outcome({ wallet, nonce, transactions: signed, order, inputs, toOurs });
  if (await settleBatch(advancing, { batch, payments }, outcome, signed.length)) return false;
  if (outcome.kind !== 'mined') mined.delete(transferBatchId);
  switch (outcome.kind) {
    case 'mined':
      mined.set(transferBatchId, { height: outcome.block.height, until: nowMs(deps) + MINED_AGAIN_MS });
      return false;
    case 'superseded':
      return false;
    case 'expired':
      await signExpired(advancing, step);
      return true;
    case 'unseen':
    case 'waiting': {
      const wait = on.sender.capabilities.expires ? awaitExpiry : awaitBlock;
      await wait(advancing, step, { isUnseen: outcome.kind === 'unseen' });
      return true;
    }
  }
}

/** All that was signed is dead. Transfers that were given up end; others are signed again. */
async function signExpired(advancing: Advancing, { batch, signed, options }: SignedBatch): Promise<void> {
  if (options.stopped || endedByExpiry(batch, advancing.on).length > 0) return;
  await advancing.again.sign(batch, () => signAndBroadcast(advancing, batch, signed));
}

/** `isUnseen`: no node has any of its transactions. */
interface Sighting {
  readonly isUnseen: boolean;
}

/** Transactions that expire are never replaced: until then the same bytes are broadcast again. */
async function awaitExpiry(advancing: Advancing, step: SignedBatch, { isUnseen }: Sighting): Promise<void> {
  const { alarm, broadcastStored } = advancing;
  if (isUnseen) await alarm(step.batch, step.latest);
  if (needsBroadcast(step, isUnseen)) await broadcastStored(step.latest);
}

/**
 * The newest transaction is broadcast until nodes have it, and replaced when it is stuck or must
 * not pay any more.
 */
async function awaitBlock(advancing: Advancing, step: SignedBatch, { isUnseen }: Sighting): Promise<void> {
  const { deps, on, bumpedAt, stuck, broadcastStored } = advancing;
  const { batch, signed, latest, options } = step;
  const [{ transferBatchId }] = batch;
  if (mustBeReplaced(advancing, step, isUnseen)) return replace(advancing, batch, signed);
  const isTaken = !needsBroadcast(step, isUnseen) || (await broadcastStored(latest));
  if (!isBumpDue(advancing, step)) return;
  bumpedAt.set(transferBatchId, nowMs(deps));
  if (isUnseen && !isTaken && on.sender.utxos !== null) return giveUpLost(deps, on, transferBatchId);
  if (options.first && (await stuck.giveUpUnmineable(batch, signed))) return;
  await bumpFee(advancing, batch, signed);
}

/** The newest transaction may be on no node while an earlier one waits. */
function needsBroadcast({ latest, options: { stopped } }: SignedBatch, isUnseen: boolean): boolean {
  return latest.broadcastAt === null ? !stopped : isUnseen;
}

/**
 * Whether the newest transaction pays a transfer that was given up since. UTXOs that left the chain
 * may come back: they are spent by another transaction only while no node has this one.
 */
function mustBeReplaced(advancing: Advancing, { batch, latest }: SignedBatch, isUnseen: boolean): boolean {
  if (latest.voids) return false;
  if (countsNonces(advancing.on)) return batch.some(({ voided }) => voided);
  const isOrdered = advancing.on.sender.utxos?.replaceable === true && batch.some(isCancelOrdered);
  return isOrdered || (allVoided(batch) && isUnseen);
}

/** Whether an operator asked for a higher fee, or the batch has waited long enough for it. */
function isBumpDue(advancing: Advancing, { batch, latest, options }: SignedBatch): boolean {
  if (batch.some(({ feeBumpRequested }) => feeBumpRequested)) return true;
  const { deps, on, bumpedAt } = advancing;
  const since = Math.max(latest.signedAt.getTime(), bumpedAt.get(batch[0].transferBatchId) ?? 0);
  return nowMs(deps) - since >= on.stuckAfterMs && (options.first || !countsNonces(advancing.on));
}

/** By a replacement; where nodes accept none, by a child that pays for both. */
async function bumpFee(
  advancing: Advancing,
  batch: TransferBatch,
  signed: readonly SignedTransaction[],
): Promise<void> {
  const { deps, on } = advancing;
  const { utxos } = on.sender;
  if (utxos === null || utxos.replaceable) await replace(advancing, batch, signed);
  else await bumpBatch(deps, on, utxos, batch, signed);
}

async function replace(
  advancing: Advancing,
  batch: TransferBatch,
  signed: readonly SignedTransaction[],
): Promise<void> {
  const { stuck, again } = advancing;
  const result = await signAndBroadcast(advancing, batch, signed);
  if (result.kind === 'signed') stuck.noteReplaced(batch);
  if (!countsNonces(advancing.on)) return;
  if (offersEnough(result)) await stuck.noteOffersEnough(batch);
  await again.tried(batch, result);
}

/** Whether the replacement was refused since the batch already offers what others pay. */
function offersEnough(result: SigningResult): boolean {
  if (result.kind !== 'refused') return false;
  return result.error instanceof SendingRefused && result.error.because === 'enough';
}

async function signAndBroadcast(
  { deps, signer, countAttempt, broadcastStored }: Advancing,
  batch: TransferBatch,
  earlier: readonly SignedTransaction[],
  turn: SigningTurn | null = null,
): Promise<SigningResult> {
  const result =
    turn === null
      ? await signNow(signer, batch, earlier)
      : await signInTurn({ deps, signer, countAttempt }, batch, turn);
  if (result.kind === 'signed') await broadcastStored(result.transaction);
  return result;
}

async function signNow(
  signer: BatchSigner,
  batch: TransferBatch,
  earlier: readonly SignedTransaction[],
): Promise<SigningResult> {
  const prepared = await signer.prepare(batch, earlier);
  return prepared.kind === 'prepared' ? signer.sign(prepared) : prepared;
}
