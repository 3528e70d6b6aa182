/**
 * Rows <-> domain of `outgoing_transfers`. A row of a signed transaction is a
 * SignedTransaction, but for a column of the books' checks.
 */
import { getTableColumns } from 'drizzle-orm';
import type { OutgoingTransfer } from '../../../domain/sending/outgoing.ts';
import { leavesUs, movesMoney, OUTGOING_PURPOSES } from '../../../domain/sending/outgoing-purpose.ts';
import { reasonFromRow } from '../reason-row.ts';
import { oneOf } from '../schema/columns.ts';
import { signedTransactions, outgoingTransfers as t } from '../schema/outgoing.ts';
import type { RowOf } from '../statement.ts';

export const TRANSFER = getTableColumns(t);
export type TransferRow = RowOf<typeof TRANSFER>;

const { feeCompared: _, ...signed } = getTableColumns(signedTransactions);
export const SIGNED = signed;

export const MOVES_MONEY = oneOf(
  t.purpose,
  OUTGOING_PURPOSES.filter((purpose) => movesMoney({ purpose })),
);
export const LEAVES_US = oneOf(
  t.purpose,
  OUTGOING_PURPOSES.filter((purpose) => leavesUs({ purpose })),
);

export function transferFromRow(row: TransferRow): OutgoingTransfer {
  return {
    id: row.id,
    chain: row.chain,
    wallet: row.wallet,
    nonce: row.nonce,
    transferBatchId: row.transferBatchId,
    position: row.position,
    purpose: row.purpose,
    referenceId: row.referenceId,
    asset: row.asset,
    to: row.toAddress,
    units: row.units,
    status: row.status,
    txid: row.txid,
    block:
      row.blockHeight === null || row.blockHash === null
        ? null
        : { height: row.blockHeight, hash: row.blockHash },
    feeUnits: row.feeUnits,
    hotFeeUnits: row.hotFeeUnits,
    failure: reasonFromRow(row.failure, row.failureCode),
    voided: row.voided,
    takenOut: row.takenOut,
    feeBumpRequested: row.feeBumpRequested,
    openAttempts: row.openAttempts,
    createdAt: row.createdAt,
  };
}

export function toRow(transfer: OutgoingTransfer): TransferRow {
  return {
    id: transfer.id,
    chain: transfer.chain,
    wallet: transfer.wallet,
    nonce: transfer.nonce,
    transferBatchId: transfer.transferBatchId,
    position: transfer.position,
    purpose: transfer.purpose,
    referenceId: transfer.referenceId,
    asset: transfer.asset,
    toAddress: transfer.to,
    units: transfer.units,
    status: transfer.status,
    txid: transfer.txid,
    blockHeight: transfer.block?.height ?? null,
    blockHash: transfer.block?.hash ?? null,
    feeUnits: transfer.feeUnits,
    hotFeeUnits: transfer.hotFeeUnits,
    failure: transfer.failure?.text ?? null,
    failureCode: transfer.failure?.code ?? null,
    voided: transfer.voided,
    takenOut: transfer.takenOut,
    feeBumpRequested: transfer.feeBumpRequested,
    openAttempts: transfer.openAttempts,
    createdAt: transfer.createdAt,
  };
}
