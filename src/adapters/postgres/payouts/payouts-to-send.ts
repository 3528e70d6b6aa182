/**
 * Which payouts are sent next: merchants and assets take turns, and a waiting one blocks no other.
 */
import { type SQL, sql } from 'drizzle-orm';
import { PAYABLE } from '../../../domain/merchants/merchant.ts';
import type { PayoutRepository } from '../../../ports/payouts/payout-repository.ts';
import type { Sql } from '../client/sql.ts';
import { equals } from '../schema/columns.ts';
import { merchants as m } from '../schema/merchants.ts';
import { outgoingTransfers as t } from '../schema/outgoing.ts';
import { isToSend, payouts as p } from '../schema/payouts.ts';
import { statement } from '../statement.ts';
import { at, listOf, names, set, total, value } from '../statement-parts.ts';
import { PAYOUT, payoutFromRow } from './payout-row.ts';

const MAY_BE_PAID_OUT = sql`${equals(m.status, PAYABLE.status)} and ${equals(m.kyc, PAYABLE.kyc)}`;
const WAITS_FOR_MERCHANT = equals(p.waitingCode, 'merchant');
const TO_SEND = isToSend(p);
const HAS_TRANSFER = sql`exists (
    select from ${t}
    where ${equals(t.purpose, 'payout')} and ${t.referenceId} = ${p.id} and not ${equals(t.status, 'failed')}
      and not ${t.voided})`;
const MAY_GO = sql`${TO_SEND} and ${p.asset} = ${at('a', p.asset)} and not ${HAS_TRANSFER}`;
/** Per merchant, whatever others have before it. */
const EACH = sql.raw('10');
// The order by the whole index leaves the planner no other index.
const nextMerchant = (asset: SQL, after: SQL) => sql`
  select ${p.merchantId} from ${p} where ${TO_SEND} and ${p.asset} = ${asset} and ${p.merchantId} > ${after}
  order by ${p.asset}, ${p.merchantId}, ${p.triedAt} nulls first, ${p.id} limit 1`;
const KEY = sql`${p.id}, ${p.asset}, ${p.merchantId}, ${p.triedAt}`;
const OLDEST_FIRST = sql`order by ${p.triedAt} nulls first, ${p.id}`;
const inTurns = (rows: SQL, by: SQL) => sql`
  select *, row_number() over (partition by ${names(p.asset, p.merchantId)} order by ${by}) as turn from (${rows}) p
  order by turn, ${by}`;
// Reads a part of the index payouts_to_send, however many there are, and beside it some of each
// merchant: no merchant's payouts come after all of another's (safety.md G4).
const SENDABLE = statement({
  given: {
    assets: listOf(p.asset),
    limit: value<number>('bigint'),
    /** Most waiting ones. */
    waiting: value<number>('bigint'),
    /** Most new ones per asset. */
    fresh: value<number>('bigint'),
    now: p.createdAt,
  },
  selects: PAYOUT,
  text: ({ assets, limit, waiting, fresh, now }, select) => {
    const asset = sql`unnest(${assets}) as a (${names(p.asset)})`;
    return sql`
      with recursive merchant (asset, id) as (
        select ${at('a', p.asset)}, (${nextMerchant(at('a', p.asset), sql`''`)}) from ${asset}
        union all
        select merchant.asset, (${nextMerchant(sql`merchant.asset`, sql`merchant.id`)})
        from merchant where merchant.id is not null),
      some_of_each as materialized (
        select ${KEY} from merchant a cross join lateral (
          select ${p}.* from ${p}
          where ${p.merchantId} = a.id and (${p.triedAt} is null or ${p.triedAt} <= ${now}) and ${MAY_GO}
          ${OLDEST_FIRST} limit ${EACH}) ${p}
        where a.id is not null),
      waits as materialized (${inTurns(
        sql`
          select ${KEY} from ${asset} cross join lateral (
            select ${p}.* from ${p} where ${p.triedAt} <= ${now} and ${MAY_GO} ${OLDEST_FIRST} limit ${waiting}) ${p}
          union select ${KEY} from some_of_each ${p} where ${p.triedAt} is not null`,
        names(p.triedAt, p.id),
      )} limit ${waiting}),
      fresh as (${inTurns(
        sql`
          select ${KEY} from ${asset} cross join lateral (
            select ${p}.* from ${p} where ${p.triedAt} is null and ${MAY_GO} ${OLDEST_FIRST} limit ${fresh}) ${p}
          union select ${KEY} from some_of_each ${p} where ${p.triedAt} is null`,
        names(p.id),
      )} limit ${limit} - (select count(*) from waits)),
      chosen as materialized (
        select ${names(p.id)}, turn from fresh union all select ${names(p.id)}, null from waits)
      select ${select} from ${p} join chosen on ${at('chosen', p.id)} = ${p.id}
      where ${p.id} = any (array(select ${names(p.id)} from chosen))
      order by chosen.turn nulls last, ${p.triedAt}, ${p.id}`;
  },
});
const ANY_READY = statement({
  given: { assets: listOf(p.asset) },
  text: ({ assets }) => sql`
    select from unnest(${assets}) as a (${names(p.asset)}) cross join lateral (
      select from ${p} where ${MAY_GO} and (${p.waitingCode} is null or ${equals(p.waitingCode, 'signing')})
      limit 1) ${p} limit 1`,
});
const UNALLOCATED = statement({
  given: { assets: listOf(p.asset) },
  selects: {
    asset: p.asset,
    count: sql<number>`count(*)::int`,
    units: total(p.sentUnits),
    lacking: sql<number>`(count(*) filter (where ${equals(p.waitingCode, 'liquidity')}))::int`,
  },
  text: ({ assets }, select) => sql`
    select ${select} from ${p}
    where not ${p.sandbox} and ${equals(p.status, 'pending')} and ${p.asset} = any (${assets})
      and not ${HAS_TRANSFER}
    group by ${p.asset} order by ${p.asset}`,
});
const PUT_OFF = statement({
  given: { ids: listOf(p.id), triedAt: p.triedAt },
  text: ({ ids, triedAt }) => sql`
    update ${p} set ${set(p, { triedAt })} where ${p.id} in (
      select ${p.id} from ${p} where ${p.id} = any (${ids}) and ${p.triedAt} is not null
      order by ${p.id} for no key update skip locked)`,
});
const NOTHING = sql<null>`null`;
// Each merchant is found by a step along the index, without reading all waiting payouts.
const READMIT = statement({
  given: { ofEach: value<number>('bigint') },
  text: ({ ofEach }) => sql`
    with recursive waits as (
      (select ${p.merchantId} from ${p} where ${WAITS_FOR_MERCHANT} order by ${p.merchantId} limit 1)
      union all
      select (
        select ${p.merchantId} from ${p}
        where ${WAITS_FOR_MERCHANT} and ${p.merchantId} > ${at('waits', p.merchantId)}
        order by ${p.merchantId} limit 1)
      from waits where ${at('waits', p.merchantId)} is not null)
    update ${p} set ${set(p, { waiting: NOTHING, waitingCode: NOTHING, triedAt: NOTHING })} where ${p.id} in (
      select ${p.id} from waits
      join ${m} on ${m.id} = ${at('waits', p.merchantId)} and ${MAY_BE_PAID_OUT}
      cross join lateral (
        select ${p.id} from ${p} where ${WAITS_FOR_MERCHANT} and ${p.merchantId} = ${at('waits', p.merchantId)}
        order by ${p.id} limit ${ofEach} for no key update skip locked) ${p})`,
});

type PayoutsToSend = Pick<PayoutRepository, 'sendable' | 'anyReady' | 'unallocated' | 'putOff' | 'readmit'>;

export function payoutsToSend(on: Sql): PayoutsToSend {
  return {
    async sendable(assets, limit, now) {
      const waiting = Math.floor(limit / 4);
      const rows = await SENDABLE(on, { assets, limit, waiting, fresh: 4 * limit, now });
      return rows.map(payoutFromRow);
    },

    anyReady: async (assets) => (await ANY_READY(on, { assets })).length > 0,

    unallocated: (assets) => UNALLOCATED(on, { assets }),

    async putOff(ids, triedAt) {
      if (ids.length > 0) await PUT_OFF(on, { ids, triedAt });
    },

    async readmit(ofEach) {
      await READMIT(on, { ofEach });
    },
  };
}
