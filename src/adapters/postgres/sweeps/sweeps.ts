/** Sweeps inside a transaction, and the deposits that each of them moves. */
import { type SQL, sql } from 'drizzle-orm';
import { OPEN_SWEEP_STATUSES } from '../../../domain/sweeps/sweep.ts';
import type { SweepRepository } from '../../../ports/treasury/treasury-repositories.ts';
import type { Sql } from '../client/sql.ts';
import { theOnly } from '../client/statements.ts';
import { deposits as d } from '../schema/addresses.ts';
import { equals, literals, oneOf } from '../schema/columns.ts';
import { outgoingTransfers as t } from '../schema/outgoing.ts';
import { sweeps as s } from '../schema/treasury.ts';
import { statement } from '../statement.ts';
import { at, insertInto, like, names, nullable, set, total, updateById, value } from '../statement-parts.ts';
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

const PLAN = statement({
  given: SWEEP,
  selects: { id: s.id },
  text: (values, select) => sql`
    ${insertInto(s, values)}
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
const LOCK = statement({
  given: { id: s.id },
  selects: SWEEP,
  text: ({ id }, select) => sql`select ${select} from ${s} where ${s.id} = ${id} for no key update`,
});
const { chain: _c, address: _a, asset: _as, createdAt: _at, ...CHANGEABLE } = SWEEP;
const SAVE = statement({
  given: CHANGEABLE,
  selects: { id: s.id },
  text: (given, select) => updateById(s, given, select),
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
  given: { chain: s.chain, address: s.address },
  selects: SWEEP,
  text: ({ chain, address }, select) => sql`
    select ${select} from ${s} where ${s.chain} = ${chain} and ${s.address} = ${address} and ${IS_OPEN_SWEEP}
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
  given: { chain: d.chain, address: d.address },
  text: ({ chain, address }) => sql`
    select from ${d} where ${d.chain} = ${chain} and ${d.address} = ${address}
      and (${oneOf(d.status, WITHHELD_STATUSES)} or ${isFrozen(d)}) limit 1`,
});
const UNDECIDED = statement({
  given: { chain: d.chain, address: d.address, asset: d.asset, height: d.blockHeight },
  selects: { units: total(d.units) },
  text: ({ chain, address, asset, height }, select) => sql`
    select ${select} from ${d} where ${d.chain} = ${chain} and ${d.address} = ${address} and ${d.asset} = ${asset}
      and ${d.blockHeight} <= ${height} and ${IS_UNDECIDED}`,
});
const LAST_MOVED = statement({
  given: { chain: t.chain, address: t.wallet },
  selects: { height: like(t.blockHeight, sql`max(${t.blockHeight})`) },
  text: ({ chain, address }, select) => sql`
    select ${select} from (
      select ${t.blockHeight} from ${t} where ${t.chain} = ${chain} and ${t.wallet} = ${address}
      union all
      select ${t.blockHeight} from ${s} join ${t} on ${t.id} in (${s.topupId}, ${s.delegationId}, ${s.undelegationId})
      where ${s.chain} = ${chain} and ${s.address} = ${address}) ${t}`,
});

const ITS = { id: nullable(s.id), chain: d.chain, address: d.address, asset: d.asset };
const isAtPlace = ({ chain, address, asset }: Record<'chain' | 'address' | 'asset', SQL>) =>
  sql`${d.chain} = ${chain} and ${d.address} = ${address} and ${d.asset} = ${asset}`;
const COVERABLE = statement({
  given: ITS,
  selects: { units: total(d.units) },
  text: ({ id, ...place }, select) => sql`
    select ${select} from ${d}
    where ${isAtPlace(place)} and ${IS_CREDITED} and (${d.sweptBy} = ${id} or ${IS_NOT_MOVED})`,
});
const COVER = statement({
  given: ITS,
  text: ({ id, ...place }) => sql`
    update ${d} set ${set(d, { sweptBy: id })} where ${d.id} in (
      select ${d.id} from ${d} where ${isAtPlace(place)} and ${IS_CREDITED} and ${IS_NOT_MOVED}
      order by ${d.id} for no key update)`,
});
const COVERED = statement({
  given: ITS,
  selects: { units: total(d.units) },
  text: ({ id, ...place }, select) => sql`
    select ${select} from ${d} where ${isAtPlace(place)} and ${IS_CREDITED} and ${d.sweptBy} = ${id}`,
});
const UNCOVER = statement({
  given: ITS,
  text: ({ id, ...place }) => sql`
    update ${d} set ${names(d.sweptBy)} = null where ${d.id} in (
      select ${d.id} from ${d} where ${isAtPlace(place)} and ${d.sweptBy} = ${id}
      order by ${d.id} for no key update)`,
});

export function sweepRepository(on: Sql): SweepRepository {
  const sum = (rows: readonly { readonly units: bigint }[]) => theOnly(rows, 'a sum of deposits').units;

  return {
    plan: async (sweep) => (await PLAN(on, sweepToRow(sweep))).length === 1,

    async find(id) {
      const [row] = await FIND(on, { id });
      return row ? sweepFromRow(row) : null;
    },

    async lock(id) {
      const [row] = await LOCK(on, { id });
      return row ? sweepFromRow(row) : null;
    },

    async save(sweep) {
      theOnly(await SAVE(on, sweepToRow(sweep)), `save of sweep ${sweep.id}`);
    },

    open: async (chain, page) => (await OPEN(on, { chain, ...page })).map(sweepFromRow),
    undone: async (chain) => (await UNDONE(on, { chain })).map(sweepFromRow),
    openAt: async (place) => (await OPEN_AT(on, place)).map(sweepFromRow),
    countActive: async (chain) =>
      theOnly(await COUNT_ACTIVE(on, { chain }), `active sweeps of ${chain}`).count,

    countWantingGas: async (of) =>
      theOnly(await COUNT_WANTING_GAS(on, of), `planned sweeps of ${of.chain}`).count,

    isWithheld: async (place) => (await WITHHELD(on, place)).length > 0,
    undecidedUnits: async (place) => sum(await UNDECIDED(on, place)),
    lastMovedAt: async (place) =>
      theOnly(await LAST_MOVED(on, place), `last transfer at ${place.address}`).height,

    coverable: async (sweep) => sum(await COVERABLE(on, sweep)),

    async cover(sweep) {
      await COVER(on, sweep);
      return sum(await COVERED(on, sweep));
    },

    async uncover(sweep) {
      await UNCOVER(on, sweep);
    },
  };
}
