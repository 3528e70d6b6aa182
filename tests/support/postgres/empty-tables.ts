/**
 * Empties tables by `delete`: `truncate` makes new files for each table and index, and every
 * session then plans all of its statements anew.
 */
import type { Database } from '../../../src/adapters/postgres/client/client.ts';

/**
 * Tables of ours with rows of their own. What triggers write comes last: some always fire, with the
 * rows of others.
 */
const TABLES = `
  select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname <> 'schema_migrations'
  order by c.relname ~ '^(list_count|day_figure|invoice_emails)', c.relname`;

/** Its rows cannot be deleted one by one, even with triggers off. */
export const AUDIT_LOG = 'audit_log';
const FILLED_BY_MIGRATIONS = 'signing_switch';

export async function tableNames(database: Database): Promise<readonly string[]> {
  return (await database.query<{ name: string }>(TABLES)).map(({ name }) => name);
}

/** A script that leaves no row, and writes `refill` instead. Triggers and foreign keys are off. */
export function emptying(tables: readonly string[], refill = ''): string {
  const deletes = tables.map((name) => `delete from public."${name}";`).join(' ');
  return `begin; set local session_replication_role = replica; ${deletes} ${refill} commit;`;
}

/** Empties them all but the audit log and what migrations fill. */
export async function emptyTables(database: Database): Promise<void> {
  const names = await tableNames(database);
  await database.script(
    emptying(names.filter((name) => name !== AUDIT_LOG && name !== FILLED_BY_MIGRATIONS)),
  );
}
