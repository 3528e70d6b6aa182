/** Settles each transfer of a batch by what became of its nonce. */
import { allVoided, type OutgoingTransfer, type TransferBatch } from '../../domain/sending/outgoing.ts';
import { failureOf } from '../../domain/sending/outgoing-failure.ts';
import type { SendingOutcome } from '../../ports/sending/chain-sender.ts';
import type { SendingChain, SendingNeeds } from './sending-chain.ts';
import type { SettleTransfer, SettlingEvent } from './settle-transfer.ts';

/**
 * Whether the outcome was an end, of the batch or of its transfers that were given up, and is
 * settled. `payments`: all that its transactions pay, in their order. `signed`: how many of its
 * transactions the outcome is about.
 */
export async function settleBatch(
  {
    deps,
    on,
    settle,
  }: {
    readonly deps: SendingNeeds;
    readonly on: Pick<SendingChain, 'chain' | 'sender'>;
    readonly settle: SettleTransfer;
  },
  { batch, payments }: { batch: TransferBatch; payments: readonly OutgoingTransfer[] },
  outcome: SendingOutcome,
  signed: number,
): Promise<boolean> {
  if (!isEnd(outcome)) return false;
  const ending = outcome.kind === 'expired' ? endedByExpiry(batch, on) : batch;
  const ends = ending.map((transfer) => {
    const place = payments.findIndex(({ id }) => id === transfer.id);
    return { transfer, event: endOf(place, outcome, signed) };
  });
  const isPaid = ({ event }: (typeof ends)[number]): boolean => event.type === 'confirmed';
  const settled = await allOf(ends.filter(isPaid).map(({ transfer, event }) => settle(transfer, event)));
  // One after the other: the last one frees the UTXOs.
  for (const { transfer, event } of ends.filter((end) => !isPaid(end)))
    settled.push(await settle(transfer, event));
  const ended = settled.length > 0 && settled.every((each) => each);
  const [{ wallet, nonce }] = batch;
  if (ended && outcome.kind === 'superseded')
    deps.logger.error('wallet.nonce_used_elsewhere', { chain: on.chain, wallet, nonce: String(nonce) });
  return ended;
}

/**
 * Transfers that end once all that was signed is expired: those that were given up. None of them
 * where all were and the chain counts nonces, since a transaction that moves nothing has to use
 * theirs up.
 */
export function endedByExpiry(
  batch: TransferBatch,
  { sender: { capabilities } }: Pick<SendingChain, 'sender'>,
): readonly OutgoingTransfer[] {
  return capabilities.nonces === 'counted' && allVoided(batch) ? [] : batch.filter(({ voided }) => voided);
}

/** Waits for all of them, and throws what the first one threw. */
async function allOf(settling: readonly Promise<boolean>[]): Promise<boolean[]> {
  const results = await Promise.allSettled(settling);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return results.map((result) => result.status === 'fulfilled' && result.value);
}

type EndOutcome = Extract<SendingOutcome, { kind: 'mined' | 'superseded' | 'expired' }>;

const isEnd = (outcome: SendingOutcome): outcome is EndOutcome =>
  outcome.kind === 'superseded' || outcome.kind === 'expired' || (outcome.kind === 'mined' && outcome.final);

/**
 * What the outcome is for the payment at `place`, with its share of the fee where the chain says
 * what each payment cost. Otherwise the fee is that of the whole transaction, and who bears it is
 * decided where transfers are locked (settle-transfer.ts).
 */
function endOf(place: number, outcome: EndOutcome, signed: number): SettlingEvent {
  if (outcome.kind === 'expired') return { type: 'expired', reason: failureOf('expired'), signed };
  if (outcome.kind === 'superseded') return { type: 'superseded', reason: failureOf('superseded'), signed };
  const { txid, block, feeUnits, hotFeeUnits = 0n, feeShares } = outcome;
  const fees =
    feeShares === undefined
      ? { feeUnits, hotFeeUnits }
      : { feeUnits: feeShares[place] ?? 0n, hotFeeUnits: place === 0 ? hotFeeUnits : 0n, isShare: true };
  const mined = { txid, block, ...fees };
  if (outcome.effects[place]) return { type: 'confirmed', ...mined };
  const reason = failureOf(outcome.unfunded?.[place] ? 'unfunded' : 'reverted');
  return { type: 'mined_without_effect', ...mined, reason };
}
