/** Sets of invoices that end: what fails among them keeps no other one from its end. */
import { expect, test } from 'bun:test';
import { expireInvoices } from '../../../src/app/invoices/expire-invoices.ts';
import type { DueInvoice, ExpiryQuery } from '../../../src/ports/invoices/invoice-repository.ts';
import { StorageUnavailable } from '../../../src/ports/repositories.ts';
import { NOW, secondsAfter } from '../../support/builders.ts';

class Late extends StorageUnavailable {
  override readonly isLate = true;
}

/** Unpaid invoices of these merchants. `fault` is what a set with these ids fails with. */
function stage(merchants: readonly string[], fault: (ids: readonly string[]) => Error | null) {
  let unpaid = merchants.map(
    (merchantId, nth): DueInvoice => ({
      ...{ id: `i${nth}`, merchantId, status: 'created', expiresAt: secondsAfter(nth) },
    }),
  );
  const seen = { sets: [] as number[], lists: 0, partly: 0, failed: [] as string[], lockMs: new Set() };
  const taken = ({ among, limit }: ExpiryQuery) =>
    unpaid.filter(({ id }) => among?.includes(id) ?? true).slice(0, among === null ? limit : undefined);
  const invoices = {
    async expireUnpaid(query: ExpiryQuery) {
      const ids = taken(query).map(({ id }) => id);
      seen.sets.push(ids.length);
      const error = fault(ids);
      if (error) throw error;
      unpaid = unpaid.filter(({ id }) => !ids.includes(id));
      return ids;
    },
    async lockOverduePartlyPaid() {
      seen.partly += 1;
      return [];
    },
    async due(status: string, { limit }: ExpiryQuery, after: DueInvoice | null) {
      seen.lists += 1;
      return status === 'created'
        ? unpaid.filter(({ expiresAt }) => after === null || expiresAt > after.expiresAt).slice(0, limit)
        : [];
    },
    saveAll: async () => undefined,
  };
  const repositories = {
    ...{ invoices, deposits: { moveOfInvoices: async () => undefined } },
    merchants: { callbackUrls: async () => new Map() },
    chains: { coveredUntil: async () => new Map() },
  };
  const run = (work: (given: unknown) => unknown, limits?: { lockMs: number }) => {
    seen.lockMs.add(limits?.lockMs);
    return work(repositories);
  };
  const logger = {
    error: (_: string, { invoiceId }: { invoiceId: string }) => seen.failed.push(invoiceId),
  };
  const deps = { unitOfWork: { run }, clock: { now: () => NOW }, logger };
  return { expire: expireInvoices(deps as never, []), seen, left: () => unpaid.map(({ id }) => id) };
}

const many = (count: number, merchants = count): string[] =>
  Array.from({ length: count }, (_, nth) => `m${nth % merchants}`);
const refused = (...bad: string[]) => {
  return (ids: readonly string[]) => (ids.some((id) => bad.includes(id)) ? new Error('a fault') : null);
};

test('W3: without a fault only whole sets are taken, and nothing is listed', async () => {
  const { expire, seen, left } = stage(many(2_010), () => null);
  await expire();
  expect([left(), seen.sets, seen.lists, seen.partly]).toEqual([[], [2_000, 10], 0, 1]);
  expect([...seen.lockMs]).toEqual([1_000]);
});

test.each([[['i0']], [['i1234']], [['i2999', 'i3000', 'i3500']]])(
  'W3: invoices that cannot be ended (%p) are told once a run, and all others end',
  async (bad) => {
    const { expire, seen, left } = stage(many(3_501), refused(...bad));
    await expire();
    expect([left(), seen.failed.toSorted(), seen.partly]).toEqual([bad, bad, 1]);
  },
);

test('W3: a set that is late is cut in halves', async () => {
  const { expire, seen, left } = stage(many(2_500), (ids) => (ids.length > 400 ? new Late() : null));
  await expire();
  expect([left(), seen.failed, seen.partly]).toEqual([[], [], 1]);
});

test('W3: after three failures the others of a merchant wait for the next run, which takes them first', async () => {
  const ofFirst = Array.from({ length: 40 }, (_, nth) => `i${nth * 5}`);
  const bad = ofFirst.slice(0, 9);
  const { expire, seen, left } = stage(many(200, 5), refused(...bad));
  await expire();
  expect(seen.failed).toEqual(bad.slice(0, 3));
  expect(left()).toEqual(ofFirst);
  for (let run = 0; run < 3; run += 1) await expire();
  expect(left()).toEqual(bad);
});

test('W3: while the database is away the run ends at once; while it is late, those paid in part have their turn', async () => {
  const away = stage(many(10), () => new StorageUnavailable('gone'));
  await expect(away.expire()).rejects.toThrow('gone');
  expect([away.seen.sets, away.seen.partly]).toEqual([[10], 0]);
  const late = stage(many(10), () => new Late('slow'));
  await expect(late.expire()).rejects.toThrow('slow');
  expect(late.seen.partly).toBe(1);
});

test('W3: a stop ends it after the set that is under way', async () => {
  const stopping = new AbortController();
  const { expire, seen, left } = stage(many(3_000), (ids) => {
    if (ids.length > 1_000) return new Error('a fault');
    stopping.abort();
    return null;
  });
  await expire(stopping.signal);
  expect([left().length, seen.sets]).toEqual([2_000, [2_000, 1_000]]);
});
