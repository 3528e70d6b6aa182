/** Outgoing transfers and signed transactions as rows. */
import type {
  OutgoingPurpose,
  OutgoingStatus,
  OutgoingTransfer,
  SignedTransaction,
} from '../../../domain/sending/outgoing.ts';
import type { FailureCode } from '../../../domain/sending/outgoing-failure.ts';
import { bigintOrNull, textOrNull } from '../invoices/invoice-row.ts';
import { reasonFromRow } from '../reason-row.ts';

export const TRANSFER_COLUMNS = [
  'id',
  'chain',
  'wallet',
  'sequence',
  'bundle_id',
  'position',
  'purpose',
  'reference_id',
  'asset',
  'to_address',
  'units',
  'status',
  'txid',
  'block_height',
  'block_hash',
  'fee_units',
  'hot_fee_units',
  'failure',
  'failure_code',
  'voided',
  'taken_out',
  'hurried',
  'created_at',
] as const;

/** domain/sending/outgoing.ts, movesMoney. */
export const MOVES_MONEY = `purpose not in ('lend', 'reclaim')`;

export interface OutgoingRow {
  readonly id: string;
  readonly chain: string;
  readonly wallet: string;
  readonly sequence: string;
  readonly bundle_id: string;
  readonly position: number;
  readonly purpose: OutgoingPurpose;
  readonly reference_id: string;
  readonly asset: string;
  readonly to_address: string;
  readonly units: string;
  readonly status: OutgoingStatus;
  readonly txid: string | null;
  readonly block_height: number | null;
  readonly block_hash: string | null;
  readonly fee_units: string | null;
  readonly hot_fee_units: string;
  readonly failure: string | null;
  readonly failure_code: FailureCode | null;
  readonly voided: boolean;
  readonly taken_out: boolean;
  readonly hurried: boolean;
  readonly created_at: Date;
}

export interface SignedRow {
  readonly bundle_id: string;
  readonly ordinal: number;
  readonly txid: string;
  readonly raw: string;
  readonly voids: boolean;
  readonly max_fee_units: string;
  readonly valid_until: string | null;
  readonly signed_at: Date;
  readonly broadcast_at: Date | null;
}

export function transferFromRow(row: OutgoingRow): OutgoingTransfer {
  return {
    id: row.id,
    chain: row.chain,
    wallet: row.wallet,
    sequence: BigInt(row.sequence),
    bundleId: row.bundle_id,
    position: row.position,
    purpose: row.purpose,
    referenceId: row.reference_id,
    asset: row.asset,
    to: row.to_address,
    units: BigInt(row.units),
    status: row.status,
    txid: row.txid,
    block:
      row.block_height === null || row.block_hash === null
        ? null
        : { height: row.block_height, hash: row.block_hash },
    feeUnits: bigintOrNull(row.fee_units),
    hotFeeUnits: BigInt(row.hot_fee_units),
    failure: reasonFromRow(row.failure, row.failure_code),
    voided: row.voided,
    takenOut: row.taken_out,
    hurried: row.hurried,
    createdAt: row.created_at,
  };
}

export function toRow(transfer: OutgoingTransfer): OutgoingRow {
  return {
    id: transfer.id,
    chain: transfer.chain,
    wallet: transfer.wallet,
    sequence: transfer.sequence.toString(),
    bundle_id: transfer.bundleId,
    position: transfer.position,
    purpose: transfer.purpose,
    reference_id: transfer.referenceId,
    asset: transfer.asset,
    to_address: transfer.to,
    units: transfer.units.toString(),
    status: transfer.status,
    txid: transfer.txid,
    block_height: transfer.block?.height ?? null,
    block_hash: transfer.block?.hash ?? null,
    fee_units: textOrNull(transfer.feeUnits),
    hot_fee_units: transfer.hotFeeUnits.toString(),
    failure: transfer.failure?.text ?? null,
    failure_code: transfer.failure?.code ?? null,
    voided: transfer.voided,
    taken_out: transfer.takenOut,
    hurried: transfer.hurried,
    created_at: transfer.createdAt,
  };
}

export function signedFromRow(row: SignedRow): SignedTransaction {
  return {
    bundleId: row.bundle_id,
    ordinal: row.ordinal,
    txid: row.txid,
    raw: row.raw,
    voids: row.voids,
    maxFeeUnits: BigInt(row.max_fee_units),
    validUntil: bigintOrNull(row.valid_until),
    signedAt: row.signed_at,
    broadcastAt: row.broadcast_at,
  };
}
