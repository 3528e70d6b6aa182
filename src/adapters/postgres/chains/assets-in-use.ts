/**
 * The assets that records use, read at start: each must be in the catalog, or its records could not
 * be shown.
 */
import { sql } from 'drizzle-orm';
import type { Database } from '../client/client.ts';
import { IS_THERE } from '../deposits/deposit-row.ts';
import { deposits as d } from '../schema/addresses.ts';
import { equals, oneOf } from '../schema/columns.ts';
import { listCounts as l, listCountChanges } from '../schema/lists.ts';
import { statement } from '../statement.ts';

/**
 * From the counts of the lists, which are few, and from the deposits that are not final or wait for
 * an operator.
 */
const IN_USE = statement({
  selects: { asset: l.asset },
  text: (_given, select) => sql`
    select ${select} from ${l} where ${l.value} <> 0
    union select ${listCountChanges.asset} from ${listCountChanges}
    union select ${d.asset} from ${d} where ${oneOf(d.status, ['held', 'stray'])}
    union select ${d.asset} from ${d} where ${equals(d.status, 'confirming')} and ${d.blockHeight} is not null
    union select ${d.asset} from ${d} where ${IS_THERE} and ${d.blockHeight} is null`,
});

export async function assetsInUse(database: Database): Promise<readonly string[]> {
  return (await IN_USE(database)).map(({ asset }) => asset).filter((asset) => asset !== '');
}
