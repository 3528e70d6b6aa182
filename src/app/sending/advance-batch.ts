/**
 * Takes one open batch a step further: signed and stored, broadcast until seen, replaced when stuck, settled at the chain's
 * finality. What it remembers between steps only spares questions: a restart forgets it without harm.
 */
import {
  allVoided,
  delegationOf,
  isCancelOrdered,
  type OutgoingTransfer,
  type SignedTransaction,
  type TransferBatch,
} from '../../domain/sending/outgoing.ts';
import { failureOf } from '../../domain/sending/outgoing-failure.ts';
import { type SendingOutcome, SendingRefused } from '../../ports/sending/chain-sender.ts';
import { boundedMap, NOTES_MAX } from '../shared/bounded-map.ts';
import { bumpBatch } from './allocate-utxos.ts';
import { batchOf, lockBatch, type SendingChain, type SendingNeeds } from './sending-chain.ts';
import { batchSettler } from './settle-batch.ts';
import { giveUpLost } from './signing/abandon-lost.ts';
import type { Refusal } from './signing/refused-payout.ts';
import { type SigningResult, signBatch } from './signing/sign-batch.ts';
import { signingAgain } from './signing/sign-replacement.ts';
import { type SigningTurn, signInTurn } from './signing/signing-order.ts';
import { removePayment } from './signing/split-batch.ts';
import { staleTransactionAlarm } from './stale-transaction-alarm.ts';
import { stuckBatches } from './stuck-batch.ts';
import { wholeOf } from './whole-batch.ts';

/** What is in a block is asked for again after this long, if that block is not final before. */
const MINED_AGAIN_MS = 60_000;

export interface AdvanceOptions {
  /** Nothing may be signed. */
  readonly stopped: boolean;
  /** Whether no older nonce of its wallet waits for a block: what waits behind another is not helped by a higher fee. */
  readonly first: boolean;
  /** Of one that is to be signed for the first time, where nonces follow each other. */
  readonly turn: SigningTurn | null;
}

export interface BatchAdvancer {
  /** Whether it is in a block, as far as is known. */
  isMined(batch: TransferBatch): boolean;
  /** Whether it only waits for its block to be final: nothing is asked or done meanwhile. */
  rests(batch: TransferBatch, at: { readonly finalizedHeight: number }): boolean;
  /** `signed`: all that was signed for it, by ordinal. */
  advance(batch: TransferBatch, signed: readonly SignedTransaction[], options: AdvanceOptions): Promise<void>;
}

export function batchAdvancer(deps: SendingNeeds, on: SendingChain): BatchAdvancer {
  const { sender } = on;
  const { expires } = sender.ways;
  const counted = sender.ways.nonces === 'counted';
  const mined = boundedMap<string, { height: number; until: number }>(NOTES_MAX);
  const feeBumpRequestedAt = boundedMap<string, number>(NOTES_MAX);
  const settler = batchSettler(deps, on);
  const again = signingAgain(deps, on);
  const stuck = stuckBatches(deps, on);
  const alarm = staleTransactionAlarm(deps, on);
  const now = () => deps.clock.now().getTime();

  async function advance(
    batch: TransferBatch,
    signed: readonly SignedTransaction[],
    options: AdvanceOptions,
  ): Promise<void> {
    const [latest] = signed.slice(-1);
    const waits =
      latest === undefined ? await begin(batch, options.turn) : await goOn(batch, signed, latest, options);
    if (waits && options.first && counted) stuck.waits(batch, signed);
  }

  /** Whether it still is in no block. */
  async function goOn(
    batch: TransferBatch,
    signed: readonly SignedTransaction[],
    latest: SignedTransaction,
    options: AdvanceOptions,
  ): Promise<boolean> {
    const [{ transferBatchId, wallet, nonce, asset, purpose }] = batch;
    const { payments, inputs } = await wholeOf(deps, on, batch, signed);
    const order = { asset, payments, ...delegationOf(purpose) };
    const outcome = await sender.outcome({
      ...{ wallet, nonce, transactions: signed, order, inputs },
      toOurs: purpose !== 'payout',
    });
    if (await settler.settled({ batch, payments }, outcome, signed.length)) return false;
    if (outcome.kind !== 'mined') mined.delete(transferBatchId);
    switch (outcome.kind) {
      case 'superseded':
        return false;
      case 'mined':
        mined.set(transferBatchId, { height: outcome.block.height, until: now() + MINED_AGAIN_MS });
        return false;
      case 'expired':
        if (settler.lapsing(batch).length > 0) return true;
        if (!options.stopped) await again.sign(batch, () => signAndBroadcast(batch, signed));
        return true;
      case 'unseen':
      case 'waiting':
        await wait(batch, { signed, latest, outcome }, options);
        return true;
    }
  }

  /** In no block yet, and not dead. */
  async function wait(
    batch: TransferBatch,
    { signed, latest, outcome }: Waits,
    { stopped, first }: AdvanceOptions,
  ): Promise<void> {
    const [{ transferBatchId }] = batch;
    const unseen = outcome.kind === 'unseen';
    // A transfer that was given up must not be paid by what was signed for it before.
    if (mustBeReplaced(batch, latest, unseen)) return replace(batch, signed);
    if (expires && unseen) await alarm(batch, latest);
    // Of several, the newest may have come to no node while an earlier one waits.
    const handsOut = latest.broadcastAt === null ? !stopped : unseen;
    const gone = handsOut && !(await broadcast(latest)) && unseen;
    // What expires is never replaced: until it does, only its own bytes are broadcast again.
    if (expires) return;
    const since = Math.max(latest.signedAt.getTime(), feeBumpRequestedAt.get(transferBatchId) ?? 0);
    const late = now() - since >= on.stuckAfterMs && (first || !counted);
    if (!late && !batch.some((transfer) => transfer.feeBumpRequested)) return;
    feeBumpRequestedAt.set(transferBatchId, now());
    if (gone && sender.utxos !== null) await giveUpLost(deps, on, transferBatchId);
    else if (!(first && (await stuck.giveUpUnmineable(batch, signed)))) await bumpFee(batch, signed);
  }

  /**
   * Whether what was signed last pays what was given up since, and another transaction can take its place. Coins that left the chain may
   * come back: they are spent anew only while no node has what spent them.
   */
  function mustBeReplaced(batch: TransferBatch, latest: SignedTransaction, unseen: boolean): boolean {
    if (expires || latest.voids) return false;
    if (counted) return batch.some(({ voided }) => voided);
    const ordered = sender.utxos?.replaceable === true && batch.some(isCancelOrdered);
    return ordered || (allVoided(batch) && unseen);
  }

  /** Whether it has its place all the same. */
  async function begin(batch: TransferBatch, turn: SigningTurn | null): Promise<boolean> {
    const [{ transferBatchId, wallet, nonce, asset, purpose }] = batch;
    if (batch.some(({ voided }) => voided) && (!counted || batch.length > 1)) {
      // Its nonce need not be used up, or not by it (the others, fill-nonce-gaps.ts).
      await deps.unitOfWork.run(async (repositories) => {
        await lockBatch(repositories, transferBatchId);
        const which = (transfer: OutgoingTransfer) => transfer.voided;
        await removePayment(repositories, transferBatchId, { which, reason: failureOf('given_up') });
      });
      if (allVoided(batch)) return false;
    }
    const { kind } = await signAndBroadcast(batch, [], turn);
    if (kind === 'left') return false;
    if (kind === 'signed' || !counted) return true;
    // Nothing could be signed: somebody else may have used the nonce (a database that was restored, for example).
    const order = { asset, payments: batch, ...delegationOf(purpose) };
    const outcome = await sender.outcome({ wallet, nonce, transactions: [], order, inputs: [] });
    return !(await settler.settled({ batch, payments: batch }, outcome, 0));
  }

  /** A waiting transaction is replaced by one with higher fees; where no node takes that, a child pays for it. */
  async function bumpFee(batch: TransferBatch, signed: readonly SignedTransaction[]): Promise<void> {
    if (sender.utxos === null || sender.utxos.replaceable) await replace(batch, signed);
    else await bumpBatch(deps, on, sender.utxos, batch, signed);
  }

  async function replace(batch: TransferBatch, signed: readonly SignedTransaction[]): Promise<void> {
    const result = await signAndBroadcast(batch, signed);
    if (result.kind === 'signed') stuck.replaced(batch);
    if (!counted) return;
    if (result.kind === 'refused' && isEnough(result.error)) await stuck.offersEnough(batch);
    await again.tried(batch, result);
  }

  async function signAndBroadcast(
    batch: TransferBatch,
    earlier: readonly SignedTransaction[],
    turn: SigningTurn | null = null,
  ): Promise<SigningResult> {
    const result =
      turn === null ? await signBatch(deps, on, batch, earlier) : await signInTurn(deps, on, batch, turn);
    if (result.kind === 'signed') await broadcast(result.transaction);
    return result;
  }

  /**
   * False when nodes say that nothing of the kind is ever taken: its nonce is used, or a coin is not there. What no node has seen
   * is not handed out once an operator has stopped signing.
   */
  async function broadcast(signed: SignedTransaction): Promise<boolean> {
    const { raw, txid, broadcastAt } = signed;
    const fresh = broadcastAt === null;
    if (await mustBeSilent(signed)) return true;
    const outcome = await sender.broadcast(raw);
    if (outcome.kind === 'refused')
      deps.logger.warn('transfer.not_taken', {
        chain: on.chain,
        txid,
        reason: outcome.reason,
      });
    if (outcome.kind === 'accepted' && fresh)
      await deps.unitOfWork.run(({ outgoing }) => outgoing.markBroadcast(txid, deps.clock.now()));
    return outcome.kind !== 'sequence_used';
  }

  /** Asked anew: it may have been given up since the batch was read. Where transactions expire, silence is what voids them. */
  function mustBeSilent({ transferBatchId, voids, broadcastAt }: SignedTransaction): Promise<boolean> {
    if (broadcastAt !== null && (!expires || voids)) return Promise.resolve(false);
    return deps.unitOfWork.run(async (repositories) => {
      const { outgoing } = repositories;
      if (broadcastAt === null && (await outgoing.signingStopped()) !== null) return true;
      if (!expires || voids) return false;
      const batch = await batchOf(repositories, transferBatchId);
      return batch === null || (counted ? batch.some(({ voided }) => voided) : allVoided(batch));
    });
  }

  return {
    isMined: ([{ transferBatchId }]) => mined.get(transferBatchId) !== undefined,
    rests([{ transferBatchId }], { finalizedHeight }) {
      const known = mined.get(transferBatchId);
      return known !== undefined && finalizedHeight < known.height && now() < known.until;
    },
    advance,
  };
}

interface Waits {
  readonly signed: readonly SignedTransaction[];
  /** The newest of them. */
  readonly latest: SignedTransaction;
  readonly outcome: Extract<SendingOutcome, { kind: 'unseen' | 'waiting' }>;
}

const isEnough = (error: Refusal): boolean => error instanceof SendingRefused && error.because === 'enough';
