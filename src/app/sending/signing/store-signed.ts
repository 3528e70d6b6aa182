/**
 * Stores signed bytes before they can be broadcast (safety.md, "Paid once"), of many batches at
 * once. They are stored only if nothing changed since the batch was read; otherwise they are thrown
 * away, and never sent.
 */
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import {
  decideOutgoing,
  type OutgoingTransfer,
  paidOf,
  type SignedTransaction,
  type TransferBatch,
} from '../../../domain/sending/outgoing.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { movePayout } from '../../payouts/apply-payout-event.ts';
import { enqueuePayoutEvents, type PayoutChange } from '../../payouts/payout-events.ts';
import { inSets } from '../../shared/in-sets.ts';
import { SET_LOCKS } from '../../shared/try-together.ts';
import { gatherBatches } from '../gather-batches.ts';
import { lockBatch, type SendingChain, type SendingNeeds } from '../sending-chain.ts';
import { storeOutputs } from '../utxos/store-outputs.ts';
import { mayBePaid } from './refused-payout.ts';

/** Payments that are stored in one transaction. */
const SET_MAX = 100;

/**
 * The first signatures of a wallet's batches in one run, in the order of their nonces. What comes
 * after one that was not stored is not stored either: it would leave a free nonce below.
 */
export interface SigningLine {
  /** How many were signed, and how many of them are stored, without a gap. */
  signed: number;
  stored: number;
  /** One was not stored: no more are to be signed. */
  broken: boolean;
}

export interface BytesToStore {
  /** The batch as it was signed. */
  readonly asked: TransferBatch;
  readonly signed: Omit<SignedTransaction, 'broadcastAt'>;
  readonly place: { readonly line: SigningLine; readonly nth: number } | null;
}

/**
 * Resolves once the bytes are durable. False when they must not be used: signing was stopped, a
 * transfer changed or left, another worker was first, or one before them in their line was not
 * stored.
 */
export type StoreSigned = (bytes: BytesToStore) => Promise<boolean>;

export function signedStore(deps: SendingNeeds, on: SendingChain): StoreSigned {
  const together = inSets(
    SET_MAX,
    (some: readonly BytesToStore[]) => storeAll(deps, on, some),
    ({ asked }) => asked.length,
  );
  return async (bytes) => {
    const stored = await together(bytes).catch((error: unknown) => {
      if (bytes.place !== null) bytes.place.line.broken = true;
      throw error;
    });
    if (!stored && bytes.place !== null) bytes.place.line.broken = true;
    return stored;
  };
}

async function storeAll(
  deps: SendingNeeds,
  on: SendingChain,
  some: readonly BytesToStore[],
): Promise<readonly boolean[]> {
  const { answers, ends } = await deps.unitOfWork.run(async (repositories) => {
    const stopped = await repositories.outgoing.signingStopped();
    // Written to the lines once all is committed.
    const ends = new Map<SigningLine, number>();
    if (stopped !== null) return { answers: some.map(() => false), ends };
    const { gathered, flush } = await gatherBatches(
      repositories,
      some.flatMap(({ asked }) => asked),
    );
    const answers: boolean[] = [];
    for (const { asked, signed, place } of some) {
      const before = place === null ? null : (ends.get(place.line) ?? place.line.stored);
      const stored = before === (place?.nth ?? null) && (await store(deps, gathered, on, { asked, signed }));
      if (stored && place !== null) ends.set(place.line, place.nth + 1);
      answers.push(stored);
    }
    await flush();
    return { answers, ends };
  }, SET_LOCKS);
  for (const [line, stored] of ends) line.stored = stored;
  return answers;
}

async function store(
  deps: SendingNeeds,
  repositories: Repositories,
  on: SendingChain,
  { asked, signed }: Pick<BytesToStore, 'asked' | 'signed'>,
): Promise<boolean> {
  const locked = await lockBatch(repositories, asked[0].transferBatchId);
  if (locked?.batch.length !== asked.length) return false;
  const { batch, payouts } = locked;
  const wasVoided = new Map(asked.map(({ id, voided }) => [id, voided]));
  const stored: OutgoingTransfer[] = [];
  for (const transfer of batch) {
    const next = decideOutgoing(transfer, { type: 'signed' });
    if (next === null || transfer.voided !== wasVoided.get(transfer.id)) return false;
    stored.push({ ...transfer, ...next, feeBumpRequested: false });
  }
  const references = new Set(paidOf(batch).map(({ referenceId }) => referenceId));
  const paid = payouts.filter(({ id }) => references.has(id));
  if (!signed.voids && !paid.every(mayBePaid)) return false;
  if (!signed.voids && (await repositories.payouts.barredIn([asked[0].transferBatchId])).size > 0)
    return false;
  if (!(await repositories.outgoing.insertSigned(signed))) return false;
  for (const transfer of stored) await repositories.outgoing.save(transfer);
  await storeOutputs(deps, repositories, on, { batch, signed });
  if (!signed.voids) await moveToProcessing(deps, repositories, paid, signed);
  return true;
}

async function moveToProcessing(
  deps: SendingNeeds,
  repositories: Repositories,
  payouts: readonly Payout[],
  { txid, signedAt: at }: Pick<SignedTransaction, 'txid' | 'signedAt'>,
): Promise<void> {
  const changes: PayoutChange[] = [];
  for (const before of payouts) {
    const after = await movePayout(deps, repositories, before, { type: 'signed', txid, at });
    if (after !== null) changes.push({ before, after });
  }
  await enqueuePayoutEvents(deps, repositories, changes);
}
