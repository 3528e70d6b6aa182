/**
 * The worker's side of money out on one chain: payouts become batches, and every open batch is taken a step further
 * (advance-batch.ts). Several workers may do the same at the same time; a crash at any point is followed by the same step.
 */

import type { PayoutLimits } from '../../domain/payouts/payout-limits.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import { batchesOf, type OutgoingTransfer, type TransferBatch } from '../../domain/sending/outgoing.ts';
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import { SignerUnavailable } from '../../ports/sending/signer.ts';
import { assetsOf } from '../catalog/assets-of-chain.ts';
import { batchAdvancer } from './advance-batch.ts';
import { allocatePayouts } from './allocate-payouts.ts';
import { utxoAllocator } from './allocate-utxos.ts';
import { bookFunding } from './book-funding.ts';
import { gapFiller } from './nonces/fill-nonce-gaps.ts';
import { utxoRechecker } from './recheck-utxos.ts';
import type { StartGate } from './restart/start-gate.ts';
import type { SendingChain, SendingNeeds } from './sending-chain.ts';
import { settleTransfer } from './settle-transfer.ts';
import { signingTurns } from './signing/signing-order.ts';
import { payoutTrials } from './signing/try-payouts.ts';

/** Payouts looked at in one step, and transfers that may be open at once: what is mined and not final yet is one of them. */
const BATCH = 400;
const OPEN_MAX = 8_000;
/** Payouts of one merchant, who may be paid out again, that stop to wait for that in one step. */
const READMITTED = 1_000;
const AT_A_TIME = 16;
/** Blocks below the best one in which a settled transfer is still looked after: deeper reorganisations are told by reconciliation. */
const RECHECK_BLOCKS = 256;

export interface TransferSender {
  readonly chain: string;
  /** One step for every open transfer. Rejects with ChainUnavailable or SignerUnavailable when it could not go on. */
  step(stopping?: AbortSignal): Promise<void>;
}

export function transferSender(
  deps: SendingNeeds,
  on: SendingChain,
  limits: PayoutLimits,
  /** What of the payouts that were there at the start must wait. */
  gate: StartGate,
): TransferSender {
  const { sender } = on;
  const trials = payoutTrials(deps, on);
  const allocate =
    sender.utxos === null
      ? allocatePayouts(deps, on, limits, trials)
      : utxoAllocator(deps, on, sender.utxos, limits);
  const advancer = batchAdvancer(deps, on);
  const fillNonceGaps = gapFiller(deps, on);
  const reclaim = sender.utxos === null ? null : utxoRechecker(deps, on, sender.utxos);
  const assets = assetsOf(deps, on.chain);
  let wasStopped = false;

  /** Said once when an operator stops signing, and once when it goes on. */
  function tellOfStop(stop: Seen['stop']): void {
    if ((stop !== null) === wasStopped) return;
    wasStopped = stop !== null;
    const { chain } = on;
    if (stop === null) deps.logger.info('signing.resumed', { chain });
    else deps.logger.warn('signing.stopped', { chain, note: stop.note });
  }

  /** What a step looks at, in one transaction: most steps find nothing to do. */
  function look() {
    return deps.unitOfWork.run(async (repositories): Promise<Seen> => {
      const { chains, outgoing, payouts } = repositories;
      await gate.look(repositories);
      const stop = await outgoing.signingStopped();
      const cursor = await chains.cursor(on.chain);
      const open = await outgoing.open(on.chain, OPEN_MAX);
      await payouts.readmit(READMITTED);
      return {
        stop,
        finalizedHeight: cursor?.finalizedHeight ?? -1,
        settled: await outgoing.settledFrom(on.chain, (cursor?.height ?? 0) - RECHECK_BLOCKS),
        sendable:
          stop === null && open.length < OPEN_MAX
            ? await payouts.sendable(assets, BATCH, deps.clock.now())
            : [],
        open,
      };
    });
  }

  /** From the highest block down to the first that still stands: all below it stand, too. Answers how many do not. */
  async function recheck(settledTransfers: readonly OutgoingTransfer[]): Promise<number> {
    const known = new Map<string, boolean>();
    let undone = 0;
    for (const transfer of settledTransfers.toReversed()) {
      if (transfer.block === null) continue;
      const { hash } = transfer.block;
      const stands = known.get(hash) ?? (await sender.onChain(transfer.block));
      if (stands === null || stands) break;
      known.set(hash, stands);
      await settleTransfer(deps, transfer, { type: 'reorganised' }, sender);
      undone += 1;
    }
    return undone;
  }

  /** What only uses its nonce up comes behind nobody. */
  const inOrder = (batch: TransferBatch): boolean =>
    sender.ways.nonces === 'counted' && !batch.some(({ voided }) => voided);

  async function advanceAll({ open, stop, finalizedHeight }: Seen, stopping?: AbortSignal): Promise<void> {
    const batches = batchesOf(open);
    const turns = turnsOf(batches);
    const firsts = firstsOf(batches.filter((batch) => !advancer.isMined(batch)));
    const kept = (batch: TransferBatch) => batch.some(({ referenceId }) => gate.keeps(referenceId));
    const due = batches.filter((batch) => !advancer.rests(batch, { finalizedHeight }));
    const ids = due.map(([{ transferBatchId }]) => transferBatchId);
    const signed =
      ids.length === 0 ? [] : await deps.unitOfWork.run(({ outgoing }) => outgoing.signedOf(ids));
    const byBatch = Map.groupBy(signed, ({ transferBatchId }) => transferBatchId);
    const left = due.values();
    const turnAt = signingTurns();
    let failure: unknown = null;
    // In the order of their nonces, so that nodes see few gaps.
    const lane = async () => {
      for (const batch of left) {
        if (stopping?.aborted) return;
        const [{ transferBatchId, wallet }] = batch;
        const isNew = !byBatch.has(transferBatchId);
        const waits = kept(batch);
        const turn = isNew && inOrder(batch) ? turnAt(wallet) : null;
        const options = { stopped: waits || stop !== null, first: firsts.has(transferBatchId), turn };
        try {
          if (isNew && (waits || (turns.get(transferBatchId) ?? 0) >= sender.ways.batchesAtOnce)) continue;
          await advancer.advance(batch, byBatch.get(transferBatchId) ?? [], options);
        } catch (error) {
          failure ??= error;
          // With the node or the signer away the others would only fail, too; one transfer's own trouble is its own.
          if (error instanceof ChainUnavailable || error instanceof SignerUnavailable) return;
          deps.logger.error('transfer.not_advanced', { transferBatchId, error: String(error) });
        } finally {
          turn?.end('waits');
        }
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, lane));
    if (failure !== null) throw failure;
  }

  /** New transfers. What hinders them is told after those that exist were looked after. */
  async function order({ sendable, open, stop }: Seen): Promise<{ made: number; hindrance: unknown }> {
    try {
      if (sender.utxos !== null) await bookFunding(deps, on);
      await reclaim?.();
      await gate.open();
      const may = sendable.filter(({ id }) => !gate.keeps(id));
      const allocated = gate.keepsUtxos() ? 0 : await allocate(may, open);
      // What was given back unsigned is used up only when nobody took it.
      return { made: allocated + (stop === null ? await fillNonceGaps(open) : 0), hindrance: null };
    } catch (error) {
      return { made: 0, hindrance: error };
    }
  }

  return {
    chain: on.chain,
    async step(stopping) {
      const seen = await look();
      tellOfStop(seen.stop);
      const undone = await recheck(seen.settled);
      const { made, hindrance } = await order(seen);
      const advancing = advanceAll(undone + made > 0 ? await look() : seen, stopping);
      const [advanced, tried] = await Promise.allSettled([advancing, trials.run(advancing)]);
      for (const part of [advanced, tried]) if (part.status === 'rejected') throw part.reason;
      if (hindrance !== null) throw hindrance;
    },
  };
}

/** How many batches of its wallet are before each. */
function turnsOf(batches: readonly TransferBatch[]): ReadonlyMap<string, number> {
  const before = new Map<string, number>();
  const turns = new Map<string, number>();
  for (const [{ wallet, transferBatchId }] of batches) {
    const turn = before.get(wallet) ?? 0;
    turns.set(transferBatchId, turn);
    before.set(wallet, turn + 1);
  }
  return turns;
}

/** Of each wallet the batch whose turn it is. */
function firstsOf(batches: readonly TransferBatch[]): ReadonlySet<string> {
  const firsts = new Map<string, string>();
  for (const [{ wallet, transferBatchId }] of batches)
    if (!firsts.has(wallet)) firsts.set(wallet, transferBatchId);
  return new Set(firsts.values());
}

interface Seen {
  readonly stop: { readonly note: string } | null;
  readonly finalizedHeight: number;
  /** Settled in blocks that a reorganisation may still remove. */
  readonly settled: readonly OutgoingTransfer[];
  readonly sendable: readonly Payout[];
  readonly open: readonly OutgoingTransfer[];
}
