/** Sweeps inside a transaction, and the deposits that each of them moves. */
import { sql } from 'drizzle-orm';
import { OPEN_SWEEP_STATUSES } from '../../../domain/sweeps/sweep.ts';
import type { SweepRepository } from '../../../ports/treasury/treasury-repositories.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { deposits as d } from '../schema/addresses.ts';
import { equals, literals, oneOf } from '../schema/columns.ts';
import { outgoingTransfers as t } from '../schema/outgoing.ts';
import { sweeps as s } from '../schema/treasury.ts';
import { statement } from '../statement.ts';
import {
  at,
  columnsOf,
  insertSelect,
  like,
  listOf,
  names,
  records,
  set,
  total,
  updateAllById,
  value,
} from '../statement-parts.ts';
import { isFrozen } from '../treasury/frozen-addresses.ts';
import {
  IS_ACTIVE_SWEEP,
  IS_CREDITED,
  IS_NOT_MOVED,
  IS_OPEN_SWEEP,
  IS_UNDECIDED,
  SWEEP,
  sweepFromRow,
  sweepToRow,
  WITHHELD_STATUSES,
} from './sweep-row.ts';

// In the order of places, so that two workers do not wait for each other. Who locks sweeps goes by
// id: planning may wait for that in a circle, which PostgreSQL ends, and one is repeated.
const PLAN_ALL = statement({
  given: { rows: records('g', SWEEP) },
  selects: SWEEP,
  text: ({ rows }, select) => sql`
    ${insertSelect(s, columnsOf('g', SWEEP))} from ${rows} order by ${at('g', s.address)}, ${at('g', s.asset)}
    on conflict (${names(s.chain, s.address, s.asset)}) where ${names(s.status)} in (${literals(OPEN_SWEEP_STATUSES)})
    do update
      set ${names(s.forced)} = true
      where ${at('excluded', s.forced)} and not ${s.forced} and ${equals(s.status, 'planned')}
    returning ${select}`,
});
const FIND = statement({
  given: { id: s.id },
  selects: SWEEP,
  text: ({ id }, select) => sql`select ${select} from ${s} where ${s.id} = ${id}`,
});
const LOCK_ALL = statement({
  given: { ids: listOf(s.id) },
  selects: SWEEP,
  text: ({ ids }, select) =>
    sql`select ${select} from ${s} where ${s.id} = any (${ids}) order by ${s.id} for no key update`,
});
const { id, chain: _c, address: _a, asset: _as, createdAt: _at, ...CHANGEABLE } = SWEEP;
const SAVE_ALL = statement({
  given: { rows: records('g', { id, ...CHANGEABLE }), ids: listOf(s.id) },
  selects: { id: s.id },
  text: (given, select) => updateAllById(s, CHANGEABLE, given, select),
});
const OPEN = statement({
  given: { chain: s.chain, after: s.id, limit: value<number>('bigint') },
  selects: SWEEP,
  text: ({ chain, after, limit }, select) => sql`
    select ${select} from ${s} where ${s.chain} = ${chain} and ${IS_OPEN_SWEEP} and ${s.id} > ${after}
    order by ${s.id} limit ${limit}`,
});
// Few transfers of a chain are open.
const UNDONE = statement({
  given: { chain: t.chain },
  selects: SWEEP,
  text: ({ chain }, select) => sql`
    select ${select} from ${s} where ${s.id} in (
      select ${s.id} from ${t}
      join ${s} on ${s.id} = ${t.referenceId} and ${t.id} in (${s.delegationId}, ${s.transferId}, ${s.undelegationId})
        and not ${IS_OPEN_SWEEP}
      where ${t.chain} = ${chain} and ${oneOf(t.purpose, ['lend', 'sweep', 'reclaim'])}
        and ${oneOf(t.status, ['allocated', 'signed'])})
    order by ${s.id}`,
});
const OPEN_AT = statement({
  given: { chain: s.chain, addresses: listOf(s.address) },
  selects: SWEEP,
  text: ({ chain, addresses }, select) => sql`
    select ${select} from ${s}
    where ${s.chain} = ${chain} and ${s.address} = any (${addresses}) and ${IS_OPEN_SWEEP}
    order by ${s.id}`,
});
const COUNT_ACTIVE = statement({
  given: { chain: s.chain },
  selects: { count: sql`count(*)`.mapWith(Number) },
  text: ({ chain }, select) =>
    sql`select ${select} from ${s} where ${s.chain} = ${chain} and ${IS_ACTIVE_SWEEP}`,
});

const COUNT_WANTING_GAS = statement({
  given: { chain: s.chain, nativeAsset: s.asset },
  selects: { count: sql`count(*)`.mapWith(Number) },
  text: ({ chain, nativeAsset }, select) => sql`
    select ${select} from ${s}
    where ${s.chain} = ${chain} and ${equals(s.status, 'planned')} and ${s.asset} <> ${nativeAsset}
      and (${s.reasonCode} is null or ${oneOf(s.reasonCode, ['liquidity', 'no_place', 'gas_unknown'])})`,
});

const WITHHELD = statement({
  given: { chain: d.chain, addresses: listOf(d.address) },
  selects: { address: d.address },
  text: ({ chain, addresses }, select) => sql`
    select distinct ${select} from ${d} where ${d.chain} = ${chain} and ${d.address} = any (${addresses})
      and (${oneOf(d.status, WITHHELD_STATUSES)} or ${isFrozen(d)})`,
});
const UNDECIDED = statement({
  given: { chain: d.chain, addresses: listOf(d.address), height: d.blockHeight },
  selects: { address: d.address, asset: d.asset, units: total(d.units) },
  text: ({ chain, addresses, height }, select) => sql`
    select ${select} from ${d} where ${d.chain} = ${chain} and ${d.address} = any (${addresses})
      and ${d.blockHeight} <= ${height} and ${IS_UNDECIDED}
    group by ${d.address}, ${d.asset}`,
});
// What was taken out is in no block. The others of a wallet have an index.
const LAST_MOVED = statement({
  given: { chain: t.chain, addresses: listOf(t.wallet) },
  selects: { address: t.wallet, height: like(t.blockHeight, sql`max(${t.blockHeight})`) },
  text: ({ chain, addresses }, select) => sql`
    select ${select} from (
      select ${t.wallet}, ${t.blockHeight} from ${t}
      where ${t.chain} = ${chain} and ${t.wallet} = any (${addresses}) and not ${t.takenOut}
      union all
      select ${s.address}, ${t.blockHeight}
      from ${s} join ${t} on ${t.id} in (${s.topupId}, ${s.delegationId}, ${s.undelegationId})
      where ${s.chain} = ${chain} and ${s.address} = any (${addresses})) ${t}
    where ${t.blockHeight} is not null group by ${t.wallet}`,
});

/** Sweeps, of which only these columns count. */
const THESE = {
  rows: records('g', { id: s.id, chain: s.chain, address: s.address, asset: s.asset }),
};
const g = columnsOf('g', { id: s.id, chain: s.chain, address: s.address, asset: s.asset });
const isAtItsPlace = sql`${d.chain} = ${g.chain} and ${d.address} = ${g.address} and ${d.asset} = ${g.asset}`;
const OF_SWEEP = { id: g.id, units: total(d.units) };
const COVERABLE = statement({
  given: THESE,
  selects: OF_SWEEP,
  text: ({ rows }, select) => sql`
    select ${select} from ${rows} join ${d} on ${isAtItsPlace}
    where ${IS_CREDITED} and (${d.sweptBy} = ${g.id} or ${IS_NOT_MOVED})
    group by ${g.id}`,
});
// Locks those too that were covered before, since they may be released under the hot wallet's lock.
const COVER = statement({
  given: THESE,
  text: ({ rows }) => sql`
    update ${d} set ${set(d, { sweptBy: sql`c.sweep` })} from (
      select ${d.id}, ${g.id} as sweep from ${rows} join ${d} on ${isAtItsPlace}
      where ${d.sweptBy} = ${g.id} or (${IS_CREDITED} and ${IS_NOT_MOVED})
      order by ${d.id} for no key update of ${d}) c
    where ${d.id} = ${at('c', d.id)} and ${d.sweptBy} is distinct from c.sweep`,
});
const COVERED = statement({
  given: THESE,
  selects: OF_SWEEP,
  text: ({ rows }, select) => sql`
    select ${select} from ${rows} join ${d} on ${isAtItsPlace}
    where ${IS_CREDITED} and ${d.sweptBy} = ${g.id}
    group by ${g.id}`,
});
const UNCOVER = statement({
  given: THESE,
  text: ({ rows }) => sql`
    update ${d} set ${names(d.sweptBy)} = null where ${d.id} in (
      select ${d.id} from ${rows} join ${d} on ${isAtItsPlace}
      where ${d.sweptBy} = ${g.id}
      order by ${d.id} for no key update of ${d})`,
});

export function sweepRepository(on: Sql): SweepRepository {
  const lockAll: SweepRepository['lockAll'] = async (ids) =>
    ids.length === 0 ? [] : (await LOCK_ALL(on, { ids })).map(sweepFromRow);
  const saveAll: SweepRepository['saveAll'] = async (sweeps) => {
    if (sweeps.length === 0) return;
    const saved = await SAVE_ALL(on, { rows: sweeps.map(sweepToRow), ids: sweeps.map((sweep) => sweep.id) });
    if (saved.length !== sweeps.length)
      throw new Error(`${saved.length} of ${sweeps.length} sweeps were saved`);
  };
  const byId = (rows: readonly { readonly id: string; readonly units: bigint }[]) =>
    new Map(rows.map((row) => [row.id, row.units]));

  return {
    planAll: async (sweeps) =>
      sweeps.length === 0 ? [] : (await PLAN_ALL(on, { rows: sweeps.map(sweepToRow) })).map(sweepFromRow),

    async find(id) {
      const [row] = await FIND(on, { id });
      return row ? sweepFromRow(row) : null;
    },

    lock: async (id) => (await lockAll([id]))[0] ?? null,
    lockAll,
    save: (sweep) => saveAll([sweep]),
    saveAll,

    open: async (chain, page) => (await OPEN(on, { chain, ...page })).map(sweepFromRow),
    undone: async (chain) => (await UNDONE(on, { chain })).map(sweepFromRow),
    openAt: async (of) => (of.addresses.length === 0 ? [] : (await OPEN_AT(on, of)).map(sweepFromRow)),
    countActive: async (chain) =>
      theOnly(await COUNT_ACTIVE(on, { chain }), `active sweeps of ${chain}`).count,

    countWantingGas: async (of) =>
      theOnly(await COUNT_WANTING_GAS(on, of), `planned sweeps of ${of.chain}`).count,

    withheldAmong: async (of) => new Set((await WITHHELD(on, of)).map(({ address }) => address)),
    undecidedUnits: (at) => UNDECIDED(on, at),
    lastMovedAt: async (of) =>
      new Map(
        (await LAST_MOVED(on, of)).flatMap(({ address, height }) =>
          height === null ? [] : [[address, height]],
        ),
      ),

    coverable: async (rows) => (rows.length === 0 ? new Map() : byId(await COVERABLE(on, { rows }))),

    async cover(rows) {
      if (rows.length === 0) return new Map();
      await COVER(on, { rows });
      return byId(await COVERED(on, { rows }));
    },

    async uncover(rows) {
      if (rows.length > 0) await UNCOVER(on, { rows });
    },
  };
}
