/**
 * The rows that belong together: an entry, its deposit, payout or transfer, their invoice, and all
 * of these of that invoice. The checks of such a set find what they would find among all rows. The
 * other transfers of a batch do not belong to it: one check reads them besides (row-checks.ts).
 */
import { sql } from 'drizzle-orm';
import type { Sql } from '../client/sql.ts';
import { deposits as d } from '../schema/addresses.ts';
import { equals } from '../schema/columns.ts';
import { ledgerEntries as e } from '../schema/ledger.ts';
import { outgoingTransfers as t } from '../schema/outgoing.ts';
import { payouts as p } from '../schema/payouts.ts';
import { statement } from '../statement.ts';
import { listOf } from '../statement-parts.ts';

const OF = sql.raw('reached.id');
const OF_PAYOUT = equals(t.purpose, 'payout');

// Each by an index, row by row: ids are unique across tables.
const REACH = statement({
  given: { ids: listOf(e.id) },
  selects: { id: sql<string>`id` },
  text: ({ ids }, select) => sql`
    with recursive reached (id) as (
      select unnest(${ids})
      union
      select hop.id from reached cross join lateral (
        select unnest(array[${e.depositId}, ${e.referenceId}, ${e.reversedBy}]) from ${e} where ${e.id} = ${OF}
        union all select ${e.id} from ${e} where ${e.depositId} = ${OF}
        union all select ${e.id} from ${e} where ${e.referenceId} = ${OF}
        union all select ${d.invoiceId} from ${d} where ${d.id} = ${OF}
        union all select ${d.id} from ${d} where ${d.invoiceId} = ${OF}
        union all select ${p.invoiceId} from ${p} where ${p.id} = ${OF}
        union all select ${p.id} from ${p} where ${p.invoiceId} = ${OF}
        union all select ${t.referenceId} from ${t} where ${t.id} = ${OF} and ${OF_PAYOUT}
        union all select ${t.id} from ${t} where ${t.referenceId} = ${OF} and ${OF_PAYOUT}) hop (id)
      where hop.id is not null)
    select ${select} from reached`,
});

/** In a transaction that reads by indexes only (seekOnly). */
export async function reached(on: Sql, ids: readonly string[]): Promise<readonly string[]> {
  return (await REACH(on, { ids })).map(({ id }) => id);
}
