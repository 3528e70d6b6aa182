/** What an operator can do about a payout at present. Pure. */
import type { Family } from '../catalog/family.ts';
import { isRestored } from '../payouts/held.ts';
import type { Payout } from '../payouts/payout-record.ts';
import type { OutgoingState } from './outgoing.ts';

export type OperatorChoice = 'hold' | 'release' | 'paid' | 'retry' | 'cancel';

/**
 * How what is signed can be cancelled: `replace`: another transaction of the same sequence, or of the same coins, takes its place
 * unless it is mined first. `expire`: it is not handed out any more and not signed again, and is dead within minutes. Null: not at all,
 * since nodes of the chain replace nothing that waits.
 */
export type CancelWay = 'replace' | 'expire';

export function cancelWay(family: Family): CancelWay | null {
  switch (family) {
    case 'evm':
    case 'bitcoin':
      return 'replace';
    case 'tron':
    case 'solana':
    case 'xrp':
    case 'ton':
      return 'expire';
    // UtxoNetwork.replaceable; Monero replaces nothing either.
    case 'litecoin':
    case 'bitcoincash':
    case 'monero':
      return null;
  }
}

/** `transfer`: the payout's newest one that has a place; null when there is none. */
export function operatorChoices(
  payout: Pick<Payout, 'status' | 'held' | 'waiting' | 'sandbox'>,
  transfer: Pick<OutgoingState, 'status' | 'voided'> | null,
  family: Family,
): readonly OperatorChoice[] {
  const { status, held, waiting, sandbox } = payout;
  if (status === 'pending') {
    if (held !== null) return isRestored(held) ? ['paid', 'release', 'cancel'] : ['release', 'cancel'];
    return waiting?.code === 'merchant' ? ['release', 'hold', 'cancel'] : ['hold', 'retry', 'cancel'];
  }
  if (status !== 'processing' || sandbox || transfer?.status !== 'signed') return [];
  if (cancelWay(family) === 'expire') return transfer.voided ? [] : ['cancel'];
  return transfer.voided || cancelWay(family) === null ? ['retry'] : ['retry', 'cancel'];
}
