/** Broadcasts bytes that are signed and stored, unless they must not be on their way any more. */
import { allVoided, type SignedTransaction } from '../../domain/sending/outgoing.ts';
import { inSets } from '../shared/in-sets.ts';
import type { Slots } from '../shared/slots.ts';
import { type SendingChain, type SendingNeeds, stillIn } from './sending-chain.ts';

const SET_MAX = 100;

/**
 * False when the nodes say that they can never accept the bytes: the nonce is used, or a UTXO is
 * not there. True also where nothing was broadcast. Throws ChainUnavailable.
 */
export type BroadcastStored = (signed: SignedTransaction) => Promise<boolean>;

/**
 * Each is broadcast alone; what the database is asked and told of them is in sets. Whether the
 * bytes may still leave is asked in the slot, right before they do: the wait for it may be long.
 */
export function storedBroadcaster(
  deps: SendingNeeds,
  on: SendingChain,
  asking: Pick<Slots, 'run'>,
): BroadcastStored {
  const { chain, sender } = on;
  const mayExpire = ({ voids }: SignedTransaction): boolean => sender.capabilities.expires && !voids;
  const mustBeHeldBack = inSets(SET_MAX, (some: readonly SignedTransaction[]) =>
    heldBack(deps, on, some, mayExpire),
  );
  const markBroadcast = inSets(SET_MAX, async (txids: readonly string[]) => {
    await deps.unitOfWork.run(({ outgoing }) => outgoing.markBroadcast(txids, deps.clock.now()));
    return txids;
  });
  const broadcast = async (signed: SignedTransaction) => {
    const { raw, broadcastAt } = signed;
    if ((broadcastAt === null || mayExpire(signed)) && (await mustBeHeldBack(signed))) return null;
    return sender.broadcast(raw);
  };
  return async (signed) => {
    const { txid, broadcastAt } = signed;
    const outcome = await asking.run(() => broadcast(signed));
    if (outcome === null) return true;
    if (outcome.kind === 'refused')
      deps.logger.warn('transfer.not_taken', { chain, txid, reason: outcome.reason });
    if (outcome.kind === 'accepted' && broadcastAt === null) await markBroadcast(txid);
    return outcome.kind !== 'nonce_used';
  };
}

/**
 * Of each, whether signing is stopped and no node has the bytes yet, or the batch was given up
 * where silence lets its bytes expire. Read from the database: both may have changed since the
 * batch was read.
 */
function heldBack(
  { unitOfWork }: SendingNeeds,
  { sender: { capabilities } }: SendingChain,
  some: readonly SignedTransaction[],
  mayExpire: (signed: SignedTransaction) => boolean,
): Promise<readonly boolean[]> {
  return unitOfWork.run(async ({ outgoing }) => {
    const stopped = (await outgoing.findSigningStop()) !== null;
    const ids = some.filter(mayExpire).map(({ transferBatchId }) => transferBatchId);
    const found = ids.length === 0 ? [] : await outgoing.ofBatches(ids);
    const batches = Map.groupBy(found, ({ transferBatchId }) => transferBatchId);
    return some.map((signed) => {
      if (signed.broadcastAt === null && stopped) return true;
      if (!mayExpire(signed)) return false;
      const batch = stillIn(batches.get(signed.transferBatchId) ?? []);
      if (batch === null) return true;
      return capabilities.nonces === 'counted' ? batch.some(({ voided }) => voided) : allVoided(batch);
    });
  });
}
