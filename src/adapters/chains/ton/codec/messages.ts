/**
 * Bodies of messages that jetton contracts exchange (TEP-74), and the rules for whether a
 * transaction accepted a message.
 */
import type { Address, Cell, Transaction } from '@ton/core';

export const OP_TRANSFER = 0x0f8a7ea5;
export const OP_INTERNAL_TRANSFER = 0x178d4519;
export const OP_NOTIFICATION = 0x7362d09c;
export const OP_EXCESSES = 0xd53276db;

/** The first 32 bits of a body; null for a shorter one, which is a plain transfer. */
export function opOf(body: Cell): number | null {
  const slice = body.beginParse();
  return slice.remainingBits < 32 ? null : slice.loadUint(32);
}

export interface InternalTransfer {
  readonly queryId: bigint;
  readonly units: bigint;
  /** The sender of the jettons; null where the message does not name it. */
  readonly from: Address | null;
}

/** A message from one jetton wallet to another; null for any other message. */
export function readInternalTransfer(body: Cell): InternalTransfer | null {
  try {
    const slice = body.beginParse();
    if (slice.loadUint(32) !== OP_INTERNAL_TRANSFER) return null;
    return { queryId: slice.loadUintBig(64), units: slice.loadCoins(), from: slice.loadMaybeAddress() };
  } catch {
    return null;
  }
}

/** An owner's order to their jetton wallet; null for any other message. */
export function readTransferOrder(body: Cell): { readonly units: bigint; readonly to: Address } | null {
  try {
    const slice = body.beginParse();
    if (slice.loadUint(32) !== OP_TRANSFER) return null;
    slice.skip(64);
    return { units: slice.loadCoins(), to: slice.loadAddress() };
  } catch {
    return null;
  }
}

/**
 * Whether the account kept what a message brought: it did not bounce (safety.md N1), and the code,
 * if any, did not fail (N3). An account without code keeps what it is sent, unless the message can
 * bounce.
 */
export function keptWhatCame({ description }: Transaction): boolean {
  if (description.type !== 'generic' || description.bouncePhase != null) return false;
  return description.computePhase.type === 'skipped' || ranThrough({ description });
}

/** Whether the contract's code ran, and all its actions succeeded. */
export function ranThrough({ description }: Pick<Transaction, 'description'>): boolean {
  return (
    description.type === 'generic' &&
    !description.aborted &&
    description.computePhase.type === 'vm' &&
    description.computePhase.success &&
    description.actionPhase?.success === true
  );
}
