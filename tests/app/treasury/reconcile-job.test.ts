/** The hourly reconciliation reports that the books disagree, and once that they agree again. */
import { expect, test } from 'bun:test';
import type { TreasuryChain } from '../../../src/app/sweeps/sweep-needs.ts';
import { lastReconciliation, reconcileJob, walkBooksJob } from '../../../src/app/treasury/reconcile.ts';
import type { ReconciliationFault } from '../../../src/ports/treasury/book-checks.ts';
import { NOW } from '../../support/builders.ts';
import { type LogLine, memoryLogger } from '../../support/runtime/memory-logger.ts';

let open: unknown[] = [];
const REPOSITORIES = {
  reconciliations: { append: async () => undefined, forgetBefore: async () => undefined },
  operatorNotices: { openOf: async (event: string) => (event === 'books.disagree' ? open : []) },
};

test('the end of a disagreement is reported once, and only when all could be compared', async () => {
  const lines: LogLine[] = [];
  const fault: ReconciliationFault = { check: 'sum', reference: 'x', expected: '0', found: '1' };
  let faults: readonly ReconciliationFault[] = [];
  const needs = {
    ...{ logger: memoryLogger(lines), ids: { id: () => '0' }, clock: { now: () => NOW } },
    operatorQueries: { newFaults: async () => faults },
    unitOfWork: { run: async (work: (on: unknown) => unknown) => work(REPOSITORIES) },
  };
  const chains: readonly TreasuryChain[] = [];
  const job = reconcileJob(
    needs as unknown as Parameters<typeof reconcileJob>[0],
    chains,
    lastReconciliation(),
  );
  const events = [];
  for (const found of [[], [fault], [fault], [], []]) {
    faults = found;
    lines.length = 0;
    await job.run();
    const told = lines.map(({ event }) => event).join();
    events.push(told);
    // As the recorder of notices does.
    if (told !== '') open = told === 'books.disagree' ? [{}] : [];
  }
  expect(events).toEqual(['', 'books.disagree', 'books.disagree', 'books.agree', '']);
  // A process that is gone raised it.
  open = [{}];
  lines.length = 0;
  await reconcileJob(
    needs as unknown as Parameters<typeof reconcileJob>[0],
    chains,
    lastReconciliation(),
  ).run();
  expect(lines.map(({ event }) => event)).toEqual(['books.agree']);
});

test.each([
  ['2026-03-01T01:59:59Z', '2026-02-28T02:00:00Z'],
  ['2026-03-01T02:00:00Z', '2026-03-01T02:00:00Z'],
  ['2026-03-01T23:00:00Z', '2026-03-01T02:00:00Z'],
])('at %s a walk is due that did not begin since %s', async (now, dueSince) => {
  const asked: unknown[] = [];
  const needs = {
    ...{ logger: memoryLogger([]), clock: { now: () => new Date(now) } },
    operatorQueries: { walkBooks: async (walk: unknown) => [void asked.push(walk)].slice(1) },
  };
  await walkBooksJob(needs as unknown as Parameters<typeof walkBooksJob>[0]).run();
  expect(asked).toEqual([{ now: new Date(now), dueSince: new Date(dueSince) }]);
});
