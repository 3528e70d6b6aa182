/** Row <-> domain of the table `payouts`. The dense number `seq` is only for the lists. */
import { getTableColumns } from 'drizzle-orm';
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import { reasonFromRow } from '../reason-row.ts';
import { payouts } from '../schema/payouts.ts';
import type { RowOf } from '../statement.ts';

const { seq: _, ...columns } = getTableColumns(payouts);
export const PAYOUT = columns;
export type PayoutRow = RowOf<typeof PAYOUT>;

export function payoutFromRow(row: PayoutRow): Payout {
  return {
    id: row.id,
    merchantId: row.merchantId,
    sandbox: row.sandbox,
    kind: row.kind,
    invoiceId: row.invoiceId,
    refundClaimId: row.refundClaimId,
    orderedBy: row.orderedBy,
    batchId: row.batchId,
    status: row.status,
    txid: row.txid,
    txHashes: row.txHashes,
    failure: row.failure,
    processedAt: row.processedAt,
    asset: row.asset,
    address: row.address,
    amountUnits: row.amountUnits,
    sentUnits: row.sentUnits,
    feeUnits: row.feeUnits,
    feeMicroUsd: row.feeMicroUsd,
    energyFeeMicroUsd: row.energyFeeMicroUsd,
    extraGas: row.extraGas,
    wastedFeeUnits: row.wastedFeeUnits,
    wastedFeeMicroUsd: row.wastedFeeMicroUsd,
    feeBearer: row.feeBearer,
    amountMicroUsd: row.amountMicroUsd,
    reservedMicroUsd: row.reservedMicroUsd,
    ref: row.ref,
    held: reasonFromRow(row.held, row.heldCode),
    released: row.released,
    merchantWaived: row.merchantWaived,
    waiting:
      row.waiting === null || row.waitingCode === null || row.triedAt === null
        ? null
        : { code: row.waitingCode, reason: row.waiting, at: row.triedAt },
    tries: row.tries,
    dispatchedAt: row.dispatchedAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

export function payoutToRow(payout: Payout): PayoutRow {
  return {
    id: payout.id,
    merchantId: payout.merchantId,
    sandbox: payout.sandbox,
    kind: payout.kind,
    invoiceId: payout.invoiceId,
    refundClaimId: payout.refundClaimId,
    orderedBy: payout.orderedBy,
    batchId: payout.batchId,
    status: payout.status,
    txid: payout.txid,
    txHashes: payout.txHashes,
    failure: payout.failure,
    processedAt: payout.processedAt,
    asset: payout.asset,
    address: payout.address,
    amountUnits: payout.amountUnits,
    sentUnits: payout.sentUnits,
    feeUnits: payout.feeUnits,
    feeMicroUsd: payout.feeMicroUsd,
    energyFeeMicroUsd: payout.energyFeeMicroUsd,
    extraGas: payout.extraGas,
    wastedFeeUnits: payout.wastedFeeUnits,
    wastedFeeMicroUsd: payout.wastedFeeMicroUsd,
    feeBearer: payout.feeBearer,
    amountMicroUsd: payout.amountMicroUsd,
    reservedMicroUsd: payout.reservedMicroUsd,
    ref: payout.ref,
    held: payout.held?.text ?? null,
    heldCode: payout.held?.code ?? null,
    released: payout.released,
    merchantWaived: payout.merchantWaived,
    waiting: payout.waiting?.reason ?? null,
    waitingCode: payout.waiting?.code ?? null,
    triedAt: payout.waiting?.at ?? null,
    tries: payout.tries,
    dispatchedAt: payout.dispatchedAt,
    createdAt: payout.createdAt,
    updatedAt: payout.updatedAt,
  };
}
