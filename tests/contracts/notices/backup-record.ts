/** The contract of BackupRecordRepository, and of what operators read of it. */
import { describe, expect, test } from 'bun:test';
import type { OperatorQueries } from '../../../src/ports/operator-queries.ts';
import { NOW, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

interface OpenedBackups extends Opened {
  readonly operatorQueries: Pick<OperatorQueries, 'newestBackup' | 'metrics'>;
}

export function describeBackupRecord(name: string, open: () => Promise<OpenedBackups>): void {
  describe(`${name}: the record of backups`, () => {
    const storage = openedFor(open);

    test('the newest backup is known, and there may be none', async () => {
      const { operatorQueries } = storage.ports();
      expect(await operatorQueries.newestBackup()).toBeNull();
      expect((await operatorQueries.metrics(NOW)).newestBackupAt).toBeNull();
      for (const backup of [
        { at: NOW, kind: 'noted' },
        { at: secondsAfter(5), kind: 'made' },
      ] as const) {
        await storage.run(({ backups }) => backups.note(backup));
        expect(await operatorQueries.newestBackup()).toEqual(backup);
        expect((await operatorQueries.metrics(NOW)).newestBackupAt).toEqual(backup.at);
      }
    });
  });
}
