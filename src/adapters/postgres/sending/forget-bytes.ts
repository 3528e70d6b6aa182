/** Removes the bytes of transactions that were settled long ago. An index has those with bytes. */
import { sql } from 'drizzle-orm';
import type { OutgoingRepository } from '../../../ports/sending/outgoing-repository.ts';
import { seekOnly } from '../client/by-index.ts';
import type { Sql } from '../client/sql.ts';
import { chainBlocks as k } from '../schema/chains.ts';
import { oneOf } from '../schema/columns.ts';
import { ledgerEntries as e } from '../schema/ledger.ts';
import { outgoingTransfers as t, signedTransactions as x } from '../schema/outgoing.ts';
import { statement } from '../statement.ts';
import { names, value } from '../statement-parts.ts';

// The ledger has an entry of each transfer that was settled, or of its payout. Only remembered
// blocks can be reorganised, and their heights depend on no clock of ours.
const FORGET = statement({
  given: { from: x.signedAt, before: x.signedAt, limit: value<number>('bigint') },
  selects: { txid: x.txid },
  text: ({ from, before, limit }, select) => sql`
    with old as materialized (
      select ${x.transferBatchId}, ${x.ordinal} from ${x}
      where ${x.raw} <> '' and ${x.signedAt} >= ${from} and ${x.signedAt} < ${before} and not exists (
        select from ${t}
        where ${t.transferBatchId} = ${x.transferBatchId} and (${oneOf(t.status, ['allocated', 'signed'])}
          or ${t.blockHeight} >= coalesce((select min(${k.height}) from ${k} where ${k.chain} = ${t.chain}), 0)
          or exists (select from ${e} where ${e.referenceId} = ${t.id} and ${e.at} >= ${before})
          or exists (select from ${e} where ${e.referenceId} = ${t.referenceId} and ${e.at} >= ${before})))
      order by ${x.signedAt} limit ${limit} for no key update skip locked)
    update ${x} set ${names(x.raw)} = ''
    where (${x.transferBatchId}, ${x.ordinal}) in (select ${names(x.transferBatchId, x.ordinal)} from old)
    returning ${select}`,
});

export function forgettingBytes(on: Sql): Pick<OutgoingRepository, 'forgetBytes'> {
  return {
    async forgetBytes(over, limit) {
      // A plan from when the tables were small would read all of them.
      await seekOnly(on);
      return (await FORGET(on, { ...over, limit })).length;
    },
  };
}
