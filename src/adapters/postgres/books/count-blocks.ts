/** The check of maintained counts, block by block (lists/list-counts.ts). */
import { type SQL, sql } from 'drizzle-orm';
import type { ReconciliationFault } from '../../../ports/treasury/book-checks.ts';
import type { Sql } from '../client/sql.ts';
import { BLOCK, BLOCK_ROWS, LIST_COUNT_CHECK } from '../lists/list-counts.ts';
import { oneOf } from '../schema/columns.ts';
import { invoices as i } from '../schema/invoices.ts';
import { ledgerEntries as e } from '../schema/ledger.ts';
import { listCountChanges as g, listCounts as n } from '../schema/lists.ts';
import { counters as c } from '../schema/merchants.ts';
import { payouts as p } from '../schema/payouts.ts';
import { statement } from '../statement.ts';
import { commas } from '../statement-parts.ts';
import { FAULT, MOST_FAULTS, standingFor } from './row-checks.ts';

export const COUNT_CHECK = 'counts of lists equal the lists';

interface Block {
  readonly merchantId: string;
  readonly sandbox: boolean;
  readonly list: (typeof n.$inferSelect)['list'];
  readonly block: bigint;
}

const WRONG = statement({
  given: { merchantId: n.merchantId, sandbox: n.sandbox, list: n.list, block: n.block },
  selects: FAULT,
  text: ({ merchantId, sandbox, list, block }, select) => {
    const numbered = (t: typeof i | typeof p | typeof e, seq: SQL, name: string) =>
      standingFor(
        t,
        sql`${list}::text = ${sql.raw(`'${name}'`)} and ${t.merchantId} = ${merchantId} and ${t.sandbox} = ${sandbox}
          and ${seq} > ${block}::bigint * ${BLOCK_ROWS} and ${seq} <= (${block}::bigint + 1) * ${BLOCK_ROWS}`,
      );
    const counted = (t: typeof n | typeof g) =>
      standingFor(
        t,
        sql`${t.merchantId} = ${merchantId} and ${t.sandbox} = ${sandbox} and ${t.list} = ${list}::text
          and ${t.block} = ${block}::bigint`,
      );
    const its = commas([
      numbered(i, sql`${i.seq}`, 'invoices'),
      numbered(p, sql`${p.seq}`, 'payouts'),
      numbered(e, sql`${e.feedSeq}`, 'ledger'),
      counted(n),
      counted(g),
    ]);
    return sql`with ${its} select ${select} from (${LIST_COUNT_CHECK}) fault order by reference limit ${MOST_FAULTS}`;
  },
});

/** A block by its list and number, as a key that keeps their order. */
function keyOfBlock({ merchantId, sandbox, list, block }: Block): string {
  return [merchantId, sandbox, list, block].join(' ');
}

function blockOf(key: string): Block {
  const [merchantId = '', sandbox, list, block = '0'] = key.split(' ');
  return { merchantId, sandbox: sandbox === 'true', list: list as Block['list'], block: BigInt(block) };
}

export async function wrongCounts(on: Sql, key: string): Promise<readonly ReconciliationFault[]> {
  return (await WRONG(on, blockOf(key))).map((fault) => ({ check: COUNT_CHECK, ...fault }));
}

const LISTS = oneOf(c.stream, ['invoices', 'payouts', 'ledger']);
const NEXT = statement({
  given: { merchantId: c.merchantId, sandbox: c.sandbox, stream: c.stream },
  selects: { merchantId: c.merchantId, sandbox: c.sandbox, stream: c.stream, value: c.value },
  text: ({ merchantId, sandbox, stream }, select) => sql`
    select ${select} from ${c}
    where (${c.merchantId}, ${c.sandbox}, ${c.stream}) >= (${merchantId}, ${sandbox}, ${stream}) and ${LISTS}
    order by ${c.merchantId}, ${c.sandbox}, ${c.stream} limit 2`,
});

/** The key of the block after this one ('': the first); null at the end. */
export async function blockAfter(on: Sql, key: string): Promise<string | null> {
  const last = blockOf(key === '' ? ' false  -1' : key);
  const { merchantId, sandbox, list: stream } = last;
  for (const { value, stream: list, ...scope } of await NEXT(on, { merchantId, sandbox, stream })) {
    const isSame = scope.merchantId === merchantId && scope.sandbox === sandbox && list === stream;
    const block = isSame ? last.block + 1n : 0n;
    if (block > 0n && block * BigInt(BLOCK) >= value) continue;
    return keyOfBlock({ ...scope, list: list as Block['list'], block });
  }
  return null;
}
