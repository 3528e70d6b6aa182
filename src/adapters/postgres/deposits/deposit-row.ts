/** Row <-> domain of the table `deposits`. */
import { getTableColumns, sql } from 'drizzle-orm';
import type { Deposit } from '../../../domain/deposits/deposit.ts';
import { deposits as d } from '../schema/addresses.ts';
import { oneOf } from '../schema/columns.ts';
import type { RowOf } from '../statement.ts';

const { sweptBy: _, ...COLUMNS } = getTableColumns(d);
export const DEPOSIT = COLUMNS;
type DepositRow = RowOf<typeof DEPOSIT>;

/** Seen, and not gone again: also pending, held and stray ones. */
export const IS_THERE = sql`not ${oneOf(d.status, ['dropped', 'reversed'])}`;

export function depositFromRow(row: DepositRow): Deposit {
  const { blockHeight: height, blockHash: hash } = row;
  return {
    id: row.id,
    chain: row.chain,
    txid: row.txid,
    output: row.output,
    asset: row.asset,
    address: row.address,
    addressFrom: row.addressFrom,
    units: row.units,
    status: row.status,
    block: height === null || hash === null ? null : { height, hash },
    firstSeenAt: row.firstSeenAt,
    unexplained: row.unexplained,
    lockedUntil: row.lockedUntil,
    encumbered: row.encumbered,
    merchantId: row.merchantId,
    sandbox: row.sandbox,
    invoiceId: row.invoiceId,
    strayReason: row.strayReason,
    note: row.note,
  };
}

export function depositToRow(deposit: Deposit): DepositRow {
  const { block } = deposit;
  return { ...deposit, blockHeight: block?.height ?? null, blockHash: block?.hash ?? null };
}
