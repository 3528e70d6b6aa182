/** How well each chain is followed. Its cursor has how far it was read. */
import { getTableColumns, sql } from 'drizzle-orm';
import type {
  ChainHealthRepository,
  FollowedChain,
  NotedHealth,
} from '../../../ports/chains/chain-health.ts';
import type { Sql } from '../client/sql.ts';
import { chainHealth as h } from '../schema/chain-health.ts';
import { chainBlocks as b, chainCursors as c } from '../schema/chains.ts';
import { type RowOf, statement } from '../statement.ts';
import { ifThere, insertInto, names, outer, set, toExcluded } from '../statement-parts.ts';

const { chain: CHAIN, ...NOTED } = getTableColumns(h);
const { toldAt: _at, toldTimes: _times, ...HEALTH } = NOTED;

const ALL = statement({
  selects: {
    ...outer({ ...NOTED, readHeight: c.height }),
    name: sql<string>`chain`,
    readTime: sql<Date | null>`coalesce(to_timestamp(${b.time}), ${c.coveredUntil})`,
  },
  text: (_given, select) => sql`
    select ${select}
    from ${c} full join ${h} using (chain) left join ${b} using (chain, height) order by chain`,
});
const NOTE = statement({
  given: { chain: CHAIN, ...HEALTH },
  text: (values) => sql`
    ${insertInto(h, values)}
    on conflict (${names(h.chain)}) do update set ${toExcluded(...Object.values(HEALTH))}`,
});
const NOTE_TOLD = statement({
  given: { chain: h.chain, toldAt: h.toldAt, toldTimes: h.toldTimes, before: h.toldTimes },
  selects: { chain: h.chain },
  text: ({ chain, before, ...values }, select) => sql`
    update ${h} set ${set(h, values)} where ${h.chain} = ${chain} and ${h.toldTimes} = ${before}
    returning ${select}`,
});

export function chainHealthRepository(on: Sql): ChainHealthRepository {
  return {
    async all() {
      const rows = await ALL(on);
      return new Map(
        rows.map(({ name, readHeight, readTime, ...row }) => {
          const noted = ifThere<RowOf<typeof NOTED>>(row, 'state');
          return [name, { read: placeFrom(readHeight, readTime), noted: noted && notedFromRow(noted) }];
        }),
      );
    },

    async note(chain, { tip, ...health }) {
      await NOTE(on, { ...health, chain, tipHeight: tip?.height ?? null, tipTime: tip?.time ?? null });
    },

    async noteTold(chain, { before, now }) {
      const told = { toldAt: now?.at ?? null, toldTimes: now?.times ?? 0 };
      return (await NOTE_TOLD(on, { chain, ...told, before: before?.times ?? 0 })).length === 1;
    },
  };
}

function notedFromRow({
  tipHeight,
  tipTime,
  toldAt,
  toldTimes,
  ...health
}: RowOf<typeof NOTED>): NotedHealth {
  return {
    ...health,
    tip: placeFrom(tipHeight, tipTime),
    told: toldAt && { at: toldAt, times: toldTimes },
  };
}

function placeFrom(height: number | null, time: Date | null): FollowedChain['read'] {
  return height === null || time === null ? null : { height, time };
}
