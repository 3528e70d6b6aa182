/** Sets of invoices that are removed: one that fails keeps no other one from its turn. */
import { expect, test } from 'bun:test';
import { forgetUnpaid } from '../../../../src/app/invoices/retention/forget-unpaid.ts';
import type { ExpiredPlace, InvoiceRetention } from '../../../../src/ports/invoices/invoice-retention.ts';
import { NOW, secondsAfter } from '../../../support/builders.ts';

const SET = 4;

test.each([[[]], [[5]], [[0]], [[11]], [[2, 3, 7, 8]]])(
  'whichever fails (%p of 12), all others go, each failing set is told, and the list begins anew',
  async (failing) => {
    const all = Array.from({ length: 12 }, (_, nth) => ({ id: `i${nth}`, expiredAt: secondsAfter(nth) }));
    let left: readonly ExpiredPlace[] = all;
    const broken = new Set(failing.map((nth) => `i${nth}`));
    const invoiceRetention: InvoiceRetention = {
      expiredUnpaid: async (_, { after, limit }) =>
        left.filter(({ expiredAt }) => after === null || expiredAt > after.expiredAt).slice(0, limit),
      async removeUnpaid(ids) {
        if (ids.some((id) => broken.has(id))) throw new Error('a fault');
        left = left.filter(({ id }) => !ids.includes(id));
        return ids.length;
      },
    };
    const chains = { coveredUntil: async () => new Map([['ethereum', secondsAfter(86_400 * 40)]]) };
    const run = (work: (repositories: unknown) => unknown) => work({ invoiceRetention, chains });
    const clock = { now: () => secondsAfter(86_400 * 40, NOW) };
    const step = forgetUnpaid({ unitOfWork: { run }, clock } as never, 30);

    let told = 0;
    for (let call = 0; call < all.length / SET; call += 1)
      await step(SET).catch((error: unknown) => {
        expect(String(error)).toContain('a fault');
        told += 1;
      });
    expect(left.map(({ id }) => id)).toEqual([...broken]);
    expect(told).toBe(new Set(failing.map((nth) => Math.floor(nth / SET))).size);
    expect(await step(SET)).toBe(0);
    broken.clear();
    await step(SET);
    expect(left).toEqual([]);
  },
);
