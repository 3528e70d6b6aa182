/** What the signer's own process reads in the database to check an order. */

import type { Payout } from '../../domain/payouts/payout-record.ts';
import type { OutgoingTransfer } from '../../domain/sending/outgoing.ts';

export interface SigningRecords {
  /** Reads one snapshot. Throws StorageUnavailable when the database is away. */
  of(order: { transferId: string; payoutId: string | null }): Promise<OrderRecords>;
}

export interface OrderRecords {
  readonly transfer: OutgoingTransfer | null;
  readonly payout: Pick<Payout, 'sandbox' | 'status' | 'held' | 'asset' | 'address' | 'sentUnits'> | null;
  /** Whether an operator stopped signing. */
  readonly stopped: boolean;
}
