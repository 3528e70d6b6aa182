/** The whole log is read in pages, and each entry comes once. */
import { expect, test } from 'bun:test';
import { EVERY_ENTRY, exportedEntries } from '../../../src/app/audit/exported-entries.ts';
import type { AuditEntry } from '../../../src/domain/audit/audit-entry.ts';
import type { AuditQueries } from '../../../src/ports/audit/audit-log.ts';
import { anId, NOW } from '../../support/builders.ts';

function entry(): AuditEntry {
  return {
    ...{ id: anId(), at: NOW, action: 'payout.held', subject: 'payout', subjectId: anId(), merchantId: null },
    ...{ actor: { kind: 'script', userId: null, name: 'root on db-1', ip: null }, before: null, after: null },
  };
}

/** Holds `count` entries, and notes how many were asked for at a time. */
function log(count: number) {
  const entries = Array.from({ length: count }, entry).toReversed();
  const asked: number[] = [];
  const queries: Pick<AuditQueries, 'auditEntries'> = {
    async auditEntries(_filter, { before, limit }) {
      asked.push(limit);
      return entries.filter(({ id }) => before === null || id < before).slice(0, limit);
    },
  };
  return { entries, asked, queries };
}

test.each([0, 1, 999, 1_000, 1_001, 2_500])('of %d entries each comes once, newest first', async (count) => {
  const { entries, asked, queries } = log(count);
  const read: string[] = [];
  for await (const page of exportedEntries(queries, EVERY_ENTRY)) {
    expect(page.length).toBeWithin(1, 1_001);
    read.push(...page.map(({ id }) => id));
  }
  expect(read).toEqual(entries.map(({ id }) => id));
  expect(asked).toEqual(Array.from({ length: Math.floor(count / 1_000) + 1 }, () => 1_000));
});

test('nothing is read before the page before it was taken', async () => {
  const { asked, queries } = log(2_500);
  const pages = exportedEntries(queries, EVERY_ENTRY);
  await pages.next();
  await Bun.sleep(5);
  expect(asked).toHaveLength(1);
});
