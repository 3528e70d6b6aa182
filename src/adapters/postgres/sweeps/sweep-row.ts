/**
 * Row <-> domain of the table `sweeps`, and which deposits are unswept, or block sweeps of their
 * whole address.
 */
import { getTableColumns, sql } from 'drizzle-orm';
import { ACTIVE_SWEEP_STATUSES, OPEN_SWEEP_STATUSES, type Sweep } from '../../../domain/sweeps/sweep.ts';
import { IS_THERE } from '../deposits/deposit-row.ts';
import { reasonFromRow } from '../reason-row.ts';
import { deposits as d } from '../schema/addresses.ts';
import { equals, oneOf } from '../schema/columns.ts';
import { sweeps as s } from '../schema/treasury.ts';
import type { RowOf } from '../statement.ts';

export const SWEEP = getTableColumns(s);
type SweepRow = RowOf<typeof SWEEP>;

export const IS_OPEN_SWEEP = oneOf(s.status, OPEN_SWEEP_STATUSES);
export const IS_ACTIVE_SWEEP = oneOf(s.status, ACTIVE_SWEEP_STATUSES);

/**
 * Money that is not final, waits for an operator's decision, or was rejected; and money that lost
 * its block.
 */
export const IS_UNDECIDED = sql`
  (${oneOf(d.status, ['confirming', 'arrived', 'held', 'stray', 'rejected'])}
    or (${equals(d.status, 'credited')} and ${d.blockHeight} is null))`;

/**
 * Money that the risk check, or an operator after it, holds: nothing leaves the address. Other
 * undecided money must not block it, because anyone can send a base unit to an address.
 */
export const WITHHELD_STATUSES = ['held', 'rejected'] as const;

/** Money that sweeps may move: credited, and its block is on the chain. */
export const IS_CREDITED = sql`(${equals(d.status, 'credited')} and ${d.blockHeight} is not null)`;

/** No sweep took it, not even a failed one. */
export const IS_NOT_SWEPT = sql`${d.sweptBy} is null and ${IS_THERE}`;

/** Still at its address: no sweep took it, except failed ones. */
export const IS_NOT_MOVED = sql`
  (${d.sweptBy} is null or exists (select from ${s} where ${s.id} = ${d.sweptBy} and ${equals(s.status, 'failed')}))`;

export function sweepFromRow(row: SweepRow): Sweep {
  return {
    id: row.id,
    chain: row.chain,
    address: row.address,
    asset: row.asset,
    status: row.status,
    forced: row.forced,
    units: row.units,
    topupId: row.topupId,
    delegationId: row.delegationId,
    transferId: row.transferId,
    undelegationId: row.undelegationId,
    reason: reasonFromRow(row.reason, row.reasonCode),
    createdAt: row.createdAt,
    endedAt: row.endedAt,
  };
}

export function sweepToRow({ reason, ...sweep }: Sweep): SweepRow {
  return { ...sweep, reason: reason?.text ?? null, reasonCode: reason?.code ?? null };
}
