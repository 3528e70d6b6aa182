/** A database as it was before a migration, for tests of what that does to the rows it finds. */
import { cpSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../src/adapters/postgres/client/client.ts';
import { migrate } from '../../../src/adapters/postgres/client/migrate.ts';
import type { Merchant } from '../../../src/domain/merchants/merchant.ts';
import { aMerchant } from '../builders.ts';
import { temporaryDirectory } from '../runtime/temp-directory.ts';
import { type TestDatabase, testDatabase } from './postgres.ts';

export const MIGRATIONS = join(import.meta.dir, '..', '..', '..', 'drizzle');

/** Migrated with all that were shipped before `tag`. */
export async function migratedBefore(tag: string): Promise<TestDatabase> {
  const held = await testDatabase({ migrate: false });
  const folder = await temporaryDirectory();
  cpSync(MIGRATIONS, folder.path, { recursive: true });
  const path = join(folder.path, 'meta', '_journal.json');
  const journal: { entries: { tag: string }[] } = await Bun.file(path).json();
  const entries = journal.entries.filter((entry) => entry.tag < tag);
  await writeFile(path, JSON.stringify({ ...journal, entries }));
  await migrate(held.database, { directory: folder.path });
  await folder.remove();
  return held;
}

/** A merchant as the first of all migrations has them, with the lists of then. */
export async function merchantOfThen(database: Database): Promise<Merchant> {
  const merchant = aMerchant();
  await database.query(
    `with merchant as (
       insert into merchants (id, name, status, kyc, default_fee_bearer, commission_ppm, allowed_subnets, created_at)
       values ($1, $2, 'active', 'approved', 'client', 10000, '{}', $3) returning id),
     numbers as (
       insert into counters (merchant_id, sandbox, stream, value, last_at)
       select id, sandbox, stream, 0, to_timestamp(0) from merchant, unnest(array[false, true]) sandbox,
         unnest(array['invoices', 'payouts', 'ledger', 'notifications']) stream)
     insert into balances (merchant_id, sandbox, income_micro_usd, payouts_micro_usd, refunds_micro_usd)
     select id, sandbox, 0, 0, 0 from merchant, unnest(array[false, true]) sandbox`,
    [merchant.id, merchant.name, merchant.createdAt],
  );
  return merchant;
}
