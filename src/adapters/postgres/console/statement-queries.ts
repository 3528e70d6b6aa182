/**
 * The lines of a statement, from the merchant's numbered ledger: times never decrease along its
 * numbers, so a month is a range of them. Balances are those of the sums of days.
 */
import { sql } from 'drizzle-orm';
import { DAY_MS } from '../../../domain/console/day-figure.ts';
import type { StatementQueries } from '../../../ports/console/statement-queries.ts';
import type { Reads } from '../client/client.ts';
import { theOnly } from '../client/statements.ts';
import { equals } from '../schema/columns.ts';
import { ledgerEntries as e, ledgerPostings as l } from '../schema/ledger.ts';
import { payouts as p } from '../schema/payouts.ts';
import { statement } from '../statement.ts';
import { like, notNull, value } from '../statement-parts.ts';
import { merchantFigures } from './merchant-figures.ts';

const LAST_BEFORE = statement({
  given: { merchantId: e.merchantId, sandbox: e.sandbox, at: e.at },
  selects: { seq: sql`coalesce(max(seq), 0)`.mapWith(Number) },
  text: ({ merchantId, sandbox, at }, select) => sql`
    select ${select} from (
      select ${e.feedSeq} as seq from ${e}
      where ${e.merchantId} = ${merchantId} and ${e.sandbox} = ${sandbox} and ${e.at} < ${at}
        and ${e.feedSeq} is not null
      order by ${e.at} desc, ${e.feedSeq} desc limit 1) last`,
});

const sumOf = (account: 'merchant' | 'fees') =>
  sql`coalesce((select -sum(${l.amount}) from ${l}
    where ${l.entryId} = ${e.id} and ${equals(l.account, account)} and ${equals(l.currency, 'USD')}), 0)`;
// Of a payout the reserve holds its fee; entries that give it back give the fee back too.
const FEE = sql`case
  when ${e.kind} in ('payout_reserved', 'payout_retaken', 'refund') then coalesce(${p.feeMicroUsd}, 0)
  when ${e.kind} in ('payout_released', 'refund_reversed') then -coalesce(${p.feeMicroUsd}, 0)
  when ${e.kind} in ('payout_fee_charged', 'refund_fee_charged', 'payout_fee_returned', 'refund_fee_returned')
    then -${sumOf('merchant')}
  else ${sumOf('fees')} end`;
const LINES = statement({
  given: {
    ...{ merchantId: e.merchantId, sandbox: e.sandbox },
    ...{ after: value<number>('bigint'), last: value<number>('bigint'), limit: value<number>('bigint') },
  },
  selects: {
    seq: sql`${e.feedSeq}`.mapWith(Number),
    at: e.at,
    entry: e.kind,
    referenceId: notNull(e.feedReferenceId),
    asset: notNull(e.feedAsset),
    units: notNull(e.feedAmountUnits),
    feeMicroUsd: like(l.amount, FEE),
    netMicroUsd: like(l.amount, sumOf('merchant')),
  },
  text: ({ merchantId, sandbox, after, last, limit }, select) => sql`
    select ${select} from ${e} left join ${p} on ${p.id} = ${e.referenceId}
    where ${e.merchantId} = ${merchantId} and ${e.sandbox} = ${sandbox}
      and ${e.feedSeq} > ${after} and ${e.feedSeq} <= ${last}
    order by ${e.feedSeq} limit ${limit}`,
});

export function statementQueries(lists: Reads): StatementQueries {
  return {
    statementFrame: (scope, { first, last }) =>
      lists.snapshot(async (on) => {
        const { merchantId, sandbox } = scope;
        const figures = merchantFigures(on);
        const before = async (day: number) => {
          const at = new Date(day * DAY_MS);
          return theOnly(await LAST_BEFORE(on, { merchantId, sandbox, at }), 'the last line').seq;
        };
        return {
          openingMicroUsd: await figures.balanceBefore(scope, first),
          closingMicroUsd: await figures.balanceBefore(scope, last + 1),
          after: await before(first),
          last: await before(last + 1),
        };
      }),
    statementLines: ({ merchantId, sandbox }, of) => LINES(lists, { merchantId, sandbox, ...of }),
  };
}
