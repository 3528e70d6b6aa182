/** The use case of a statement: which months there are, and that its lines lead to its balance. */
import { describe, expect, test } from 'bun:test';
import { statementOf, totalsOf } from '../../../src/app/console/statement.ts';
import { monthFrom, type StatementLine } from '../../../src/domain/console/statement.ts';

const MARCH = monthFrom('2026-03') ?? { year: 0, month: 1 };
const SCOPE = { merchantId: '0190f3a1b2c30a1b2c3d4e01', sandbox: false };

/** A month whose lines are 1 USD each, numbered from 6 on. */
function statement(now: string, { lines = 1_200, missing = 0n } = {}) {
  const asked: number[] = [];
  const make = statementOf({
    clock: { now: () => new Date(now) },
    queries: {
      brand: async (id: string) => (id === SCOPE.merchantId ? { name: 'Shop', legalName: null } : null),
    },
    consoleQueries: {
      statementFrame: async () => ({
        ...{ openingMicroUsd: 7n, closingMicroUsd: 7n + BigInt(lines) * 1_000_000n + missing },
        ...{ after: 5, last: 5 + lines },
      }),
      async statementLines(_scope: unknown, of: { after: number; last: number; limit: number }) {
        asked.push(of.after);
        const count = Math.min(of.limit, of.last - of.after);
        return Array.from(
          { length: count },
          (_, place): StatementLine => ({
            ...{ seq: of.after + 1 + place, at: new Date(now), entry: 'income', referenceId: 'a' },
            ...{ asset: 'usdt_tron', units: 1n, feeMicroUsd: 0n, netMicroUsd: 1_000_000n },
          }),
        );
      },
    },
  } as never);
  return { make: () => make(SCOPE, MARCH), asked, of: make };
}

describe('a statement', () => {
  test('has every line once, read in batches', async () => {
    const { make, asked } = statement('2026-04-01T00:00:00Z');
    const made = await make();
    if (made === null) throw new Error('it was not made');
    const [income] = await totalsOf(made);
    expect(income).toMatchObject({ count: 1_200, netMicroUsd: 1_200_000_000n });
    expect([made.count, asked]).toEqual([1_200, [5, 505, 1_005]]);
  });

  test('fails where its lines do not lead to the balance at its end', async () => {
    const made = await statement('2026-04-01T00:00:00Z', { missing: 1n }).make();
    if (made === null) throw new Error('it was not made');
    await expect(totalsOf(made)).rejects.toThrow('a statement ends at');
  });

  test('is complete once its month is over, and there is none before the month begins', async () => {
    const complete = async (now: string) => (await statement(now).make())?.isComplete ?? null;
    expect(await complete('2026-02-28T23:59:59Z')).toBeNull();
    expect(await complete('2026-03-01T00:00:00Z')).toBe(false);
    expect(await complete('2026-03-31T23:59:59Z')).toBe(false);
    expect(await complete('2026-04-01T00:00:00Z')).toBe(true);
  });

  test('is of a merchant that there is', async () => {
    const { of } = statement('2026-04-01T00:00:00Z');
    expect(await of({ ...SCOPE, merchantId: '0'.repeat(24) }, MARCH)).toBeNull();
  });
});
