/** A long PDF takes seconds of the processor that answers POST /invoices, too. */
import { expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { statementPdf } from '../../../../../src/adapters/http/console/statements/statement-pdf.ts';
import type { Statement } from '../../../../../src/app/console/statement.ts';
import { AssetCatalog } from '../../../../../src/domain/catalog/asset.ts';
import type { StatementLine } from '../../../../../src/domain/console/statement.ts';

const LINES = 500;
const LINE: StatementLine = {
  ...{ seq: 1, at: new Date('2026-03-02T10:11:12Z'), entry: 'income', referenceId: 'b'.repeat(24) },
  ...{ asset: 'usdt_tron', units: 1n, feeMicroUsd: 0n, netMicroUsd: 1n },
};

function aStatement(lines: Statement['lines']): Statement {
  return {
    ...{ scope: { merchantId: 'a'.repeat(24), sandbox: false }, month: { year: 2026, month: 3 } },
    ...{ isComplete: true, madeAt: new Date('2026-04-01T08:00:00Z'), legalName: null, name: 'Shop' },
    ...{ openingMicroUsd: 0n, closingMicroUsd: BigInt(LINES), count: LINES, lines },
  };
}
const catalog = new AssetCatalog();

test('others have their turn while one is written', async () => {
  let [turns, ended] = [0, false];
  const others = (async () => {
    while (!ended) {
      await setImmediate();
      turns += 1;
    }
  })();
  let before = 0;
  async function* lines() {
    before = turns;
    yield Array.from({ length: LINES }, () => LINE);
    before = turns - before;
  }
  await statementPdf(aStatement(lines), catalog);
  ended = true;
  await others;
  expect(before).toBeGreaterThanOrEqual(LINES / 50 - 1);
});

test('several are written one after the other, also after one that fails', async () => {
  const told: string[] = [];
  const of = (name: string) =>
    async function* () {
      told.push(`${name} begins`);
      await setImmediate();
      yield [LINE];
      told.push(`${name} ends`);
      if (name === 'one') throw new Error('the database is away');
    };
  const all = ['one', 'two', 'three'].map((name) => statementPdf(aStatement(of(name)), catalog));
  const [one, ...others] = await Promise.allSettled(all);
  expect(one?.status).toBe('rejected');
  expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  expect(told).toEqual(['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]));
});
