/**
 * The state machine of an outgoing transfer, which is how anything leaves a wallet of ours:
 * payouts, refunds, sweeps, gas and forwards. Transfers that leave in one transaction are a batch;
 * most batches have one. A batch owns one nonce of its wallet and, on UTXO chains, the UTXOs that
 * it spends. Every paying transaction spends all UTXOs of the batch; one that voids it spends some
 * of them. So any two share an input, and at most one of the transactions is mined (safety.md,
 * "Paid once").
 *
 * `allocated` has nothing signed: it may leave its batch at any time, and its nonce goes to the
 * next one. `signed` may be on its way at any moment: when it is given up (`voided`), what moves
 * nothing is signed under its nonce, but only a block, or the proof that nothing of it can be mined
 * any more, ends it (safety.md G3). `failed` did not pay: in a block, or without one when it left
 * its batch, expired or was superseded.
 */

import { type Failure, failureOf } from './outgoing-failure.ts';
import type { OutgoingPurpose } from './outgoing-purpose.ts';

export const OUTGOING_STATUSES = ['allocated', 'signed', 'confirmed', 'failed'] as const;
export type OutgoingStatus = (typeof OUTGOING_STATUSES)[number];

export interface OutgoingState {
  readonly status: OutgoingStatus;
  /** The transaction that settled it: present when confirmed, and when it failed in a block. */
  readonly txid: string | null;
  readonly block: { readonly height: number; readonly hash: string } | null;
  /**
   * Native base units that the network took, from the receipt; below zero where it gave more back.
   */
  readonly feeUnits: bigint | null;
  /**
   * How much of that the hot wallet paid instead of the sender; below zero: what came back to it.
   */
  readonly hotFeeUnits: bigint;
  readonly failure: Failure | null;
  /**
   * It is not to be paid: it cannot be, or an operator gave it up. What was signed for it may be
   * mined all the same, unless the transaction that moves nothing and uses its nonce up is mined
   * first.
   */
  readonly voided: boolean;
  /**
   * It left its batch: nothing that is signed from then on pays it. Its nonce is free again if the
   * batch is empty and nothing was signed.
   */
  readonly takenOut: boolean;
}

export type OutgoingEvent =
  /** Signed bytes were stored; nothing was broadcast before. */
  | { readonly type: 'signed' }
  | { readonly type: 'voided'; readonly reason: Failure }
  /** Final on the chain with its effect. */
  | ({ readonly type: 'confirmed' } & MinedIn)
  /**
   * Final on the chain without its effect: reverted, or it was the transaction that moves nothing.
   */
  | ({ readonly type: 'mined_without_effect'; readonly reason: Failure } & MinedIn)
  /**
   * Its batch is dissolved before anything was signed, for no fault of its own: nonce and UTXOs are
   * free again.
   */
  | { readonly type: 'dissolved'; readonly reason: Failure }
  /**
   * It leaves its batch before anything was signed, for a fault of its own: so it is voided, unlike
   * one that is dissolved. The others keep nonce and UTXOs; both are free when it was alone.
   */
  | { readonly type: 'taken_out'; readonly reason: Failure }
  /**
   * It was given up, all that was signed for it is proven dead, and its nonce need not be used up.
   */
  | { readonly type: 'expired'; readonly reason: Failure }
  /** The nonce was used, finally, by a transaction that is not known here. */
  | { readonly type: 'superseded'; readonly reason: Failure }
  /** The block that settled it is not on the chain any more. */
  | { readonly type: 'reorganised' };

export interface MinedIn {
  readonly txid: string;
  readonly block: Block;
  readonly feeUnits: bigint;
  /** Default: nothing. */
  readonly hotFeeUnits?: bigint;
}

export interface Block {
  readonly height: number;
  readonly hash: string;
}

/** The events of the types named. EventOf<'a' | 'b'> is either. */
export type EventOf<Type extends OutgoingEvent['type']> = Extract<OutgoingEvent, { readonly type: Type }>;

interface Transition<Event> {
  /** The statuses in which the event can happen. */
  readonly from: readonly OutgoingStatus[];
  /** What it makes of the state; null when it changes nothing there. */
  readonly to: (state: OutgoingState, event: Event) => OutgoingState | null;
}

const OPEN = ['allocated', 'signed'] as const;
const SETTLED = ['confirmed', 'failed'] as const;

const TRANSITIONS: { readonly [Type in OutgoingEvent['type']]: Transition<EventOf<Type>> } = {
  signed: { from: OPEN, to: (state) => ({ ...state, status: 'signed' }) },
  voided: {
    from: OPEN,
    to: (state, { reason }) => (state.voided ? null : { ...state, voided: true, failure: reason }),
  },
  confirmed: {
    from: ['signed'],
    // The payment won the race against the transaction that was to move nothing.
    to: (state, event) => ({ ...state, status: 'confirmed', ...settledIn(event), failure: null }),
  },
  mined_without_effect: {
    from: ['signed'],
    to: (state, event) => ({
      ...failedFor(state, event),
      ...settledIn(event),
      // The newer reason counts: it decides who bears the fee (wasted-fee.ts).
      ...(event.reason.code === 'unfunded' ? { failure: event.reason } : {}),
    }),
  },
  expired: {
    from: ['signed'],
    to: (state, event) => (state.voided ? { ...failedFor(state, event), takenOut: true } : null),
  },
  dissolved: {
    from: ['allocated'],
    to: (state, event) => ({ ...failedFor(state, event), takenOut: true }),
  },
  taken_out: {
    from: ['allocated'],
    to: (state, event) => ({ ...failedFor(state, event), voided: true, takenOut: true }),
  },
  superseded: { from: OPEN, to: failedFor },
  reorganised: { from: SETTLED, to: (state) => (state.block === null ? null : signedAgain(state)) },
};

/**
 * Null when the event cannot happen in this state: the caller does nothing, so a repeated event is
 * harmless.
 */
export function decideOutgoing(state: OutgoingState, event: OutgoingEvent): OutgoingState | null {
  const { from, to } = TRANSITIONS[event.type];
  // The table pairs each type with its own event, which the compiler cannot follow here.
  return from.includes(state.status) ? to(state, event as never) : null;
}

/** Failed for what it was given up for before; otherwise for what happened now. */
function failedFor(state: OutgoingState, { reason }: { readonly reason: Failure }): OutgoingState {
  return { ...state, status: 'failed', failure: state.failure ?? reason };
}

function settledIn({
  txid,
  block,
  feeUnits,
  hotFeeUnits = 0n,
}: MinedIn): Pick<OutgoingState, 'txid' | 'block' | 'feeUnits' | 'hotFeeUnits'> {
  return { txid, block, feeUnits, hotFeeUnits };
}

function signedAgain(state: OutgoingState): OutgoingState {
  // The wallet could not pay it in that block, which is gone.
  const failure = state.failure?.code === 'unfunded' ? null : state.failure;
  return {
    ...state,
    status: 'signed',
    txid: null,
    block: null,
    feeUnits: null,
    hotFeeUnits: 0n,
    failure: state.voided ? (failure ?? failureOf('given_up')) : null,
  };
}

/** An outgoing transfer as it is stored: the state that decisions change, and what was ordered. */
export interface OutgoingTransfer extends OutgoingState {
  readonly id: string;
  readonly chain: string;
  /** Sending address, normalized. */
  readonly wallet: string;
  readonly nonce: bigint;
  /** Id of the first transfer of its batch, and its place in it, from 0. */
  readonly transferBatchId: string;
  readonly position: number;
  readonly purpose: OutgoingPurpose;
  /**
   * Payout id; for sweeps, their top-ups and delegations the id of the sweep; for a bump the batch
   * that it helps; for the others the transfer's own id.
   */
  readonly referenceId: string;
  readonly asset: string;
  /** Destination, in the text form it was ordered in. */
  readonly to: string;
  /** Base units of the asset, above zero. */
  readonly units: bigint;
  /** An operator wants its newest transaction replaced now, however young it is. */
  readonly feeBumpRequested: boolean;
  /**
   * Attempts to sign its batch whose bytes may be lost: the signer may have signed for its payout,
   * and refuses it under another nonce (signing-attempts.ts).
   */
  readonly openAttempts: number;
  readonly createdAt: Date;
}

/**
 * A transfer of which nothing is signed yet: its nonce is taken, and that is all. By default a
 * batch of its own.
 */
export function allocatedTransfer(
  order: Omit<
    OutgoingTransfer,
    keyof OutgoingState | 'feeBumpRequested' | 'openAttempts' | 'transferBatchId' | 'position'
  > &
    Partial<Pick<OutgoingTransfer, 'transferBatchId' | 'position'>>,
): OutgoingTransfer {
  return {
    transferBatchId: order.id,
    position: 0,
    ...order,
    status: 'allocated',
    txid: null,
    block: null,
    feeUnits: null,
    hotFeeUnits: 0n,
    failure: null,
    voided: false,
    takenOut: false,
    feeBumpRequested: false,
    openAttempts: 0,
  };
}

/**
 * Transfers that leave in one transaction, in their order: of one wallet, nonce, purpose and asset.
 */
export type TransferBatch = readonly [OutgoingTransfer, ...OutgoingTransfer[]];

/**
 * The transfers that the next transaction names: those that were not given up. Where all were, it
 * voids them all.
 */
export function paidOf(batch: TransferBatch): readonly OutgoingTransfer[] {
  const left = batch.filter(({ voided }) => !voided);
  return left.length === 0 ? batch : left;
}

/** Whether nobody is to be paid by it any more. */
export const allVoided = (batch: TransferBatch): boolean => batch.every(({ voided }) => voided);

/**
 * Whether an operator cancelled it while it was signed: what pays it is replaced although it may be
 * mined any moment.
 */
export const isCancelOrdered = ({ voided, feeBumpRequested }: OutgoingTransfer): boolean =>
  voided && feeBumpRequested;

/** Batches in the order in which their first transfers come. */
export function batchesOf(transfers: readonly OutgoingTransfer[]): TransferBatch[] {
  return [...Map.groupBy(transfers, ({ transferBatchId }) => transferBatchId).values()].map(
    (members) => members.toSorted((a, b) => a.position - b.position) as unknown as TransferBatch,
  );
}

/**
 * One signed transaction of a batch. Stored before it is broadcast; kept for ever, since any of
 * them may win.
 */
export interface SignedTransaction {
  readonly transferBatchId: string;
  /** From 1; a replacement has the next one. */
  readonly ordinal: number;
  readonly txid: string;
  /** The bytes, as the sender's text form (EVM: 0x hex; UTXO chains: hex). */
  readonly raw: string;
  /** Whether it moves nothing and only uses the nonce up. */
  readonly voids: boolean;
  /** Most native base units the network can take for it. */
  readonly maxFeeUnits: bigint;
  /**
   * After it no block can take these bytes, in the chain's own measure (ChainSender); null where
   * they do not expire.
   */
  readonly validUntil: bigint | null;
  readonly signedAt: Date;
  /** When a node first took it; null while none is known to have it. */
  readonly broadcastAt: Date | null;
}

/** Not settled: it will be sent, or is on its way. */
export function isOpenTransfer({ status }: Pick<OutgoingState, 'status'>): boolean {
  return OPEN.some((open) => open === status);
}
