/** What the signer's process reads for itself in the database before it believes an order. */

import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { OutgoingTransfer } from '../../domain/sending/outgoing.ts';

export interface SigningRecords {
  /** As of one moment. Throws StorageUnavailable when the database is away. */
  of(order: { transferId: string; payoutId: string | null }): Promise<OrderRecords>;
}

export interface OrderRecords {
  readonly transfer: OutgoingTransfer | null;
  readonly payout: Pick<Payout, 'sandbox' | 'status' | 'held' | 'asset' | 'address' | 'sentUnits'> | null;
  /** Whether an operator stopped signing. */
  readonly stopped: boolean;
}
