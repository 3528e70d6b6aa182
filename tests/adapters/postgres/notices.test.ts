/** Notices to operators and the record of backups, on a real PostgreSQL. */
import { describe } from 'bun:test';
import { postgresOperatorQueries } from '../../../src/adapters/postgres/operator-queries.ts';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { describeBackupRecord } from '../../contracts/notices/backup-record.ts';
import { describeOperatorNotices } from '../../contracts/notices/operator-notice-repository.ts';
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
  describeBackupRecord('postgres', open);
});
