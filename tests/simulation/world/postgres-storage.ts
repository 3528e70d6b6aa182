/**
 * The tier of truth: the repositories on a real PostgreSQL, with one connection. A new history
 * begins on the tables as they were migrated.
 */
import { type Database, openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { databaseOn } from '../../../src/compose/database.ts';
import { INVOICE_STATUSES, isDelivered } from '../../../src/domain/invoices/invoice.ts';
import { LAWS } from '../../support/ledger/ledger-laws.ts';
import { AUDIT_LOG, emptying, tableNames } from '../../support/postgres/empty-tables.ts';
import { createPostgresServer } from '../../support/postgres/postgres-server.ts';
import { makeTemplate } from '../../support/postgres/postgres-template.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import type { Books, Broken, Restless } from './laws.ts';
import { storageOf } from './storage.ts';
import { NOT_ASKED, SERIAL_PACE, type Storage } from './storages.ts';

const RESTLESS = `
  select 'payout' as what, id, concat_ws(', ', status, waiting_code) as status, asset from payouts where status in ('pending', 'processing')
  union all select 'transfer ' || purpose, id, status, chain from outgoing_transfers where status in ('allocated', 'signed')
  union all select 'deposit', id, status, asset from deposits d where status = 'confirming' or (status = 'arrived'
    and not exists (select from invoices i join deposits h on h.invoice_id = i.id and h.status = 'held'
      where i.id = d.invoice_id and i.status = 'high_risk' and i.pending_units < i.deferral_units))
  union all select 'webhook', delivery_id::text, '', '' from webhook_queue
  order by 1, 2 limit 200`;

const TOLD = INVOICE_STATUSES.filter(isDelivered)
  .map((status) => `'${status}'`)
  .join(', ');

const IDS = {
  held: `select id from deposits where status = 'held' order by id`,
  stray: `select id from deposits where status = 'stray' order by id`,
  'open payouts': `select id from payouts where status in ('pending', 'processing') order by id`,
  'restored payouts': `select id from payouts where status = 'pending' and held_code in ('restored', 'restored_held') order by id`,
  'failed payouts': `select id from payouts where status = 'failed' order by id`,
  signed: 'select txid as id from signed_transactions order by txid',
} as const;

export async function postgresStorage(url: string): Promise<Storage> {
  const database = openDatabase({ url, poolSize: 1, queryTimeoutMs: 60_000, logger: silentLogger });
  const composed = {
    ...databaseOn(database, { lists: database, sendsMails: false }),
    close: async () => undefined,
  };
  return {
    ...(await postgresBooks(database)),
    pace: SERIAL_PACE,
    databaseOf: (parts, process) => storageOf(parts, process, composed),
    close: () => database.close(),
  };
}

/** What a history asks of a database, and how it is emptied. */
export async function postgresBooks(
  database: Database,
): Promise<Omit<Storage, 'pace' | 'databaseOf' | 'close'>> {
  const tables = await tableNames(database);
  await allowEmptying(database);
  const refill = await seededRows(database, tables);
  const copy = await copies(database, tables);
  const deleted = tables.filter((name) => name !== AUDIT_LOG);
  const empty = emptying(deleted, `truncate ${AUDIT_LOG}; ${refill} ${FIRST_NUMBERS}`);
  const books: Books = {
    async brokenLaws() {
      const broken: Broken[] = [];
      for (const [law, text] of Object.entries(LAWS)) {
        if (law === NOT_ASKED) continue;
        const rows = await database.query(text);
        if (rows.length > 0) broken.push({ law, what: [...rows].slice(0, 5) });
      }
      return broken;
    },
    restless: () => database.query<Restless>(RESTLESS),
    async payoutsTo(address) {
      const rows = await database.query<{ id: string; status: string; sent: string | null }>(
        'select id, status, sent_units as sent from payouts where address in ($1, lower($1)) order by id',
        [address],
      );
      return rows.map(({ id, status, sent }) => ({
        id,
        status,
        sentUnits: sent === null ? null : BigInt(sent),
      }));
    },
    addresses: async () =>
      (await database.query<{ address: string }>('select address from addresses order by 1')).map(
        ({ address }) => address,
      ),
    async depositStatus(txid) {
      const [row] = await database.query<{ status: string }>('select status from deposits where txid = $1', [
        txid,
      ]);
      return row?.status ?? null;
    },
    toldInvoices: () =>
      database.query<{ id: string; status: string }>(
        `select id, status from invoices where status in (${TOLD}) order by id`,
      ),
  };
  return {
    unitOfWork: postgresUnitOfWork(database),
    books,
    idsOf: async (what) => (await database.query<{ id: string }>(IDS[what])).map(({ id }) => id),
    tellTo: () => undefined,
    watch: () => undefined,
    brokenOnTheWay: () => [],
    copy,
    empty: () => database.script(empty),
  };
}

const FIRST_NUMBERS = `select setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
  from pg_sequences where schemaname = 'public';`;

/** The audit log refuses to be emptied, even by a superuser. Here every history has a new one. */
async function allowEmptying(database: Database): Promise<void> {
  const triggers = await database.query<{ name: string }>(
    `select tgname as name from pg_trigger where tgrelid = 'audit_log'::regclass and tgtype & 32 <> 0`,
  );
  for (const { name } of triggers) await database.script(`drop trigger "${name}" on audit_log`);
}

/** Statements that insert again what migrations inserted. */
async function seededRows(database: Database, tables: readonly string[]): Promise<string> {
  await database.script('create schema if not exists migrated');
  let refill = '';
  for (const name of tables) {
    const [row] = await database.query<{ n: string }>(`select count(*) as n from "${name}"`);
    if (row?.n === '0') continue;
    await database.script(`create table if not exists migrated."${name}" as table "${name}"`);
    refill += `insert into "${name}" select * from migrated."${name}"; `;
  }
  return refill;
}

const COLUMNS = `
  select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
  where attrelid = format('public.%I', $1::text)::regclass and attnum > 0 and not attisdropped and attgenerated = ''`;

/** For Storage.copy: the rows in tables of another schema. */
async function copies(database: Database, names: readonly string[]): Promise<Storage['copy']> {
  const tables: { name: string; columns: string }[] = [];
  for (const name of names) {
    const [row] = await database.query<{ columns: string }>(COLUMNS, [name]);
    tables.push({ name, columns: row?.columns ?? '' });
  }
  await database.script('drop schema if exists copied cascade; create schema copied');
  for (const { name } of tables)
    await database.script(`create unlogged table copied."${name}" (like public."${name}")`);
  const take = tables
    .map(
      ({ name }) =>
        `delete from copied."${name}"; insert into copied."${name}" select * from public."${name}"`,
    )
    .join('; ');
  const putBack = [
    `set session_replication_role = replica; truncate ${AUDIT_LOG}`,
    ...tables.map(
      ({ name, columns }) =>
        `delete from public."${name}"; insert into public."${name}" (${columns}) overriding system value select ${columns} from copied."${name}"`,
    ),
    'set session_replication_role = origin',
  ].join('; ');
  return async () => {
    await database.script(take);
    return () => database.script(putBack);
  };
}

/** A server for a run of histories, gone with this process. */
export async function ownPostgres(
  settings: readonly string[] = [],
): Promise<{ readonly url: string; destroy(): Promise<void> }> {
  const server = await createPostgresServer({
    under: '/dev/shm',
    settings: ['plan_cache_mode=force_generic_plan', ...settings],
  });
  const name = await makeTemplate(server);
  return { url: server.url(name), destroy: () => server.destroy() };
}
