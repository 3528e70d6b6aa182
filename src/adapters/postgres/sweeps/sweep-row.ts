/** Row <-> domain of the table `sweeps`, and which deposits are not swept, or keep their whole address from it. */
import type { Sweep, SweepStatus } from '../../../domain/sweeps/sweep.ts';
import type { SweepReason } from '../../../domain/sweeps/sweep-reason.ts';
import { bigintOrNull, textOrNull } from '../invoices/invoice-row.ts';
import { reasonFromRow } from '../reason-row.ts';

export const SWEEP_COLUMNS = [
  'id',
  'chain',
  'address',
  'asset',
  'status',
  'forced',
  'units',
  'topup_id',
  'lend_id',
  'transfer_id',
  'reclaim_id',
  'reason',
  'reason_code',
  'created_at',
  'ended_at',
] as const;

export const IS_OPEN_SWEEP = `status in ('planned', 'topping_up', 'lending', 'sweeping', 'reclaiming')`;
export const IS_ACTIVE_SWEEP = `status in ('topping_up', 'lending', 'sweeping', 'reclaiming')`;

/** Money that is not final, or that an operator has to decide about, or did decide against; and what lost its block. */
export const isUndecided = (deposit: string): string => `
  (${deposit}.status in ('confirming', 'arrived', 'held', 'stray', 'rejected')
    or (${deposit}.status = 'credited' and ${deposit}.block_height is null))`;

/**
 * What the risk check keeps (or an operator, after it): nothing leaves the address. What is undecided otherwise must not do
 * that: anybody can send a base unit to an address.
 */
export const isWithheld = (deposit: string): string => `${deposit}.status in ('held', 'rejected')`;

/** Somebody else may be its owner: nothing of it is moved, and no gas is sent there. */
export const isFrozen = (deposit: string): string => `
  exists (select from frozen_addresses f where f.chain = ${deposit}.chain and f.address = ${deposit}.address)`;

/** Ours to move: credited, and its block is on the chain. */
export const isCredited = (deposit: string): string =>
  `(${deposit}.status = 'credited' and ${deposit}.block_height is not null)`;

export interface SweepRow {
  readonly id: string;
  readonly chain: string;
  readonly address: string;
  readonly asset: string;
  readonly status: SweepStatus;
  readonly forced: boolean;
  readonly units: string | null;
  readonly topup_id: string | null;
  readonly lend_id: string | null;
  readonly transfer_id: string | null;
  readonly reclaim_id: string | null;
  readonly reason: string | null;
  readonly reason_code: SweepReason['code'] | null;
  readonly created_at: Date;
  readonly ended_at: Date | null;
}

export function sweepFromRow(row: SweepRow): Sweep {
  return {
    id: row.id,
    chain: row.chain,
    address: row.address,
    asset: row.asset,
    status: row.status,
    forced: row.forced,
    units: bigintOrNull(row.units),
    topupId: row.topup_id,
    lendId: row.lend_id,
    transferId: row.transfer_id,
    reclaimId: row.reclaim_id,
    reason: reasonFromRow(row.reason, row.reason_code),
    createdAt: row.created_at,
    endedAt: row.ended_at,
  };
}

export function sweepToRow(sweep: Sweep): SweepRow {
  return {
    id: sweep.id,
    chain: sweep.chain,
    address: sweep.address,
    asset: sweep.asset,
    status: sweep.status,
    forced: sweep.forced,
    units: textOrNull(sweep.units),
    topup_id: sweep.topupId,
    lend_id: sweep.lendId,
    transfer_id: sweep.transferId,
    reclaim_id: sweep.reclaimId,
    reason: sweep.reason?.text ?? null,
    reason_code: sweep.reason?.code ?? null,
    created_at: sweep.createdAt,
    ended_at: sweep.endedAt,
  };
}
