/** Sweeps inside a transaction, and the deposits that each of them moves. */
import type { SweepRepository } from '../../ports/treasury-repositories.ts';
import type { Sql } from './client.ts';
import type { SqlParameter } from './parameters.ts';
import { inOrder, insertInto, theOnly, updateById } from './statements.ts';
import {
  IS_ACTIVE_SWEEP,
  IS_OPEN_SWEEP,
  isUndecided,
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
const CHANGEABLE = ['status', 'forced', 'units', 'topup_id', 'transfer_id', 'reason', 'ended_at'] as const;
const SAVE = `${updateById('sweeps', CHANGEABLE)} returning id`;

const UNDECIDED = `select from deposits d where d.chain = $1 and d.address = $2 and ${isUndecided('d')} limit 1`;
const COVER = `
  update deposits set swept_by = $1 where id in (
    select d.id from deposits d
    where d.chain = $2 and d.address = $3 and d.asset = $4 and d.status = 'credited'
      and (d.swept_by is null or exists (select from sweeps s where s.id = d.swept_by and s.status = 'failed'))
    order by d.id for no key update)`;
const COVERED = `
  select coalesce(sum(units), 0)::text as units from deposits
  where chain = $2 and address = $3 and asset = $4 and swept_by = $1 and status = 'credited'`;
const UNCOVER = `
  update deposits set swept_by = null where id in (
    select id from deposits where chain = $2 and address = $3 and asset = $4 and swept_by = $1
    order by id for no key update)`;

export function sweepRepository(sql: Sql): SweepRepository {
  const many = async (where: string, parameters: readonly SqlParameter[]) =>
    (await sql.query<SweepRow>(`${SELECT} ${where}`, parameters)).map(sweepFromRow);

  return {
    async plan(sweep) {
      const rows = await sql.query<{ id: string }>(PLAN, [...inOrder(sweepToRow(sweep), SWEEP_COLUMNS)]);
      return rows[0]?.id === sweep.id;
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

    openAt: ({ chain, address }) =>
      many(`where chain = $1 and address = $2 and ${IS_OPEN_SWEEP} order by id`, [chain, address]),

    async countActive(chain) {
      const rows = await sql.query<{ count: string }>(
        `select count(*) as count from sweeps where chain = $1 and ${IS_ACTIVE_SWEEP}`,
        [chain],
      );
      return Number(theOnly(rows, `active sweeps of ${chain}`).count);
    },

    async cover({ id, chain, address, asset }) {
      if ((await sql.query(UNDECIDED, [chain, address])).length > 0) return null;
      const key = [id, chain, address, asset];
      await sql.query(COVER, key);
      return BigInt(theOnly(await sql.query<{ units: string }>(COVERED, key), `deposits of ${id}`).units);
    },

    async uncover({ id, chain, address, asset }) {
      await sql.query(UNCOVER, [id, chain, address, asset]);
    },
  };
}
