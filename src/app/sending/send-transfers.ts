/**
 * The worker's side of money out on one chain: payouts become batches, and every open batch is
 * taken a step further (advance-batch.ts). Several workers may do the same at the same time; a
 * crash at any point is followed by the same step.
 */

import type { PayoutLimits } from '../../domain/payouts/payout-limits.ts';
import type { Payout } from '../../domain/payouts/payout-record.ts';
import {
  batchesOf,
  type OutgoingTransfer,
  type SignedTransaction,
  type TransferBatch,
} from '../../domain/sending/outgoing.ts';
import type { ChainCursor } from '../../ports/chains/chain-repository.ts';
import { ChainUnavailable } from '../../ports/chains/chain-scanner.ts';
import { SignerUnavailable } from '../../ports/sending/signer.ts';
import { assetsOf } from '../catalog/assets-of-chain.ts';
import { type Slots, slots } from '../shared/slots.ts';
import { type BatchAdvancer, batchAdvancer } from './advance-batch.ts';
import { payoutAllocator } from './allocate-payouts.ts';
import { type AllocationPlan, type AllocationPlanner, NOTHING_TO_ALLOCATE } from './allocation-plan.ts';
import { bookFunding } from './book-funding.ts';
import { goneBlocks } from './gone-blocks.ts';
import { countAhead } from './nonces/batches-ahead.ts';
import { gapFiller } from './nonces/fill-nonce-gaps.ts';
import { type UnclearBatches, unclearBatches } from './nonces/unclear-batches.ts';
import type { StartGate } from './restart/start-gate.ts';
import { countsNonces, type SendingChain, type SendingNeeds } from './sending-chain.ts';
import { settleTransfer } from './settle-transfer.ts';
import { type SigningTurn, signingTurns } from './signing/signing-order.ts';
import { NO_TRIALS, type PayoutTrials, payoutTrials } from './signing/try-payouts.ts';
import { utxoAllocator } from './utxos/allocate-utxos.ts';
import { utxoRechecker } from './utxos/recheck-utxos.ts';

/** Payouts read in one step. */
const PAYOUTS_PER_RUN = 400;
/** Transfers that may be open at once; one that is mined and not final yet is open. */
const OPEN_MAX = 8_000;
/** Most payouts per run that re-enter the queue because their merchant is active again. */
const READMITTED = 1_000;
/** Batches under way at the same time: those that wait share what the database is asked. */
const AT_A_TIME = 64;
/** Of those, how many ask nodes at the same time: also a plan of few calls a second serves them. */
const ASKING = 16;
/** Some 50 minutes of Ethereum: room for a node that called blocks final too early. */
const RECHECK_BLOCKS = 256;

/**
 * The lowest block whose settled transfers are rechecked: so many below the last final one, which
 * may itself lie thousands below the tip. Reconciliation finds deeper reorganisations.
 */
export function recheckedFrom(cursor: Pick<ChainCursor, 'finalizedHeight'> | null): number {
  return (cursor?.finalizedHeight ?? 0) - RECHECK_BLOCKS;
}

export interface TransferSender {
  readonly chain: string;
  /**
   * One step for every open transfer. Rejects with ChainUnavailable or SignerUnavailable when it
   * could not go on.
   */
  step(stopping?: AbortSignal): Promise<void>;
}

/** What leaves the wallets of a chain, and what sends it. */
interface Sending {
  readonly deps: SendingNeeds;
  readonly on: SendingChain;
  readonly gate: StartGate;
  /** Every asset of the chain. */
  readonly assets: readonly string[];
  readonly trials: PayoutTrials;
  readonly advancer: BatchAdvancer;
  /** Of the advancer's questions to nodes. */
  readonly asking: Slots;
  readonly planAllocation: AllocationPlanner;
  readonly fillNonceGaps: (open: readonly OutgoingTransfer[]) => Promise<number>;
  readonly findGone: ReturnType<typeof goneBlocks>;
  /** Null where a wallet has a balance. */
  readonly recheckUtxos: (() => Promise<number>) | null;
  readonly unclear: UnclearBatches;
  /** Whether signing was stopped in the last step. */
  wasStopped: boolean;
}

/** What a step reads, in one transaction: most steps find nothing to do. */
interface Read {
  /** Set while an operator has stopped signing. */
  readonly stop: { readonly note: string } | null;
  /** Open batches, in the order of their nonces. */
  readonly batches: readonly TransferBatch[];
  /** Those that have something to do. */
  readonly due: readonly TransferBatch[];
  /** All that was signed for those. */
  readonly signed: readonly SignedTransaction[];
  /** Settled in blocks that a reorganisation may still remove. */
  readonly settled: readonly OutgoingTransfer[];
  readonly sendable: readonly Payout[];
  readonly open: readonly OutgoingTransfer[];
}

export function transferSender(
  deps: SendingNeeds,
  on: SendingChain,
  limits: PayoutLimits,
  /** Keeps payouts waiting that may have been paid before the start. */
  gate: StartGate,
): TransferSender {
  const { utxos } = on.sender;
  const trials = payoutTrials(deps, on);
  const asking = slots(ASKING);
  const sending: Sending = {
    deps,
    on,
    gate,
    assets: assetsOf(deps, on.chain),
    trials,
    advancer: batchAdvancer(deps, on, asking),
    asking,
    planAllocation:
      utxos === null ? payoutAllocator(deps, on, limits, trials) : utxoAllocator(deps, on, utxos, limits),
    fillNonceGaps: gapFiller(deps, on),
    findGone: goneBlocks(on.sender),
    recheckUtxos: utxos === null ? null : utxoRechecker(deps, on, utxos),
    unclear: unclearBatches(),
    wasStopped: false,
  };
  return { chain: on.chain, step: (stopping) => step(sending, stopping) };
}

async function step(sending: Sending, stopping?: AbortSignal): Promise<void> {
  const first = await readAndReadmit(sending);
  logStop(sending, first.stop);
  const undone = await recheckSettled(sending, first.settled);
  // A failure of these two is thrown last: open batches are advanced and payouts are tried anyway.
  const planning = planTransfers(sending, first);
  const making = planning.then((plan) => makeTransfers(sending, first, plan));
  const [plan, made] = await Promise.allSettled([planning, making]);
  const isChanged = undone > 0 || (made.status === 'fulfilled' && made.value > 0);
  const now = isChanged ? await readAndReadmit(sending) : first;
  const trials = plan.status === 'fulfilled' ? plan.value.trials : NO_TRIALS;
  const { inRound = (_, work) => work() } = sending.on.sender;
  const ended = await inRound(now.due.length, () => {
    const advancing = advanceAll(sending, now, stopping);
    return Promise.allSettled([advancing, sending.trials.run(trials, advancing)]);
  });
  for (const part of [...ended, made]) if (part.status === 'rejected') throw part.reason;
}

function readAndReadmit({ deps, on, gate, assets, advancer }: Sending): Promise<Read> {
  return deps.unitOfWork.run(async (repositories) => {
    const { chains, outgoing, payouts } = repositories;
    await gate.look(repositories);
    const stop = await outgoing.findSigningStop();
    const cursor = await chains.cursor(on.chain);
    const open = await outgoing.open(on.chain, OPEN_MAX);
    await payouts.readmit(READMITTED);
    const at = { finalizedHeight: cursor?.finalizedHeight ?? -1 };
    const batches = batchesOf(open);
    const due = batches.filter((batch) => !advancer.rests(batch, at));
    const mayAllocate = stop === null && open.length < OPEN_MAX;
    return {
      ...{ stop, batches, due },
      signed:
        due.length === 0 ? [] : await outgoing.signedOf(due.map(([{ transferBatchId }]) => transferBatchId)),
      settled: await outgoing.settledFrom(on.chain, recheckedFrom(cursor)),
      sendable: mayAllocate ? await payouts.sendable(assets, PAYOUTS_PER_RUN, deps.clock.now()) : [],
      open,
    };
  });
}

/** Logs once that an operator stopped signing, and once that it goes on. */
function logStop(sending: Sending, stop: Read['stop']): void {
  if ((stop !== null) === sending.wasStopped) return;
  sending.wasStopped = stop !== null;
  const { logger } = sending.deps;
  const { chain } = sending.on;
  if (stop === null) logger.info('signing.resumed', { chain });
  else logger.warn('signing.stopped', { chain, note: stop.note });
}

/** Reopens transfers whose block left the chain; returns how many. */
async function recheckSettled(
  { deps, on: { sender }, findGone }: Sending,
  settled: readonly OutgoingTransfer[],
): Promise<number> {
  const gone = await findGone(settled.flatMap(({ block }) => block ?? []));
  const undone = settled.filter(({ block }) => block !== null && gone.has(block.hash));
  for (const transfer of undone.toReversed())
    await settleTransfer(deps, transfer, { type: 'reorganised' }, sender);
  return undone.length;
}

/** Decides which payouts may become transfers, once the wallet's own money is up to date. */
async function planTransfers(
  { deps, on, gate, recheckUtxos, planAllocation }: Sending,
  { sendable, open }: Read,
): Promise<AllocationPlan> {
  if (on.sender.utxos !== null) await bookFunding(deps, on);
  await recheckUtxos?.();
  await gate.open();
  const may = sendable.filter(({ id }) => !gate.keeps(id));
  return gate.keepsUtxos() ? NOTHING_TO_ALLOCATE : planAllocation(may, open);
}

/** Makes new transfers; returns how many. */
async function makeTransfers(
  { fillNonceGaps }: Sending,
  { open, stop }: Read,
  plan: AllocationPlan,
): Promise<number> {
  const allocated = await plan.allocate();
  // A nonce that was given back unsigned is used up only when no payout took it.
  return allocated + (stop === null ? await fillNonceGaps(open) : 0);
}

/** The open batches of a step, in the order of their nonces, and where each stands. */
interface OpenBatches {
  readonly stop: Read['stop'];
  /** Batches that have something to do. */
  readonly due: readonly TransferBatch[];
  /** All that was signed for those, by batch. */
  readonly signed: ReadonlyMap<string, readonly SignedTransaction[]>;
  /** How many batches of its wallet that are in no block are before each of them, by batch. */
  readonly ahead: ReadonlyMap<string, number>;
  readonly turnAt: (wallet: string) => SigningTurn;
}

function openBatches({ advancer }: Sending, { stop, batches, due, signed }: Read): OpenBatches {
  const inNoBlock = batches.filter((batch) => !advancer.isMined(batch));
  return {
    stop,
    due,
    signed: Map.groupBy(signed, ({ transferBatchId }) => transferBatchId),
    ahead: countAhead(inNoBlock),
    turnAt: signingTurns(),
  };
}

/**
 * Advances many batches at a time, in the order of their nonces, so that nodes see few gaps. Others
 * go on after one fails, unless the nodes or the signer are away. Rejects with the first failure.
 */
async function advanceAll(sending: Sending, seen: Read, stopping?: AbortSignal): Promise<void> {
  const batches = openBatches(sending, seen);
  const failures: unknown[] = [];
  sending.asking.restore();
  const lane = async (left: Iterable<TransferBatch>) => {
    for (const batch of left) {
      if (stopping?.aborted) return;
      const [{ transferBatchId }] = batch;
      try {
        await advanceOne(sending, batches, batch);
        sending.unclear.told(transferBatchId);
      } catch (error) {
        failures.push(error);
        sending.unclear.failed(transferBatchId, error);
        if (error instanceof ChainUnavailable || error instanceof SignerUnavailable) return;
        sending.deps.logger.error('transfer.not_advanced', { transferBatchId, error: String(error) });
      }
    }
  };
  const keepsPlace = (id: string) => countsNonces(sending.on) && !batches.signed.has(id);
  for (const some of sending.unclear.turns(batches.due, keepsPlace)) {
    const left = some.values();
    await Promise.all(Array.from({ length: AT_A_TIME }, () => lane(left)));
  }
  if (failures.length > 0) throw failures[0];
}

async function advanceOne(
  { on, gate, advancer }: Sending,
  { stop, signed, ahead, turnAt }: OpenBatches,
  batch: TransferBatch,
): Promise<void> {
  const [{ transferBatchId, wallet }] = batch;
  const own = signed.get(transferBatchId) ?? [];
  const isNew = own.length === 0;
  const waits =
    batch.some(({ referenceId }) => gate.keeps(referenceId)) ||
    (batch[0].purpose === 'forward' && gate.isShut());
  // A batch that only uses its nonce up need not wait for its turn.
  const isInOrder = countsNonces(on) && !batch.some(({ voided }) => voided);
  const turn = isNew && isInOrder ? turnAt(wallet) : null;
  const before = ahead.get(transferBatchId);
  try {
    if (isNew && (waits || (before ?? 0) >= on.sender.capabilities.batchesAtOnce)) return;
    const options = { stopped: waits || stop !== null, first: before === 0, turn };
    await advancer.advance(batch, own, options);
  } finally {
    turn?.end('waits');
  }
}
