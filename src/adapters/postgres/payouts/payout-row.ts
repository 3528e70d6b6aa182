/** Row <-> domain of the table `payouts`. The dense number `seq` belongs to the lists and is not part of the domain. */
import type { FeeBearer } from '../../../domain/money/fee.ts';
import type { Held } from '../../../domain/payouts/held.ts';
import type { WaitingCode } from '../../../domain/payouts/hold-reasons.ts';
import type { PayoutStatus } from '../../../domain/payouts/payout.ts';
import type { Payout } from '../../../domain/payouts/payout-record.ts';
import { bigintOrNull, textOrNull } from '../invoices/invoice-row.ts';
import { reasonFromRow } from '../reason-row.ts';

/** Every column but `seq`, with its type, for records that are given as JSON. */
export const PAYOUT_TYPES = {
  id: 'text',
  merchant_id: 'text',
  sandbox: 'boolean',
  kind: 'text',
  invoice_id: 'text',
  ordered_by: 'text',
  batch_id: 'text',
  status: 'text',
  txid: 'text',
  tx_hashes: 'text[]',
  failure: 'text',
  processed_at: 'timestamptz',
  asset: 'text',
  address: 'text',
  amount_units: 'numeric',
  sent_units: 'numeric',
  fee_units: 'numeric',
  fee_micro_usd: 'numeric',
  energy_fee_micro_usd: 'numeric',
  extra_gas: 'numeric',
  wasted_fee_units: 'numeric',
  wasted_fee_micro_usd: 'numeric',
  fee_bearer: 'text',
  amount_micro_usd: 'numeric',
  reserved_micro_usd: 'numeric',
  ref: 'text',
  held: 'text',
  held_code: 'text',
  released: 'boolean',
  merchant_waived: 'boolean',
  waiting: 'text',
  waiting_code: 'text',
  tried_at: 'timestamptz',
  tries: 'integer',
  let_go_at: 'timestamptz',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const;
export type PayoutColumn = keyof typeof PAYOUT_TYPES;
export const PAYOUT_COLUMNS = Object.keys(PAYOUT_TYPES) as readonly PayoutColumn[];

export interface PayoutRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly sandbox: boolean;
  readonly kind: 'payout' | 'refund';
  readonly invoice_id: string | null;
  readonly ordered_by: string | null;
  readonly batch_id: string | null;
  readonly status: PayoutStatus;
  readonly txid: string | null;
  readonly tx_hashes: readonly string[];
  readonly failure: string | null;
  readonly processed_at: Date | null;
  readonly asset: string;
  readonly address: string;
  readonly amount_units: string;
  readonly sent_units: string;
  readonly fee_units: string;
  readonly fee_micro_usd: string;
  readonly energy_fee_micro_usd: string | null;
  readonly extra_gas: string | null;
  readonly wasted_fee_units: string;
  readonly wasted_fee_micro_usd: string;
  readonly fee_bearer: FeeBearer;
  readonly amount_micro_usd: string;
  readonly reserved_micro_usd: string;
  readonly ref: string | null;
  readonly held: string | null;
  readonly held_code: Held['code'] | null;
  readonly released: boolean;
  readonly merchant_waived: boolean;
  readonly waiting: string | null;
  readonly waiting_code: WaitingCode | null;
  readonly tried_at: Date | null;
  readonly tries: number;
  readonly let_go_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date | null;
}

export function payoutFromRow(row: PayoutRow): Payout {
  return {
    id: row.id,
    merchantId: row.merchant_id,
    sandbox: row.sandbox,
    kind: row.kind,
    invoiceId: row.invoice_id,
    orderedBy: row.ordered_by,
    batchId: row.batch_id,
    status: row.status,
    txid: row.txid,
    txHashes: row.tx_hashes,
    failure: row.failure,
    processedAt: row.processed_at,
    asset: row.asset,
    address: row.address,
    amountUnits: BigInt(row.amount_units),
    sentUnits: BigInt(row.sent_units),
    feeUnits: BigInt(row.fee_units),
    feeMicroUsd: BigInt(row.fee_micro_usd),
    energyFeeMicroUsd: bigintOrNull(row.energy_fee_micro_usd),
    extraGas: bigintOrNull(row.extra_gas),
    wastedFeeUnits: BigInt(row.wasted_fee_units),
    wastedFeeMicroUsd: BigInt(row.wasted_fee_micro_usd),
    feeBearer: row.fee_bearer,
    amountMicroUsd: BigInt(row.amount_micro_usd),
    reservedMicroUsd: BigInt(row.reserved_micro_usd),
    ref: row.ref,
    held: reasonFromRow(row.held, row.held_code),
    released: row.released,
    merchantWaived: row.merchant_waived,
    waiting:
      row.waiting === null || row.waiting_code === null || row.tried_at === null
        ? null
        : { code: row.waiting_code, reason: row.waiting, at: row.tried_at },
    tries: row.tries,
    letGoAt: row.let_go_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function payoutToRow(payout: Payout): PayoutRow {
  return {
    id: payout.id,
    merchant_id: payout.merchantId,
    sandbox: payout.sandbox,
    kind: payout.kind,
    invoice_id: payout.invoiceId,
    ordered_by: payout.orderedBy,
    batch_id: payout.batchId,
    status: payout.status,
    txid: payout.txid,
    tx_hashes: payout.txHashes,
    failure: payout.failure,
    processed_at: payout.processedAt,
    asset: payout.asset,
    address: payout.address,
    amount_units: payout.amountUnits.toString(),
    sent_units: payout.sentUnits.toString(),
    fee_units: payout.feeUnits.toString(),
    fee_micro_usd: payout.feeMicroUsd.toString(),
    energy_fee_micro_usd: textOrNull(payout.energyFeeMicroUsd),
    extra_gas: textOrNull(payout.extraGas),
    wasted_fee_units: payout.wastedFeeUnits.toString(),
    wasted_fee_micro_usd: payout.wastedFeeMicroUsd.toString(),
    fee_bearer: payout.feeBearer,
    amount_micro_usd: payout.amountMicroUsd.toString(),
    reserved_micro_usd: payout.reservedMicroUsd.toString(),
    ref: payout.ref,
    held: payout.held?.text ?? null,
    held_code: payout.held?.code ?? null,
    released: payout.released,
    merchant_waived: payout.merchantWaived,
    waiting: payout.waiting?.reason ?? null,
    waiting_code: payout.waiting?.code ?? null,
    tried_at: payout.waiting?.at ?? null,
    tries: payout.tries,
    let_go_at: payout.letGoAt,
    created_at: payout.createdAt,
    updated_at: payout.updatedAt,
  };
}
