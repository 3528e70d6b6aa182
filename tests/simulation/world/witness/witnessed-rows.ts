import type { InvoiceStatus } from '../../../../src/domain/invoices/invoice.ts';
import type { SweepStatus } from '../../../../src/domain/sweeps/sweep.ts';

/** The columns that the laws of the witness read, by table. */
interface Columns {
  invoices: {
    readonly id: string;
    readonly merchantId: string;
    readonly version: number;
    readonly status: InvoiceStatus;
    readonly asset: string | null;
    readonly dueUnits: bigint | null;
    readonly baseUnits: bigint | null;
    readonly pendingUnits: bigint;
    readonly creditedUnits: bigint;
    readonly heldUnits: bigint;
    readonly acceptedUnits: bigint | null;
    readonly tolerancePpm: bigint | number;
    readonly commissionPpm: bigint | number;
    readonly feeBearer: string;
    readonly addressTo: string | null;
    readonly permanentAddressId: string | null;
    readonly createdAt: Date;
    readonly expiresAt: Date;
    readonly metadata: Readonly<Record<string, unknown>> | null;
  };
  deposits: {
    readonly id: string;
    readonly merchantId: string;
    readonly note: string | null;
    readonly chain: string;
    readonly txid: string;
    readonly asset: string;
    readonly address: string;
    readonly units: bigint;
    readonly status: string;
    readonly strayReason: string | null;
    readonly invoiceId: string | null;
    readonly blockHeight: number | null;
    readonly firstSeenAt: Date;
  };
  payouts: {
    readonly id: string;
    readonly kind: string;
    readonly status: string;
    readonly txid: string | null;
    readonly asset: string;
    readonly feeBearer: string;
    readonly amountUnits: bigint;
    readonly sentUnits: bigint;
    readonly feeMicroUsd: bigint;
    readonly amountMicroUsd: bigint;
    readonly reservedMicroUsd: bigint;
    readonly wastedFeeMicroUsd: bigint;
  };
  ledger_entries: {
    readonly id: string;
    readonly merchantId: string | null;
    readonly kind: string;
    readonly referenceId: string;
    readonly depositId: string | null;
    readonly reversedBy: string | null;
    readonly feedAmountUnits: bigint | null;
  };
  ledger_postings: {
    readonly entryId: string;
    readonly account: string;
    readonly currency: string;
    readonly amount: bigint;
  };
  webhook_deliveries: {
    readonly id: string;
    readonly invoiceId: string | null;
    readonly invoiceVersion: number | null;
    readonly toldStatus: string | null;
  };
  outgoing_transfers: {
    readonly id: string;
    readonly txid: string | null;
    readonly feeUnits: bigint | null;
  };
  signed_transactions: { readonly txid: string; readonly voids: boolean };
  addresses: { readonly address: string; readonly invoiceId: string | null };
  sweeps: {
    readonly id: string;
    readonly chain: string;
    readonly address: string;
    readonly status: SweepStatus;
  };
}
export type WitnessedTable = keyof Columns;
export type SeenRow<Name extends WitnessedTable> = Columns[Name];
/** The present rows of a table, in the order in which they came. */
export type Tables = <Name extends WitnessedTable>(name: Name) => readonly SeenRow<Name>[];
export const WITNESSED: ReadonlySet<string> = new Set<WitnessedTable>([
  ...(['invoices', 'deposits', 'payouts', 'ledger_entries', 'ledger_postings'] as const),
  ...(['webhook_deliveries', 'signed_transactions', 'outgoing_transfers', 'addresses', 'sweeps'] as const),
]);
