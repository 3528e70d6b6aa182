/** The contract of AuditRepository and AuditQueries. */
import { describe, expect, test } from 'bun:test';
import type { Actor, AuditEntry } from '../../../src/domain/audit/audit-entry.ts';
import type { AuditFilter, AuditQueries } from '../../../src/ports/audit/audit-log.ts';
import { anId, NOW, secondsAfter } from '../../support/builders.ts';
import { type Opened, openedFor } from '../opened.ts';

export interface OpenedAudit extends Opened {
  readonly operatorQueries: AuditQueries;
}

const ADA: Actor = { kind: 'user', userId: anId(), name: 'Ada@shop.example', ip: '203.0.113.9' };
const ROOT: Actor = { kind: 'script', userId: null, name: 'root on db-1', ip: null };
const ALL: AuditFilter = {
  ...{ merchantId: null, subject: null, subjectId: null, actor: null, action: null, from: null, to: null },
};

export function describeAuditLog(name: string, open: () => Promise<OpenedAudit>): void {
  describe(`${name}: the audit log`, () => {
    const storage = openedFor(open);

    async function appended(given: Partial<AuditEntry> = {}): Promise<AuditEntry> {
      const entry: AuditEntry = {
        ...{ id: anId(), at: NOW, actor: ROOT, action: 'payout.held', subject: 'payout', subjectId: anId() },
        ...{ merchantId: null, note: null, before: null, after: null },
        ...given,
      };
      await storage.run(({ audit }) => audit.append(entry));
      return entry;
    }
    const entries = (filter: Partial<AuditFilter>, page: { before?: string; limit?: number } = {}) =>
      storage
        .ports()
        .operatorQueries.auditEntries(
          { ...ALL, ...filter },
          { before: page.before ?? null, limit: page.limit ?? 10 },
        );

    test('an entry is read as it was written', async () => {
      const subjectId = anId();
      const written = await appended({
        ...{ actor: ADA, subjectId, merchantId: anId(), note: 'as they asked by phone' },
        ...{ before: { status: 'pending', units: '90071992547409931', held: null } },
        ...{
          after: { status: 'pending', held: { code: 'operator', text: 'a "reason"' }, more: ['a', 1, true] },
        },
      });
      expect(await entries({ subject: 'payout', subjectId })).toEqual([written]);
    });

    test('a note may be left out', async () => {
      const subjectId = anId();
      const { note: _, ...entry } = await appended({ subjectId });
      const again = { ...entry, id: anId() };
      await storage.run(({ audit }) => audit.append(again));
      expect((await entries({ subject: 'payout', subjectId }))[0]).toEqual({ ...again, note: null });
    });

    test('pages have the newest first, and each entry once', async () => {
      const merchantId = anId();
      const written: AuditEntry[] = [];
      for (let nth = 0; nth < 5; nth += 1) written.unshift(await appended({ merchantId }));
      await appended({ merchantId: anId() });
      const [first, second] = [written.slice(0, 3), written.slice(3)];
      expect(await entries({ merchantId }, { limit: 3 })).toEqual(first);
      expect(await entries({ merchantId }, { before: first[2]?.id ?? '', limit: 3 })).toEqual(second);
      expect(await entries({ merchantId }, { before: second[1]?.id ?? '', limit: 3 })).toEqual([]);
    });

    test('every filter finds what it says, also beside others', async () => {
      const merchantId = anId();
      const key = await appended({
        ...{ merchantId, action: 'api_key.rotated', subject: 'api_key', subjectId: merchantId, actor: ADA },
      });
      const held = await appended({ merchantId, at: secondsAfter(60) });
      const released = await appended({ merchantId, action: 'payout.released', at: secondsAfter(120) });
      const found: [Partial<AuditFilter>, AuditEntry[]][] = [
        [{}, [released, held, key]],
        [{ subject: 'api_key' }, [key]],
        [{ subject: 'payout', subjectId: held.subjectId }, [held]],
        [{ subjectId: held.subjectId }, [held]],
        [{ actor: 'ada@SHOP' }, [key]],
        [{ actor: 'on db' }, [released, held]],
        [{ actor: '%' }, []],
        [{ action: 'payout' }, [released, held]],
        [{ action: 'payout.released' }, [released]],
        [{ action: 'pay' }, []],
        [{ from: secondsAfter(60) }, [released, held]],
        [{ to: secondsAfter(60) }, [held, key]],
        [{ from: secondsAfter(61), to: secondsAfter(119) }, []],
        [{ action: 'payout', to: secondsAfter(60), actor: 'root' }, [held]],
      ];
      for (const [filter, expected] of found)
        expect({ filter, found: await entries({ merchantId, ...filter }) }).toEqual({
          filter,
          found: expected,
        });
      expect(await entries({ subject: 'payout', subjectId: held.subjectId, merchantId: anId() })).toEqual([]);
      expect((await entries({}, { limit: 1 }))[0]).toEqual(released);
    });

    test('a page looks at a bounded number of entries, and says where to go on', async () => {
      const merchantId = anId();
      const rare = await appended({ merchantId, action: 'payout.released' });
      const others: AuditEntry[] = [];
      for (let nth = 0; nth < 5; nth += 1) others.unshift(await appended({ merchantId }));
      const page = (action: string | null, before: string | null, looks: number) =>
        storage
          .ports()
          .operatorQueries.auditPage({ ...ALL, merchantId, action }, { before, looks, limit: 2 });
      const id = (nth: number): string => others[nth]?.id ?? '';
      expect(await page('payout.released', null, 3)).toEqual({ entries: [], older: id(2) });
      expect(await page('payout.released', id(2), 3)).toEqual({ entries: [rare], older: rare.id });
      expect(await page('payout.released', rare.id, 3)).toEqual({ entries: [], older: null });
      expect(await page('nothing', null, 100)).toEqual({ entries: [], older: null });
      expect(await page(null, null, 100)).toEqual({ entries: others.slice(0, 2), older: id(1) });
    });

    test('an entry of a transaction that is rolled back is not there', async () => {
      const subjectId = anId();
      const rolledBack = new Error('rolled back');
      const run = storage.run(async ({ audit }) => {
        await audit.append({
          ...{ id: anId(), at: NOW, actor: ROOT, action: 'payout.held', subject: 'payout', subjectId },
          ...{ merchantId: null, before: null, after: null },
        });
        throw rolledBack;
      });
      expect(run).rejects.toBe(rolledBack);
      await run.catch(() => undefined);
      expect(await entries({ subject: 'payout', subjectId })).toEqual([]);
    });
  });
}
