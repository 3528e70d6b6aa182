/** What became of a batch's nonce on the chain settles each of its transfers, in a transaction of its own. */
import { allVoided, type OutgoingTransfer, type TransferBatch } from '../../domain/sending/outgoing.ts';
import { failureOf } from '../../domain/sending/outgoing-failure.ts';
import type { SendingOutcome } from '../../ports/sending/chain-sender.ts';
import type { SendingChain, SendingNeeds } from './sending-chain.ts';
import { type SettlingEvent, settleTransfer } from './settle-transfer.ts';

export interface BatchSettler {
  /**
   * Whether the outcome was an end, of all of the batch or of those that lapsed, and it is settled. `payments`: all that its
   * transactions pay, in their order. `signed`: how many of its transactions the outcome is about.
   */
  settled(
    of: { batch: TransferBatch; payments: readonly OutgoingTransfer[] },
    outcome: SendingOutcome,
    signed: number,
  ): Promise<boolean>;
  /** Those that need not be signed again once all is expired: they were given up. Where the chain counts, all together use their nonce up. */
  lapsing(batch: TransferBatch): readonly OutgoingTransfer[];
}

export function batchSettler(deps: SendingNeeds, { chain, sender }: SendingChain): BatchSettler {
  const lapsing = (batch: TransferBatch): readonly OutgoingTransfer[] =>
    sender.ways.nonces === 'counted' && allVoided(batch) ? [] : batch.filter(({ voided }) => voided);

  return {
    lapsing,
    async settled({ batch, payments }, outcome, signed) {
      if (!isEnd(outcome)) return false;
      const ending = outcome.kind === 'expired' ? lapsing(batch) : batch;
      let ended = ending.length > 0;
      for (const transfer of ending) {
        const place = payments.findIndex(({ id }) => id === transfer.id);
        ended = (await settleTransfer(deps, transfer, endOf(place, outcome, signed), sender)) && ended;
      }
      const [{ wallet, nonce }] = batch;
      if (ended && outcome.kind === 'superseded')
        deps.logger.error('wallet.nonce_used_elsewhere', { chain, wallet, nonce: String(nonce) });
      return ended;
    },
  };
}

type EndOutcome = Extract<SendingOutcome, { kind: 'mined' | 'superseded' | 'expired' }>;

const isEnd = (outcome: SendingOutcome): outcome is EndOutcome =>
  outcome.kind === 'superseded' || outcome.kind === 'expired' || (outcome.kind === 'mined' && outcome.final);

/** The network's fee is that of the whole transaction: its payments carry their shares, or the first of them all of it. */
function endOf(place: number, outcome: EndOutcome, signed: number): SettlingEvent {
  if (outcome.kind === 'expired') return { type: 'lapsed', reason: failureOf('expired'), signed };
  if (outcome.kind === 'superseded') return { type: 'superseded', reason: failureOf('superseded'), signed };
  const { txid, block } = outcome;
  const { hotFeeUnits = 0n, feeUnits: whole, feeShares } = outcome;
  const feeUnits = feeShares?.[place] ?? (place === 0 ? whole : 0n);
  const mined = { txid, block, feeUnits, hotFeeUnits: place === 0 ? hotFeeUnits : 0n };
  if (outcome.effects[place]) return { type: 'confirmed', ...mined };
  const reason = failureOf(outcome.unfunded?.[place] ? 'unfunded' : 'reverted');
  return { type: 'mined_without_effect', ...mined, reason };
}
