/**
 * What waits for a block although it is its turn: it is given up by itself when no block can take it, or none does for hours whatever it
 * offers, and the operators are told of whatever keeps a wallet from going on (safety.md G3). What is remembered here only measures time: a
 * restart begins anew.
 */
import type { SignedTransaction, TransferBatch } from '../../domain/sending/outgoing.ts';
import { failureOf } from '../../domain/sending/outgoing-failure.ts';
import { boundedMap, NOTES_MAX } from '../shared/bounded-map.ts';
import type { SendingChain, SendingNeeds } from './sending-chain.ts';
import { giveUpByItself } from './signing/abandon-signed.ts';

const BLOCKED_MS = 60 * 60_000;
/** For so long, and for so many blocks, somebody else's transactions were taken that offer half as much. */
const OVERDUE_MS = 2 * 60 * 60_000;
const OVERDUE_BLOCKS = 100;

export interface StuckBatches {
  /** Of one whose turn it is, and that waits: true when it was given up, since no block can take it. */
  giveUpUnmineable(batch: TransferBatch, signed: readonly SignedTransaction[]): Promise<boolean>;
  /** It offers enough already, and still waits. */
  offersEnough(batch: TransferBatch): Promise<void>;
  /** It was replaced: what it offers now is to be waited for. */
  replaced(batch: TransferBatch): void;
  /** It is first in its wallet, and in no block that is known. */
  waits(batch: TransferBatch, signed: readonly SignedTransaction[]): void;
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

    async offersEnough(batch) {
      const [{ transferBatchId }] = batch;
      const height = (await deps.unitOfWork.run(({ chains }) => chains.cursor(chain)))?.height ?? 0;
      const known = enough.get(transferBatchId);
      if (known === undefined) enough.set(transferBatchId, { since: now(), height });
      else if (now() - known.since >= OVERDUE_MS && height - known.height >= OVERDUE_BLOCKS)
        await giveUpByItself(deps, on, batch, { reason: failureOf('overdue') });
    },

    replaced([{ transferBatchId }]) {
      enough.delete(transferBatchId);
    },

    waits([{ transferBatchId, wallet, nonce, purpose, voided }], signed) {
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
