/**
 * The use of the nodes' plans. Processes add their new calls, so that none overwrites another's
 * count.
 */
import { getTableColumns, sql } from 'drizzle-orm';
import type { NodeUsageRepository } from '../../../ports/chains/node-usage.ts';
import type { Sql } from '../client/sql.ts';
import { nodeUsage as u } from '../schema/chain-health.ts';
import { statement } from '../statement.ts';
import { at, columnsOf, insertSelect, names, records, set, toExcluded } from '../statement-parts.ts';

const { countedFrom: _from, countedUntil: _until, ...ADDED } = getTableColumns(u);
const USED = { day: u.day, calls: u.calls, refusals: u.refusals, bytes: u.bytes };

const ADD = statement({
  given: { uses: records('n', ADDED), at: u.countedFrom },
  selects: { chain: u.chain, node: u.node, ...USED },
  text: ({ uses, at: now }, select) => sql`
    ${insertSelect(u, { ...columnsOf('n', ADDED), countedFrom: now, countedUntil: now })} from ${uses}
    order by ${at('n', u.chain)}, ${at('n', u.node)}
    on conflict (${names(u.chain, u.node, u.day)}) do update set ${set(u, {
      calls: sql<number>`${u.calls} + ${at('excluded', u.calls)}`,
      refusals: sql<number>`${u.refusals} + ${at('excluded', u.refusals)}`,
      bytes: sql<number>`${u.bytes} + ${at('excluded', u.bytes)}`,
      stream: sql<boolean | null>`coalesce(${at('excluded', u.stream)}, ${u.stream})`,
      countedUntil: sql<Date>`greatest(${u.countedUntil}, ${at('excluded', u.countedUntil)})`,
    })}, ${toExcluded(u.state)}
    returning ${select}`,
});
const SINCE = statement({
  given: { day: u.day },
  selects: getTableColumns(u),
  text: ({ day }, select) =>
    sql`select ${select} from ${u} where ${u.day} >= ${day} order by ${u.chain}, ${u.node}, ${u.day}`,
});
const FORGET = statement({
  given: { day: u.day },
  text: ({ day }) => sql`delete from ${u} where ${u.day} < ${day}`,
});

export function nodeUsageRepository(on: Sql): NodeUsageRepository {
  return {
    async add(uses, at) {
      const added = uses.map(({ used, stream = null, ...node }) => ({ ...node, ...used, stream }));
      const rows = await ADD(on, { uses: added, at });
      return uses.map(({ chain, node }) => {
        const row = rows.find((one) => one.chain === chain && one.node === node);
        if (!row) throw new Error(`the use of ${node} of ${chain} was not added`);
        const { day, calls, refusals, bytes } = row;
        return { day, calls, refusals, bytes };
      });
    },

    async since(day) {
      const rows = await SINCE(on, { day });
      return rows.map(({ day, calls, refusals, bytes, ...node }) => ({
        ...node,
        used: { day, calls, refusals, bytes },
      }));
    },

    async forgetBefore(day) {
      await FORGET(on, { day });
    },
  };
}
