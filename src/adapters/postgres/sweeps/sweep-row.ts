/** Row <-> domain of the table `sweeps`, and which deposits are not swept, or keep their whole address from it. */
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

/** Money that is not final, or that an operator has to decide about, or did decide against; and what lost its block. */
export const IS_UNDECIDED = sql`
  (${oneOf(d.status, ['confirming', 'arrived', 'held', 'stray', 'rejected'])}
    or (${equals(d.status, 'credited')} and ${d.blockHeight} is null))`;

/**
 * What the risk check keeps (or an operator, after it): nothing leaves the address. What is undecided otherwise must not do
 * that: anybody can send a base unit to an address.
 */
export const WITHHELD_STATUSES = ['held', 'rejected'] as const;

/** Ours to move: credited, and its block is on the chain. */
export const IS_CREDITED = sql`(${equals(d.status, 'credited')} and ${d.blockHeight} is not null)`;

/** No sweep took it, not even one that failed. */
export const IS_NOT_SWEPT = sql`${d.sweptBy} is null and ${IS_THERE}`;

/** Left at its address: no sweep took it that did not fail. */
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
