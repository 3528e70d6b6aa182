/**
 * The numbers of invoices that were removed: holes in the middle of a dense list. A bit for each,
 * in blocks (list-counts.ts), so that a million of them take 125 kB, and the total of any range is
 * exact without a look at its rows.
 */
import { type SQL, sql } from 'drizzle-orm';
import { removedInvoices as r } from '../schema/lists.ts';
import { names } from '../statement-parts.ts';
import { BLOCK, BLOCK_ROWS } from './list-counts.ts';

interface ScopePlaces {
  readonly merchantId: SQL;
  readonly sandbox: SQL;
}

/** Numbers, both included; empty if `last` is before `first`. */
interface NumberRange {
  readonly first: SQL;
  readonly last: SQL;
}

const LAST_BIT = sql.raw(String(BLOCK - 1));
const blockOf = (number: SQL) => sql`(${number} - 1) / ${BLOCK_ROWS}`;

/** The rows of the blocks that the range touches, with the part of each that is in it. */
function partsOf({ merchantId, sandbox }: ScopePlaces, { first, last }: NumberRange): SQL {
  return sql`
    select *, removed_low - ${r.block} * ${BLOCK_ROWS} as from_bit, removed_high - removed_low + 1 as width from (
      select ${r.block}, ${r.numbers}, ${r.count}, greatest(${first}, ${r.block} * ${BLOCK_ROWS} + 1) as removed_low,
        least(${last}, (${r.block} + 1) * ${BLOCK_ROWS}) as removed_high
      from ${r} where ${r.merchantId} = ${merchantId} and ${r.sandbox} = ${sandbox}
        and ${first} <= ${last} and ${r.block} between ${blockOf(first)} and ${blockOf(last)}) ${r}`;
}

const bitsOf = sql`substring(${r.numbers} from from_bit::int for width::int)`;
// The bits of a whole block are counted already, and need not be read.
const countOf = sql`case when width = ${BLOCK_ROWS} then ${r.count} else bit_count(${bitsOf}) end`;

/**
 * Selects `low, high, gone` of each block that the range touches and that lacks rows: its numbers
 * in the range, and how many of them were removed.
 */
export function removedByBlock(scope: ScopePlaces, range: NumberRange): SQL {
  return sql`
    select removed_low as low, removed_high as high, ${countOf} as gone from (${partsOf(scope, range)}) ${r}`;
}

/** How many numbers of the range were removed. */
export function removedWithin(scope: ScopePlaces, range: NumberRange): SQL {
  return sql`(
    select coalesce(sum(part.gone), 0)::bigint from (${removedByBlock(scope, range)}) part)`;
}

/** Selects each removed number of the range as `number`. */
export function removedNumbers(scope: ScopePlaces, range: NumberRange): SQL {
  // `offset 0`: the part is cut out of the block once, and not for each of its bits.
  return sql`
    select part.removed_low + place as number
    from (select removed_low, width, ${bitsOf} as bits from (${partsOf(scope, range)}) ${r} offset 0) part
    cross join lateral generate_series(0, part.width - 1) as place
    where get_bit(part.bits, place::int) = 1`;
}

/**
 * Notes the numbers of `gone (merchant_id, sandbox, seq)`. Its rows are the last locks that a
 * removal takes, in one order.
 */
export function noteRemoved(gone: SQL): SQL {
  const key = names(r.merchantId, r.sandbox, r.block);
  return sql`
    insert into ${r} (${names(r.merchantId, r.sandbox, r.block, r.numbers, r.count)})
    select merchant_id, sandbox, block, bit_or(1::bit(${BLOCK_ROWS}) << (${LAST_BIT} - place)), count(*)
    from (
      select merchant_id, sandbox, ${blockOf(sql`seq`)} as block, ((seq - 1) % ${BLOCK_ROWS})::int as place
      from ${gone}) number
    group by merchant_id, sandbox, block order by merchant_id, sandbox, block
    on conflict (${key}) do update set ${names(r.numbers)} = ${r.numbers} | excluded.numbers,
      ${names(r.count)} = bit_count(${r.numbers} | excluded.numbers)`;
}
