/**
 * Watches batches that wait for a block although it is their turn (safety.md G3). A batch is given
 * up when no block can take it, or when none does for hours whatever it offers. A wallet that is
 * blocked for an hour is reported. Only times are remembered: a restart begins anew.
 */
import { boundedMap } from '../../domain/bounded-map.ts';
import type { SignedTransaction, TransferBatch } from '../../domain/sending/outgoing.ts';
import { failureOf } from '../../domain/sending/outgoing-failure.ts';
import { NOTES_MAX } from '../shared/notes-max.ts';
import type { SendingChain, SendingNeeds } from './sending-chain.ts';
import { giveUpByItself } from './signing/give-up-signed.ts';

const BLOCKED_MS = 60 * 60_000;
/**
 * A batch is overdue when it was refused a replacement, since it offers twice the present price
 * already, for this long and for this many blocks.
 */
const OVERDUE_MS = 2 * 60 * 60_000;
const OVERDUE_BLOCKS = 100;

export interface StuckBatches {
  /** Gives up a batch that no block can take; returns whether it did. */
  giveUpUnmineable(batch: TransferBatch, signed: readonly SignedTransaction[]): Promise<boolean>;
  /** Notes that a batch offers enough and still waits; gives it up once it is overdue. */
  noteOffersEnough(batch: TransferBatch): Promise<void>;
  /** Measures anew: the batch was replaced, and offers more. */
  noteReplaced(batch: TransferBatch): void;
  /** Notes that the first batch of a wallet is in no known block; reports it every hour. */
  noteWaiting(batch: TransferBatch, signed: readonly SignedTransaction[]): void;
}

export function stuckBatches(deps: SendingNeeds, on: SendingChain): StuckBatches {
  const { chain, sender } = on;
  const enough = boundedMap<string, { readonly since: number; readonly height: number }>(NOTES_MAX);
  const blocked = boundedMap<string, number>(NOTES_MAX);
  const now = () => deps.clock.now().getTime();

  return {
    async giveUpUnmineable(batch, signed) {
      if (batch.some(({ voided }) => voided)) return false;
      const why = (await sender.unmineable?.(signed)) ?? null;
      if (why !== null) await giveUpByItself(deps, on, batch, { reason: failureOf('unmineable', why) });
      return why !== null;
    },

    async noteOffersEnough(batch) {
      const [{ transferBatchId }] = batch;
      const height = (await deps.unitOfWork.run(({ chains }) => chains.cursor(chain)))?.height ?? 0;
      const known = enough.get(transferBatchId);
      if (known === undefined) enough.set(transferBatchId, { since: now(), height });
      else if (now() - known.since >= OVERDUE_MS && height - known.height >= OVERDUE_BLOCKS)
        await giveUpByItself(deps, on, batch, { reason: failureOf('overdue') });
    },

    noteReplaced([{ transferBatchId }]) {
      enough.delete(transferBatchId);
    },

    noteWaiting([{ transferBatchId, wallet, nonce, purpose, voided }], signed) {
      const since = blocked.get(transferBatchId);
      if (since === undefined) blocked.set(transferBatchId, now());
      if (since === undefined || now() - since < BLOCKED_MS) return;
      blocked.set(transferBatchId, now());
      deps.logger.error('wallet.blocked', {
        ...{ chain, wallet, nonce: String(nonce), transferBatchId, purpose, voided },
        txid: signed.at(-1)?.txid ?? null,
      });
    },
  };
}
