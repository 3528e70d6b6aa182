/** The audit log on a real PostgreSQL: its contract, and that nobody changes it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { StatementRefused } from '../../../../src/adapters/postgres/client/pg-errors.ts';
import { postgresOperatorQueries } from '../../../../src/adapters/postgres/operator-queries.ts';
import { postgresUnitOfWork } from '../../../../src/adapters/postgres/unit-of-work.ts';
import { describeAuditLog } from '../../../contracts/audit/audit-log.ts';
import { describeSnapshots } from '../../../contracts/audit/snapshots.ts';
import { anId, NOW } from '../../../support/builders.ts';
import { postgresAvailable, type TestDatabase, testDatabase } from '../../../support/postgres/postgres.ts';
import { needs } from '../../../support/runtime/needs.ts';

async function open() {
  const { database, drop } = await testDatabase();
  return {
    unitOfWork: postgresUnitOfWork(database),
    operatorQueries: postgresOperatorQueries(database),
    close: drop,
  };
}

describe.skipIf(!needs('postgres', postgresAvailable()))('postgres audit log', () => {
  describeAuditLog('postgres', open);
  describeSnapshots('postgres', open, { transactions: 'at once' });

  describe('what the database refuses', () => {
    let opened: TestDatabase;
    beforeAll(async () => {
      opened = await testDatabase();
      await postgresUnitOfWork(opened.database).run(({ audit }) =>
        audit.append({
          ...{ id: anId(), at: NOW, action: 'payout.held', subject: 'payout', subjectId: anId() },
          actor: { kind: 'user', userId: anId(), name: 'ada@shop.example', ip: null },
          ...{ merchantId: null, before: null, after: { status: 'pending' } },
        }),
      );
    }, 120_000);
    afterAll(() => opened.drop());

    async function refusedBy(statement: string): Promise<string | null> {
      try {
        await opened.database.transaction((sql) => sql.script(statement));
      } catch (error) {
        if (error instanceof StatementRefused) return error.constraint;
        throw error;
      }
      return null;
    }
    const count = async () =>
      (await opened.database.query('select id from audit_log where actor_name = $1', ['ada@shop.example']))
        .length;

    test.each([
      `update audit_log set actor_name = 'somebody else'`,
      `update audit_log set id = id`,
      `delete from audit_log`,
      `truncate audit_log`,
      `truncate audit_log cascade`,
      // A load of rows turns ordinary triggers off.
      `set local session_replication_role = replica; update audit_log set note = 'changed'`,
      `set local session_replication_role = replica; delete from audit_log`,
      `set local session_replication_role = replica; truncate audit_log`,
      `insert into audit_log select * from audit_log on conflict (id) do update set note = 'changed'`,
    ])('D1: nothing changes or deletes an entry: %s', async (statement) => {
      expect(await refusedBy(statement)).toBe('audit_log_is_append_only');
      expect(await count()).toBe(1);
    });

    const copy = (change: string) =>
      `create temp table copied on commit drop as select * from audit_log limit 1;
       update copied set id = '${anId()}'; update copied set ${change};
       insert into audit_log select * from copied`;
    test.each([
      [`id = 'short'`, 'audit_log_id'],
      [`actor_kind = 'stranger', actor_user_id = null`, 'audit_log_actor_kind'],
      [`actor_user_id = null`, 'audit_log_actor'],
      [`actor_kind = 'script'`, 'audit_log_actor'],
      [`actor_name = ''`, 'audit_log_actor_name'],
      [`action = 'Held it'`, 'audit_log_action'],
      [`action = 'held'`, 'audit_log_action'],
      [`subject = 'weather'`, 'audit_log_subject'],
    ])('an entry that cannot be is not stored: %s', async (change, constraint) => {
      expect(await refusedBy(copy(change))).toBe(constraint);
    });
  });
});
