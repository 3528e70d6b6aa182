/** What outgoing transfers are for, and what follows from that. */

/**
 * What a transfer is for. `payout` serves refunds too: both are rows of payouts. `gap` uses up a
 * nonce that nothing else took, and is always voided. `bump` spends the change of a transaction
 * that waits, so that it is mined; `consolidation` makes one UTXO of many: both stay with us.
 * `lend` delegates energy to the address of a sweep, and `reclaim` takes it back. `forward` takes
 * money of the operator to the cold address.
 */
export const OUTGOING_PURPOSES = [
  'payout',
  'sweep',
  'topup',
  'gap',
  'bump',
  'consolidation',
  'lend',
  'reclaim',
  'forward',
] as const;
export type OutgoingPurpose = (typeof OUTGOING_PURPOSES)[number];

/** What a delegation does, for the sender; nothing for a payment. */
export function delegationOf(purpose: OutgoingPurpose): { readonly delegates?: 'energy' | 'energy_back' } {
  if (purpose === 'lend') return { delegates: 'energy' };
  return purpose === 'reclaim' ? { delegates: 'energy_back' } : {};
}

/** Whether its units go to its recipient: those of a delegation stay the wallet's stake. */
export function movesMoney({ purpose }: { readonly purpose: OutgoingPurpose }): boolean {
  return delegationOf(purpose).delegates === undefined;
}

/**
 * Whether its recipient is a stranger to the gateway: whoever a payout pays, and the cold address,
 * whose key is elsewhere. All other transfers go to wallets of ours.
 */
export function leavesUs({ purpose }: { readonly purpose: OutgoingPurpose }): boolean {
  return purpose === 'payout' || purpose === 'forward';
}
