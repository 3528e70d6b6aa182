/** Outgoing transfers that are right in every detail, for tests to change what they are about. */
import {
  allocatedTransfer,
  type OutgoingTransfer,
  type SignedTransaction,
  type TransferBatch,
} from '../../../src/domain/sending/outgoing.ts';
import { aHash, anAddress, anId, NOW } from '../builders.ts';

/** A transfer of 5 USDT of a payout, without anything signed. */
export function anOutgoing(given: Partial<OutgoingTransfer> = {}): OutgoingTransfer {
  const order = {
    id: anId(),
    chain: 'ethereum',
    wallet: anAddress(),
    nonce: 0n,
    purpose: 'payout' as const,
    referenceId: anId(),
    asset: 'usdt_ethereum',
    to: anAddress(),
    units: 5_000_000n,
    createdAt: NOW,
  };
  return { ...allocatedTransfer({ ...order, ...given }), ...given };
}

/** Transfers of several payouts that leave in one transaction. */
export function aBatch(count: number, given: Partial<OutgoingTransfer> = {}): TransferBatch {
  const first = anOutgoing(given);
  const { id: transferBatchId, chain, wallet, nonce } = first;
  const others = Array.from({ length: count - 1 }, (_, place) =>
    anOutgoing({ chain, wallet, nonce, ...given, transferBatchId, position: place + 1 }),
  );
  return [first, ...others];
}

export function aSigned(given: Partial<SignedTransaction> = {}): Omit<SignedTransaction, 'broadcastAt'> {
  return {
    transferBatchId: anId(),
    ordinal: 1,
    txid: aHash(),
    raw: `0x${aHash()}`,
    voids: false,
    maxFeeUnits: 42_000n,
    validUntil: null,
    signedAt: NOW,
    ...given,
  };
}
