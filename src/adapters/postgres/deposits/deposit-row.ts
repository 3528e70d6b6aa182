/** Row <-> domain of the table `deposits`. */
import type { Deposit, DepositStatus } from '../../../domain/deposits/deposit.ts';
import type { StrayReason } from '../../../domain/deposits/stray-reason.ts';

export const DEPOSIT_COLUMNS = [
  'id',
  'chain',
  'txid',
  'output',
  'asset',
  'address',
  'address_from',
  'units',
  'status',
  'block_height',
  'block_hash',
  'first_seen_at',
  'unexplained',
  'locked_until',
  'encumbered',
  'merchant_id',
  'sandbox',
  'invoice_id',
  'stray_reason',
  'note',
] as const;

/** Seen and not gone again: also what waits, is held, or is nobody's. */
export const isThere = (deposit: string): string => `${deposit}.status not in ('dropped', 'reversed')`;

export interface DepositRow {
  readonly id: string;
  readonly chain: string;
  readonly txid: string;
  readonly output: string;
  readonly asset: string;
  readonly address: string;
  readonly address_from: string | null;
  readonly units: string;
  readonly status: DepositStatus;
  readonly block_height: string | null;
  readonly block_hash: string | null;
  readonly first_seen_at: Date;
  readonly unexplained: boolean;
  readonly locked_until: string | null;
  readonly encumbered: boolean;
  readonly merchant_id: string;
  readonly sandbox: boolean;
  readonly invoice_id: string | null;
  readonly stray_reason: StrayReason | null;
  readonly note: string | null;
}

export function depositFromRow(row: DepositRow): Deposit {
  const { block_height: height, block_hash: hash } = row;
  return {
    id: row.id,
    chain: row.chain,
    txid: row.txid,
    output: row.output,
    asset: row.asset,
    address: row.address,
    addressFrom: row.address_from,
    units: BigInt(row.units),
    status: row.status,
    block: height === null || hash === null ? null : { height: Number(height), hash },
    firstSeenAt: row.first_seen_at,
    unexplained: row.unexplained,
    lockedUntil: row.locked_until === null ? null : Number(row.locked_until),
    encumbered: row.encumbered,
    merchantId: row.merchant_id,
    sandbox: row.sandbox,
    invoiceId: row.invoice_id,
    strayReason: row.stray_reason,
    note: row.note,
  };
}

export function depositToRow(deposit: Deposit): DepositRow {
  return {
    id: deposit.id,
    chain: deposit.chain,
    txid: deposit.txid,
    output: deposit.output,
    asset: deposit.asset,
    address: deposit.address,
    address_from: deposit.addressFrom,
    units: deposit.units.toString(),
    status: deposit.status,
    block_height: deposit.block === null ? null : String(deposit.block.height),
    block_hash: deposit.block === null ? null : deposit.block.hash,
    first_seen_at: deposit.firstSeenAt,
    unexplained: deposit.unexplained,
    locked_until: deposit.lockedUntil === null ? null : String(deposit.lockedUntil),
    encumbered: deposit.encumbered,
    merchant_id: deposit.merchantId,
    sandbox: deposit.sandbox,
    invoice_id: deposit.invoiceId,
    stray_reason: deposit.strayReason,
    note: deposit.note,
  };
}
