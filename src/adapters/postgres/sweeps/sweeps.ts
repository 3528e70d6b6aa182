/** Sweeps inside a transaction, and the deposits that each of them moves. */
import type { SweepRepository } from '../../../ports/treasury/treasury-repositories.ts';
import type { SqlParameter } from '../client/parameters.ts';
import type { Sql } from '../client/sql.ts';
import { inOrder, insertInto, theOnly, updateById } from '../client/statements.ts';
import {
  IS_ACTIVE_SWEEP,
  IS_OPEN_SWEEP,
  isCredited,
  isFrozen,
  isUndecided,
  isWithheld,
  SWEEP_COLUMNS,
  type SweepRow,
  sweepFromRow,
  sweepToRow,
} from './sweep-row.ts';

const SELECT = `select ${SWEEP_COLUMNS.join(', ')} from sweeps`;
const PLAN = `
  ${insertInto('sweeps as s', SWEEP_COLUMNS)}
  on conflict (chain, address, asset) where ${IS_OPEN_SWEEP} do update set forced = true
    where excluded.forced and not s.forced and s.status = 'planned'
  returning id`;
const CHANGEABLE = [
  'status',
  'forced',
  'units',
  'topup_id',
  'lend_id',
  'transfer_id',
  'reclaim_id',
  'reason',
  'reason_code',
  'ended_at',
] as const;
const SAVE = `${updateById('sweeps', CHANGEABLE)} returning id`;

// Few transfers of a chain are open.
const UNDONE = `
  select s.id from outgoing_transfers t
  join sweeps s on s.id = t.reference_id and t.id in (s.lend_id, s.transfer_id, s.reclaim_id) and not s.${IS_OPEN_SWEEP}
  where t.chain = $1 and t.purpose in ('lend', 'sweep', 'reclaim') and t.status in ('allocated', 'signed')`;
const WITHHELD = `
  select from deposits d where d.chain = $1 and d.address = $2 and (${isWithheld('d')} or ${isFrozen('d')}) limit 1`;
const UNDECIDED = `
  select coalesce(sum(d.units), 0)::text as units from deposits d
  where d.chain = $1 and d.address = $2 and d.asset = $3 and d.block_height <= $4 and ${isUndecided('d')}`;
const LAST_MOVED = `
  select max(height)::text as height from (
    select block_height as height from outgoing_transfers where chain = $1 and wallet = $2
    union all
    select t.block_height from sweeps s join outgoing_transfers t on t.id in (s.topup_id, s.lend_id, s.reclaim_id)
    where s.chain = $1 and s.address = $2) as moved`;
const NOT_MOVED = `(d.swept_by is null or exists (select from sweeps s where s.id = d.swept_by and s.status = 'failed'))`;
const OF_SWEEP = `d.chain = $2 and d.address = $3 and d.asset = $4 and ${isCredited('d')}`;
const COVERABLE = `
  select coalesce(sum(d.units), 0)::text as units from deposits d
  where ${OF_SWEEP} and (d.swept_by = $1 or ${NOT_MOVED})`;
const COVER = `
  update deposits set swept_by = $1 where id in (
    select d.id from deposits d where ${OF_SWEEP} and ${NOT_MOVED} order by d.id for no key update)`;
const COVERED = `
  select coalesce(sum(d.units), 0)::text as units from deposits d where ${OF_SWEEP} and d.swept_by = $1`;
const UNCOVER = `
  update deposits set swept_by = null where id in (
    select id from deposits where chain = $2 and address = $3 and asset = $4 and swept_by = $1
    order by id for no key update)`;

export function sweepRepository(sql: Sql): SweepRepository {
  const many = async (where: string, parameters: readonly SqlParameter[]) =>
    (await sql.query<SweepRow>(`${SELECT} ${where}`, parameters)).map(sweepFromRow);
  const sum = async (text: string, parameters: readonly SqlParameter[]) =>
    BigInt(theOnly(await sql.query<{ units: string }>(text, parameters), 'a sum of deposits').units);

  return {
    async plan(sweep) {
      const rows = await sql.query<{ id: string }>(PLAN, [...inOrder(sweepToRow(sweep), SWEEP_COLUMNS)]);
      return rows.length === 1;
    },

    async lock(id) {
      const [found] = await many('where id = $1 for no key update', [id]);
      return found ?? null;
    },

    async save(sweep) {
      const saved = await sql.query(SAVE, [sweep.id, ...inOrder(sweepToRow(sweep), CHANGEABLE)]);
      theOnly(saved, `save of sweep ${sweep.id}`);
    },

    open: (chain, { after, limit }) =>
      many(`where chain = $1 and ${IS_OPEN_SWEEP} and id > $2 order by id limit $3`, [chain, after, limit]),

    undone: (chain) => many(`where id in (${UNDONE})`, [chain]),

    openAt: ({ chain, address }) =>
      many(`where chain = $1 and address = $2 and ${IS_OPEN_SWEEP} order by id`, [chain, address]),

    async countActive(chain) {
      const rows = await sql.query<{ count: string }>(
        `select count(*) as count from sweeps where chain = $1 and ${IS_ACTIVE_SWEEP}`,
        [chain],
      );
      return Number(theOnly(rows, `active sweeps of ${chain}`).count);
    },

    isWithheld: async ({ chain, address }) => (await sql.query(WITHHELD, [chain, address])).length > 0,

    undecidedUnits: ({ chain, address, asset, height }) => sum(UNDECIDED, [chain, address, asset, height]),

    async lastMovedAt({ chain, address }) {
      const rows = await sql.query<{ height: string | null }>(LAST_MOVED, [chain, address]);
      const { height } = theOnly(rows, `last transfer at ${address}`);
      return height === null ? null : Number(height);
    },

    coverable: ({ id, chain, address, asset }) => sum(COVERABLE, [id, chain, address, asset]),

    async cover({ id, chain, address, asset }) {
      await sql.query(COVER, [id, chain, address, asset]);
      return sum(COVERED, [id, chain, address, asset]);
    },

    async uncover({ id, chain, address, asset }) {
      await sql.query(UNCOVER, [id, chain, address, asset]);
    },
  };
}
