/**
 * What a piece of work leaves in the database and in its write-ahead log, by table and by index.
 * Full images of pages, which the first change of a page after a checkpoint writes, are told apart.
 */
import type { SQL } from 'bun';

export interface RelationGrowth {
  readonly table: string;
  /** Null for the rows themselves, with their long values. */
  readonly index: string | null;
  /** Bytes on disk. */
  readonly size: number;
  /** Bytes in the log, without full pages. */
  readonly log: number;
  readonly fullPages: number;
  /** Of an index: records of the log that changed it. */
  readonly records: number;
  /** Of a table: updates, and those that touched no index. */
  readonly updated: number;
  readonly hot: number;
}

export interface Growth {
  /** Bytes of the log, whole but for full pages, and those. */
  readonly log: number;
  readonly fullPages: number;
  readonly relations: readonly RelationGrowth[];
}

/** `sql` is one connection of a superuser; nothing else writes to the server meanwhile. */
export async function growthOf(sql: SQL, work: () => Promise<unknown>): Promise<Growth> {
  const before = new Map((await sizes(sql)).map((row) => [row.oid, row.size]));
  const from = await position(sql);
  await work();
  const to = await position(sql);
  const logged = new Map((await blocks(sql, from, to)).map((row) => [row.oid, row]));
  const [log] = await sql.unsafe(
    `select coalesce(sum(combined_size), 0)::float8 as log, coalesce(sum(fpi_size), 0)::float8 as pages
     from pg_get_wal_stats('${from}', '${to}')`,
  );
  return {
    log: log.log - log.pages,
    fullPages: log.pages,
    relations: (await sizes(sql)).map(({ oid, table, index, size }) => ({
      ...(logged.get(oid) ?? NOTHING),
      ...{ table, index, size: size - (before.get(oid) ?? 0) },
    })),
  };
}

/** The same without the log, for work that writes more than the server keeps of it. */
export async function sizeGrowthOf(sql: SQL, work: () => Promise<unknown>): Promise<Growth> {
  const before = new Map((await sizes(sql)).map((row) => [row.oid, row.size]));
  await work();
  const relations = (await sizes(sql)).map(({ oid, table, index, size }) => ({
    ...NOTHING,
    ...{ table, index, size: size - (before.get(oid) ?? 0) },
  }));
  return { log: 0, fullPages: 0, relations };
}

/** Of works that followed each other. */
export function together(all: readonly Growth[]): Growth {
  const relations = new Map<string, RelationGrowth>();
  for (const each of all.flatMap((growth) => growth.relations)) {
    const key = each.index ?? each.table;
    const sum = relations.get(key);
    relations.set(key, sum ? added(sum, each) : each);
  }
  return {
    log: all.reduce((sum, { log }) => sum + log, 0),
    fullPages: all.reduce((sum, { fullPages }) => sum + fullPages, 0),
    relations: [...relations.values()],
  };
}

export function added(one: RelationGrowth, other: RelationGrowth): RelationGrowth {
  return {
    ...one,
    size: one.size + other.size,
    log: one.log + other.log,
    fullPages: one.fullPages + other.fullPages,
    records: one.records + other.records,
    updated: one.updated + other.updated,
    hot: one.hot + other.hot,
  };
}

const NOTHING = { log: 0, fullPages: 0, records: 0, updated: 0, hot: 0 };

/** A record of its own, since the log may not be read from its very end. */
async function position(sql: SQL): Promise<string> {
  await sql.unsafe(`select pg_logical_emit_message(true, 'bench', '')`);
  const [row] = await sql.unsafe('select pg_current_wal_flush_lsn()::text as at');
  return row.at;
}

function sizes(sql: SQL): Promise<{ oid: number; table: string; index: string | null; size: number }[]> {
  return sql.unsafe(`
    select c.oid::int as oid, coalesce(t.relname, c.relname) as table, case when t.oid is not null then c.relname end as index,
      pg_table_size(c.oid)::float8 as size
    from pg_class c left join pg_index x on x.indexrelid = c.oid left join pg_class t on t.oid = x.indrelid
    where c.relkind in ('r', 'i') and c.relnamespace = 'public'::regnamespace`);
}

type Written = Pick<RelationGrowth, 'log' | 'fullPages' | 'records' | 'updated' | 'hot'>;

/** Long values count with their table. */
function blocks(sql: SQL, from: string, to: string): Promise<(Written & { oid: number })[]> {
  return sql.unsafe(`
    select coalesce(o.oid, c.oid)::int as oid, sum(w.block_data_length)::float8 as log,
      sum(w.block_fpi_length)::float8 as "fullPages", count(*)::float8 as records,
      count(*) filter (where w.block_id = 0 and w.record_type ~ '^(HOT_)?UPDATE')::float8 as updated,
      count(*) filter (where w.block_id = 0 and w.record_type ~ '^HOT_UPDATE')::float8 as hot
    from pg_get_wal_block_info('${from}', '${to}', false) w
    join pg_class c on c.relfilenode = w.relfilenode left join pg_class o on o.reltoastrelid = c.oid
    where w.reldatabase = (select oid from pg_database where datname = current_database())
    group by 1`);
}
