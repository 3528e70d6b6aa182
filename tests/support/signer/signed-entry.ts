/** A line of the signer's log: a payout of 5 base units to a stranger. */
import type { SignedEntry } from '../../../src/adapters/signer/signing-entry.ts';
import { NOW } from '../builders.ts';
import { type Change, changed, lone } from '../utxo/lone-orders.ts';

export function aSignedEntry(given: Change<SignedEntry> & Pick<SignedEntry, 'nonce'>): SignedEntry {
  const wallet = given.wallet ?? 'wallet';
  const entry = lone<SignedEntry>({
    at: NOW,
    transferId: `transfer-${wallet}-${given.nonce}`,
    purpose: 'payout',
    referenceId: `payout-${wallet}-${given.nonce}`,
    chain: 'ethereum',
    wallet,
    nonce: given.nonce,
    asset: 'eth_ethereum',
    to: 'stranger',
    units: 5n,
    inputs: [],
    voids: false,
    maxFeeUnits: 1n,
    txid: `txid-${wallet}-${given.nonce}`,
    resendable: null,
  });
  return changed(entry, given);
}
