/** Which assets the records name, asked at a start: each of them must be in the catalog, or its records could not be shown. */
import type { Database } from '../client/client.ts';

/** By the counts of the lists, which are few beside the lists, and by the deposits that wait to be final, or for an operator. */
const IN_USE = `
  select asset from list_counts where value <> 0
  union select asset from list_count_changes
  union select asset from deposits where status in ('held', 'stray')
  union select asset from deposits where status = 'confirming' and block_height is not null
  union select asset from deposits where status not in ('dropped', 'reversed') and block_height is null`;

export async function assetsInUse(database: Database): Promise<readonly string[]> {
  const rows = await database.query<{ asset: string }>(IN_USE);
  return rows.map(({ asset }) => asset).filter((asset) => asset !== '');
}
