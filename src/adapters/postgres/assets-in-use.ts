/** Which assets the records name, asked at a start: each of them must be in the catalog, or its records could not be shown. */
import type { Database } from './client.ts';

/** By the counts of the lists, which are few beside the lists, and by the deposits that wait for an operator. */
const IN_USE = `
  select asset from list_counts where value <> 0
  union select asset from list_count_changes
  union select asset from deposits where status in ('held', 'stray')`;

export async function assetsInUse(database: Database): Promise<readonly string[]> {
  const rows = await database.query<{ asset: string }>(IN_USE);
  return rows.map(({ asset }) => asset).filter((asset) => asset !== '');
}
