/** What operators want forwarded now. */
import { getTableColumns, sql } from 'drizzle-orm';
import type { ForwardRequestRepository } from '../../../ports/treasury/treasury-repositories.ts';
import type { Sql } from '../client/sql.ts';
import { forwardRequests as r } from '../schema/treasury.ts';
import { statement } from '../statement.ts';
import { insertInto } from '../statement-parts.ts';

const REQUEST = getTableColumns(r);
const INSERT = statement({
  given: REQUEST,
  text: (values) => sql`${insertInto(r, values)} on conflict do nothing`,
});
const OF_CHAIN = statement({
  given: { chain: r.chain },
  selects: REQUEST,
  text: ({ chain }, select) =>
    sql`select ${select} from ${r} where ${r.chain} = ${chain} order by ${r.asset}`,
});
const REMOVE = statement({
  given: { asset: r.asset },
  text: ({ asset }) => sql`delete from ${r} where ${r.asset} = ${asset}`,
});

export function forwardRequestRepository(on: Sql): ForwardRequestRepository {
  return {
    async insert(request) {
      await INSERT(on, request);
    },
    ofChain: (chain) => OF_CHAIN(on, { chain }),
    async remove(asset) {
      await REMOVE(on, { asset });
    },
  };
}
