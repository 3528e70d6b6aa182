/** Notices to operators and the record of backups, on a real PostgreSQL. */
import { describe, expect, test } from 'bun:test';
import { postgresOperatorQueries } from '../../../src/adapters/postgres/operator-queries.ts';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { describeOperatorNotices } from '../../contracts/notices/operator-notice-repository.ts';
import { NOW } from '../../support/builders.ts';
import { postgresAvailable, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

async function open() {
  const { database, drop } = await testDatabase();
  return {
    unitOfWork: postgresUnitOfWork(database),
    operatorQueries: postgresOperatorQueries(database),
    close: drop,
  };
}

describe.skipIf(!needs('postgres', postgresAvailable()))('notices in PostgreSQL', () => {
  describeOperatorNotices('postgres', open);

  test('the newest backup is known, and there may be none', async () => {
    const { unitOfWork, operatorQueries, close } = await open();
    expect(await operatorQueries.newestBackup()).toBeNull();
    expect((await operatorQueries.metrics(NOW)).newestBackupAt).toBeNull();
    for (const kind of ['noted', 'made'] as const)
      await unitOfWork.run(({ backups }) => backups.note({ at: NOW, kind }));
    expect(await operatorQueries.newestBackup()).toEqual({ at: NOW, kind: 'made' });
    expect((await operatorQueries.metrics(NOW)).newestBackupAt).toEqual(NOW);
    await close();
  });
});
