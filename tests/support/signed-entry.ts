/** A line of the signer's log: a payout of 5 base units to a stranger. */
import type { SignedEntry } from '../../src/adapters/vault/signing-entry.ts';
import { NOW } from './builders.ts';

export function aSignedEntry(given: Partial<SignedEntry> & Pick<SignedEntry, 'sequence'>): SignedEntry {
  const wallet = given.wallet ?? 'wallet';
  return {
    at: NOW,
    transferId: `transfer-${wallet}-${given.sequence}`,
    purpose: 'payout',
    referenceId: `payout-${wallet}-${given.sequence}`,
    chain: 'ethereum',
    wallet,
    asset: 'eth_ethereum',
    to: 'stranger',
    units: 5n,
    voids: false,
    maxFeeUnits: 1n,
    txid: `txid-${wallet}-${given.sequence}`,
    ...given,
  };
}
