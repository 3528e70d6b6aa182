/** Outgoing transfers that are right in every detail, for tests to change what they are about. */
import type { OutgoingTransfer, SignedTransaction } from '../../src/domain/outgoing.ts';
import { aHash, anAddress, anId, NOW } from './builders.ts';

/** A transfer of 5 USDT of a payout, without anything signed. */
export function anOutgoing(given: Partial<OutgoingTransfer> = {}): OutgoingTransfer {
  return {
    id: anId(),
    chain: 'ethereum',
    wallet: anAddress(),
    sequence: 0n,
    purpose: 'payout',
    referenceId: anId(),
    asset: 'usdt_ethereum',
    to: anAddress(),
    units: 5_000_000n,
    status: 'allocated',
    txid: null,
    block: null,
    feeUnits: null,
    failure: null,
    voided: false,
    hurried: false,
    createdAt: NOW,
    ...given,
  };
}

export function aSigned(given: Partial<SignedTransaction> = {}): Omit<SignedTransaction, 'broadcastAt'> {
  return {
    transferId: anId(),
    ordinal: 1,
    txid: aHash(),
    raw: `0x${aHash()}`,
    voids: false,
    maxFeeUnits: 42_000n,
    signedAt: NOW,
    ...given,
  };
}
