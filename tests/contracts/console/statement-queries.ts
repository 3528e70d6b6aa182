/** Statements over random entries of several months, compared with sums over the entries. */
import { beforeAll, describe, expect, test } from 'bun:test';
import {
  daysOfMonth,
  grossMicroUsd,
  type Month,
  monthFrom,
  monthOf,
  type StatementLine,
} from '../../../src/domain/console/statement.ts';
import { feeChargedPostings, income, payoutReserved, refund, reversed } from '../../../src/domain/ledger.ts';
import type { StatementQueries } from '../../../src/ports/console/statement-queries.ts';
import type { FeedLine, NewEntry } from '../../../src/ports/ledger-repository.ts';
import type { Scope } from '../../../src/ports/list-queries.ts';
import { anEntry, anId, aPayout } from '../../support/builders.ts';
import { type Seeded, seeded } from '../../support/runtime/seeded.ts';
import { type Opened, openedFor } from '../opened.ts';

export interface OpenedStatements extends Opened {
  readonly consoleQueries: StatementQueries;
}

const START = Date.UTC(2026, 0, 31, 23, 59, 59, 999);
const MONTHS = ['2026-01', '2026-02', '2026-03', '2026-04', '2026-05'].map(
  (text) => monthFrom(text) ?? { year: 0, month: 1 },
);
const HOURS = 3_600_000;

/** An entry, with the fee that its line has. */
interface Made {
  readonly entry: NewEntry;
  readonly fee: bigint;
}

function anyEntry(scope: Scope, at: Date, random: Seeded): Made & { readonly payout: string | null } {
  const micro = BigInt(1_000 + random.int(1_000_000));
  const common = { ...scope, at, referenceId: anId() };
  const line = { asset: 'usdt_ethereum', amountUnits: micro, feeUnits: null, currency: null };
  switch (random.int(4)) {
    case 0: {
      const feed: FeedLine = {
        ...{ ...line, type: 'payout', microUsd: micro + 7n, referenceId: common.referenceId },
      };
      const postings = payoutReserved(micro + 7n);
      return {
        entry: anEntry({ ...common, kind: 'payout_reserved', postings, feed }),
        fee: 7n,
        payout: common.referenceId,
      };
    }
    case 1: {
      const feed: FeedLine = { ...line, type: 'refund', microUsd: micro, referenceId: common.referenceId };
      const entry = anEntry({ ...common, kind: 'refund', postings: refund(micro), feed });
      return { entry, fee: 0n, payout: null };
    }
    case 2: {
      const feed: FeedLine = { ...line, type: 'payout', microUsd: micro, referenceId: common.referenceId };
      const postings = feeChargedPostings(micro);
      return {
        entry: anEntry({ ...common, kind: 'payout_fee_charged', postings, feed }),
        fee: micro,
        payout: null,
      };
    }
    default: {
      const value = { asset: 'usdt_ethereum', creditedUnits: micro * 9n, feeUnits: micro };
      const postings = income({ ...value, receivedMicroUsd: micro * 10n, creditedMicroUsd: micro * 9n });
      const feed: FeedLine = {
        ...{ ...line, type: 'income', amountUnits: micro * 9n, feeUnits: micro, currency: 'USD' },
        ...{ microUsd: micro * 9n, referenceId: common.referenceId },
      };
      return { entry: anEntry({ ...common, kind: 'income', postings, feed }), fee: micro, payout: null };
    }
  }
}

const UNDONE = {
  income: 'income_reversed',
  payout_reserved: 'payout_released',
  refund: 'refund_reversed',
} as const;

function undone({ entry, fee }: Made, at: Date): Made | null {
  const kind = UNDONE[entry.kind as keyof typeof UNDONE];
  const { feed } = entry;
  if (kind === undefined || feed === null) return null;
  const back: FeedLine = {
    ...feed,
    ...{ amountUnits: -feed.amountUnits, microUsd: -feed.microUsd },
    feeUnits: feed.feeUnits === null ? null : -feed.feeUnits,
  };
  return {
    entry: { ...entry, id: anId(), kind, postings: reversed(entry.postings), feed: back, at },
    fee: -fee,
  };
}

export function describeStatementQueries(name: string, open: () => Promise<OpenedStatements>): void {
  describe(`${name}: statements`, () => {
    const storage = openedFor(open);
    let scopes: readonly [Scope, ...Scope[]];
    const made: Made[] = [];

    beforeAll(async () => {
      const random = seeded(31);
      const [one, two] = [await storage.merchant(), await storage.merchant()];
      scopes = [
        { merchantId: one.id, sandbox: false },
        { merchantId: one.id, sandbox: true },
        { merchantId: two.id, sandbox: false },
      ];
      for (const scope of scopes) {
        // Enough that no payout takes the balance below zero.
        const plenty = income({
          ...{ asset: 'usdt_ethereum', creditedUnits: 1n, feeUnits: 0n },
          ...{ receivedMicroUsd: 10n ** 12n, creditedMicroUsd: 10n ** 12n },
        });
        const feed: FeedLine = {
          ...{ type: 'income', asset: 'usdt_ethereum', amountUnits: 1n, feeUnits: 0n, currency: 'USD' },
          ...{ microUsd: 10n ** 12n, referenceId: anId() },
        };
        const at = new Date(START - 40 * 24 * HOURS);
        made.push({ entry: anEntry({ ...scope, kind: 'income', postings: plenty, feed, at }), fee: 0n });
        let time = START;
        for (let n = 0; n < 60; n += 1) {
          const any = anyEntry(scope, new Date(time), random);
          made.push(any);
          if (any.payout !== null)
            await storage.run((r) =>
              r.payouts.insert(aPayout({ ...scope, id: any.payout ?? '', feeMicroUsd: 7n })),
            );
          const back = random.int(3) === 0 ? undone(any, new Date(time + 1)) : null;
          if (back !== null) made.push(back);
          time += 1 + random.int(48) * HOURS;
        }
      }
      await storage.run(async (r) => {
        for (const { entry } of made) await r.ledger.post(entry);
      });
    });

    const owed = (scope: Scope, fits: (entry: NewEntry) => boolean) =>
      made
        .filter(({ entry }) => entry.merchantId === scope.merchantId && entry.sandbox === scope.sandbox)
        .filter(({ entry }) => fits(entry))
        .flatMap(({ entry }) => entry.postings)
        .reduce((sum, { account, amount }) => (account === 'merchant' ? sum - amount : sum), 0n);

    async function read(scope: Scope, month: Month) {
      const queries = storage.ports().consoleQueries;
      const frame = await queries.statementFrame(scope, daysOfMonth(month));
      const lines: StatementLine[] = [];
      for (let { after } = frame; after < frame.last; after = lines.at(-1)?.seq ?? frame.last)
        lines.push(...(await queries.statementLines(scope, { after, last: frame.last, limit: 7 })));
      return { frame, lines };
    }

    test('have every line of the month once, and lead from the balance before to the one after', async () => {
      let all = 0;
      for (const scope of scopes)
        for (const month of MONTHS) {
          const { frame, lines } = await read(scope, month);
          const { year, month: nth } = month;
          const [from, to] = [new Date(Date.UTC(year, nth - 1, 1)), new Date(Date.UTC(year, nth, 1))];
          expect(frame.openingMicroUsd).toBe(owed(scope, ({ at }) => at < from));
          expect(frame.closingMicroUsd).toBe(owed(scope, ({ at }) => at < to));
          const net = lines.reduce((sum, { netMicroUsd }) => sum + netMicroUsd, 0n);
          expect(frame.openingMicroUsd + net).toBe(frame.closingMicroUsd);
          expect(lines).toHaveLength(frame.last - frame.after);
          const wanted = made.filter(
            ({ entry }) =>
              entry.merchantId === scope.merchantId &&
              entry.sandbox === scope.sandbox &&
              monthOf(entry.at).year === year &&
              monthOf(entry.at).month === nth,
          );
          expect(lines.map(({ entry, at, feeMicroUsd }) => ({ entry, at, feeMicroUsd }))).toEqual(
            wanted.map(({ entry, fee }) => ({ entry: entry.kind, at: entry.at, feeMicroUsd: fee })),
          );
          for (const line of lines) expect(grossMicroUsd(line) - line.feeMicroUsd).toBe(line.netMicroUsd);
          all += lines.length;
        }
      // Those of the first income are before all months.
      expect(all).toBe(made.length - scopes.length);
    });

    test('of a month without anything are empty', async () => {
      const { frame, lines } = await read(scopes[0], { year: 2025, month: 6 });
      expect(lines).toEqual([]);
      expect(frame).toEqual({ openingMicroUsd: 0n, closingMicroUsd: 0n, after: 0, last: 0 });
    });
  });
}
