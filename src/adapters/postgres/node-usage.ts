/** What was used of the plans of nodes. Processes add what is new: none writes over another's count. */
import type { NodeState } from '../../domain/node-plan.ts';
import type { UsedOfDay } from '../../ports/chain-nodes.ts';
import type { NodeUsageRepository, NotedUse } from '../../ports/node-usage.ts';
import type { Sql } from './client.ts';

const ADD = `
  insert into node_usage as u (chain, node, day, calls, refusals, bytes, state, stream, counted_from,
    counted_until)
  select n.chain, n.node, date '1970-01-01' + n.day, n.calls, n.refusals, n.bytes, n.state, n.stream, $2, $2
  from jsonb_to_recordset($1::jsonb)
    as n (chain text, node text, day int, calls bigint, refusals bigint, bytes bigint, state text,
      stream boolean)
  order by n.chain, n.node
  on conflict (chain, node, day) do update set calls = u.calls + excluded.calls,
    refusals = u.refusals + excluded.refusals, bytes = u.bytes + excluded.bytes, state = excluded.state,
    stream = coalesce(excluded.stream, u.stream),
    counted_until = greatest(u.counted_until, excluded.counted_until)
  returning chain, node, day - date '1970-01-01' as day, calls, refusals, bytes`;
const SINCE = `
  select chain, node, day - date '1970-01-01' as day, calls, refusals, bytes, state, stream, counted_from,
    counted_until
  from node_usage where day >= date '1970-01-01' + $1::int order by chain, node, day`;
const FORGET = `delete from node_usage where day < date '1970-01-01' + $1::int`;

interface TotalRow {
  readonly chain: string;
  readonly node: string;
  readonly day: number;
  readonly calls: string;
  readonly refusals: string;
  readonly bytes: string;
}

interface UseRow extends TotalRow {
  readonly state: NodeState;
  readonly stream: boolean | null;
  readonly counted_from: Date;
  readonly counted_until: Date;
}

export function nodeUsageRepository(sql: Sql): NodeUsageRepository {
  return {
    async add(uses, at) {
      const added = uses.map(({ used, ...node }) => ({ ...node, ...used }));
      const rows = await sql.query<TotalRow>(ADD, [JSON.stringify(added), at]);
      return uses.map(({ chain, node }) => {
        const row = rows.find((one) => one.chain === chain && one.node === node);
        if (!row) throw new Error(`the use of ${node} of ${chain} was not added`);
        return usedFromRow(row);
      });
    },

    async since(day) {
      const rows = await sql.query<UseRow>(SINCE, [day]);
      return rows.map(
        (row): NotedUse => ({
          ...{ chain: row.chain, node: row.node, state: row.state, used: usedFromRow(row) },
          stream: row.stream,
          ...{ countedFrom: row.counted_from, countedUntil: row.counted_until },
        }),
      );
    },

    async forgetBefore(day) {
      await sql.query(FORGET, [day]);
    },
  };
}

function usedFromRow({ day, calls, refusals, bytes }: TotalRow): UsedOfDay {
  return { day, calls: Number(calls), refusals: Number(refusals), bytes: Number(bytes) };
}
