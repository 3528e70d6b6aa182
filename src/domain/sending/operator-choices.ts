/** What an operator can do about a payout at present. Pure. */
import { cancelWay, type Family } from '../catalog/family.ts';
import { isRestored } from '../payouts/held.ts';
import type { Payout } from '../payouts/payout-record.ts';
import type { OutgoingState } from './outgoing.ts';

export type OperatorChoice = 'hold' | 'release' | 'paid' | 'retry' | 'cancel';

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
