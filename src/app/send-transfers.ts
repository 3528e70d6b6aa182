/**
 * Takes every open transfer of a chain a step further: signed and stored, broadcast until seen, replaced when stuck, settled
 * at the chain's finality. Several workers may do the same at the same time; a crash at any point is followed by the same step.
 */
import type { OutgoingTransfer, SignedTransaction } from '../domain/outgoing.ts';
import type { PayoutLimits } from '../domain/payout-limits.ts';
import type { Payout } from '../domain/payout-record.ts';
import { ChainUnavailable } from '../ports/chain-scanner.ts';
import type { SendingOutcome } from '../ports/chain-sender.ts';
import { SignerUnavailable } from '../ports/signer.ts';
import { allocatePayouts } from './allocate-payouts.ts';
import type { SendingChain, SendingNeeds } from './sending.ts';
import { settleTransfer } from './settle-transfer.ts';
import { signTransfer } from './sign-transfer.ts';

/** Payouts looked at and transfers looked after in one step, and how many of them at a time. */
const BATCH = 400;
const AT_A_TIME = 16;
/** Blocks below the best one in which a settled transfer is still looked after: deeper reorganisations are told by reconciliation. */
const RECHECK_BLOCKS = 256;

export interface TransferSender {
  readonly chain: string;
  /** One step for every open transfer. Rejects with ChainUnavailable or SignerUnavailable when it could not go on. */
  step(): Promise<void>;
}

export function transferSender(deps: SendingNeeds, on: SendingChain, limits: PayoutLimits): TransferSender {
  const allocate = allocatePayouts(deps, on, limits);
  const assets = deps.catalog.all.filter((asset) => asset.chain === on.chain).map((asset) => asset.key);
  const { sender } = on;
  let wasStopped = false;

  async function advance(
    transfer: OutgoingTransfer,
    signed: readonly SignedTransaction[],
    stopped: boolean,
  ): Promise<void> {
    const latest = signed.at(-1);
    if (latest === undefined) return signAndBroadcast(transfer, signed);
    const outcome = await sender.outcome({
      wallet: transfer.wallet,
      sequence: transfer.sequence,
      transactions: signed,
      order: transfer,
    });
    if (await settled(transfer, outcome)) return;
    if (outcome.kind === 'mined') return;
    // A transfer that was given up must not be paid by what was signed for it before.
    if (transfer.voided && !latest.voids) return signAndBroadcast(transfer, signed);
    if (outcome.kind === 'unseen' && !(stopped && latest.broadcastAt === null)) await broadcast(latest);
    const age = deps.clock.now().getTime() - latest.signedAt.getTime();
    if (age >= on.stuckAfterMs || transfer.hurried) await signAndBroadcast(transfer, signed);
  }

  async function signAndBroadcast(
    transfer: OutgoingTransfer,
    earlier: readonly SignedTransaction[],
  ): Promise<void> {
    const signed = await signTransfer(deps, on, transfer, earlier);
    if (signed !== null) await broadcast(signed);
  }

  async function broadcast({ raw, txid, broadcastAt }: SignedTransaction): Promise<void> {
    const outcome = await sender.broadcast(raw);
    if (outcome.kind === 'refused')
      deps.logger.warn('nodes do not take a transaction at present', {
        chain: on.chain,
        txid,
        reason: outcome.reason,
      });
    if (outcome.kind === 'accepted' && broadcastAt === null)
      await deps.unitOfWork.run((repositories) =>
        repositories.outgoing.markBroadcast(txid, deps.clock.now()),
      );
  }

  /** Whether the transfer has come to its end. */
  async function settled(transfer: OutgoingTransfer, outcome: SendingOutcome): Promise<boolean> {
    const settle = (event: Parameters<typeof settleTransfer>[2]) =>
      settleTransfer(deps, transfer, event, sender.nativeAsset);
    if (outcome.kind === 'superseded') {
      deps.logger.error('a sequence was used by a transaction that this gateway did not sign', {
        chain: on.chain,
        wallet: transfer.wallet,
        sequence: String(transfer.sequence),
      });
      return settle({ type: 'superseded', reason: 'its sequence was used by another transaction' });
    }
    if (outcome.kind !== 'mined' || !outcome.final) return false;
    const { txid, block, feeUnits } = outcome;
    if (outcome.effect) return settle({ type: 'confirmed', txid, block, feeUnits });
    const reason = 'the chain carried the transaction without its effect';
    return settle({ type: 'mined_without_effect', txid, block, feeUnits, reason });
  }

  /** Said once when an operator stops signing, and once when it goes on. */
  function tellOfStop(stop: Seen['stop']): void {
    if ((stop !== null) === wasStopped) return;
    wasStopped = stop !== null;
    const { chain } = on;
    if (stop === null) deps.logger.info('signing goes on', { chain });
    else deps.logger.warn('signing is stopped by an operator: nothing is sent', { chain, note: stop.note });
  }

  /** Everything that a step looks at, in one transaction: most steps find nothing to do. */
  function look() {
    return deps.unitOfWork.run(async ({ chains, outgoing, payouts }): Promise<Seen> => {
      const stop = await outgoing.signingStopped();
      const cursor = await chains.cursor(on.chain);
      const open = await outgoing.open(on.chain, BATCH);
      return {
        stop,
        settled: await outgoing.settledFrom(on.chain, (cursor?.height ?? 0) - RECHECK_BLOCKS),
        sendable: stop === null && open.length < BATCH ? await payouts.sendable(assets, BATCH) : [],
        open,
        signed: await outgoing.signedOf(open.map(({ id }) => id)),
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
      await settleTransfer(deps, transfer, { type: 'reorganised' }, sender.nativeAsset);
      undone += 1;
    }
    return undone;
  }

  async function advanceAll({ open, signed, stop }: Seen): Promise<void> {
    const byTransfer = Map.groupBy(signed, ({ transferId }) => transferId);
    const left = open.values();
    let failure: unknown = null;
    // In the order of their sequences, so that nodes see few gaps.
    const lane = async () => {
      for (const transfer of left) {
        try {
          await advance(transfer, byTransfer.get(transfer.id) ?? [], stop !== null);
        } catch (error) {
          failure ??= error;
          // With the node or the signer away the others would only fail, too; one transfer's own trouble is its own.
          if (error instanceof ChainUnavailable || error instanceof SignerUnavailable) return;
          deps.logger.error('a transfer cannot be looked after', {
            transferId: transfer.id,
            error: String(error),
          });
        }
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, lane));
    if (failure !== null) throw failure;
  }

  return {
    chain: on.chain,
    async step() {
      const seen = await look();
      tellOfStop(seen.stop);
      const undone = await recheck(seen.settled);
      const made = await allocate(seen.sendable, seen.open);
      await advanceAll(undone + made > 0 ? await look() : seen);
    },
  };
}

interface Seen {
  readonly stop: { readonly note: string } | null;
  /** Settled in blocks that a reorganisation may still remove. */
  readonly settled: readonly OutgoingTransfer[];
  readonly sendable: readonly Payout[];
  readonly open: readonly OutgoingTransfer[];
  readonly signed: readonly SignedTransaction[];
}
