/** Reads of merchants for the console. */
import { sql } from 'drizzle-orm';
import type { LastNumber, MerchantQueries } from '../../../ports/merchants/merchant-queries.ts';
import type { Sql } from '../client/sql.ts';
import { oneOf } from '../schema/columns.ts';
import { counters as c } from '../schema/merchants.ts';
import { statement } from '../statement.ts';
import { listOf } from '../statement-parts.ts';
import { FIND_MERCHANT } from './merchants.ts';

const LAST_NUMBERS = statement({
  given: { merchantIds: listOf(c.merchantId) },
  selects: {
    ...{ merchantId: c.merchantId, sandbox: c.sandbox, seq: c.value },
    stream: sql<LastNumber['stream']>`${c.stream}`,
  },
  text: ({ merchantIds }, select) => sql`
    select ${select} from ${c}
    where ${c.merchantId} = any (${merchantIds}) and ${oneOf(c.stream, ['events', 'invoices'])}`,
});

export function merchantQueries(on: Sql): MerchantQueries {
  return {
    merchantById: async (id) => (await FIND_MERCHANT(on, { id }))[0] ?? null,
    lastNumbers: (merchantIds) => LAST_NUMBERS(on, { merchantIds }),
  };
}
