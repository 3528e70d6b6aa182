/** What the migration "quoted_rent" makes of payouts that were accepted before it: those that were charged for rent may still need it. */
import { expect, test } from 'bun:test';
import journal from '../../../../drizzle/meta/_journal.json';
import { migrate } from '../../../../src/adapters/postgres/client/migrate.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { anId } from '../../../support/builders.ts';
import { MIGRATIONS, merchantOfThen, migratedBefore } from '../../../support/postgres/migrated-before.ts';
import { postgresAvailable } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

const PAYOUT = `
  insert into payouts (id, merchant_id, sandbox, status, tx_hashes, asset, address, amount_units, sent_units, fee_units,
    fee_micro_usd, fee_bearer, amount_micro_usd, reserved_micro_usd, created_at, seq, processed_at)
  values ($1, $2, false, $3, '{}', $4, 'anybody', 5, 5, 1, 1, 'merchant', 5, 6, now(), $5, case $3 when 'pending' then null else now() end)`;

test.skipIf(!needs('postgres', postgresAvailable()))(
  'payouts of tokens on Solana that wait may make an account, and no others may take more than was quoted',
  async () => {
    const tag = journal.entries.find((entry) => entry.tag.endsWith('_quoted_rent'))?.tag ?? '';
    const { database, drop } = await migratedBefore(tag);
    try {
      const { run } = postgresUnitOfWork(database);
      const merchant = await merchantOfThen(database);
      const given = [
        ['usdc_solana', 'pending', 4_000_000n],
        ['sol_solana', 'pending', 0n],
        ['usdc_solana', 'cancelled', 0n],
        ['usdt_ethereum', 'pending', 0n],
      ] as const;
      const ids = given.map(() => anId());
      for (const [position, [asset, status]] of given.entries())
        await database.query(PAYOUT, [ids[position]!, merchant.id, status, asset, position + 1]);
      await migrate(database, { directory: MIGRATIONS });
      const found = await Promise.all(ids.map((id) => run(({ payouts }) => payouts.lock(id))));
      expect(found.map((payout) => payout?.extraGas)).toEqual(given.map(([, , extraGas]) => extraGas));
    } finally {
      await drop();
    }
  },
);
