/**
 * The contract for requests with an Idempotency-Key: one of them is stored with its response, and
 * no other fails.
 */
import { describe, expect, test } from 'bun:test';
import type { Invoice } from '../../src/domain/invoices/invoice-record.ts';
import type { Scope } from '../../src/ports/list-queries.ts';
import {
  IdempotencyKeyTaken,
  type KeyUse,
  type Once,
  type StoredAnswers,
} from '../../src/ports/stored-answers.ts';
import { aHash, anId, anInvoice, aPayout, NOW, secondsAfter } from '../support/builders.ts';
import { type OpenedPayoutWriter, payoutBooks } from '../support/payouts/payout-books.ts';
import { aRequest } from '../support/payouts/payout-requests.ts';
import type { OpenedIntake } from './invoices/invoice-writer.ts';
import { openedFor } from './opened.ts';

const DAY = 86_400;
const FINGERPRINT = 'a'.repeat(64);

export type OpenedAnswers = OpenedIntake & OpenedPayoutWriter & { readonly storedAnswers: StoredAnswers };

export function describeStoredAnswers(name: string, open: () => Promise<OpenedAnswers>): void {
  describe(`${name}: stored answers`, () => {
    const storage = openedFor(open);
    const { funded, available, listed } = payoutBooks(storage);
    const find = (scope: Scope, key: string, at = NOW) => storage.ports().storedAnswers.find(scope, key, at);
    const bodyOf = async (scope: Scope, key: string) => (await find(scope, key))?.answer.body ?? null;
    const once = (key: string): Once<Invoice> => ({
      ...{ key, fingerprint: FINGERPRINT },
      answer: ({ id, createdAt }) => ({ status: 201, body: `${id} ${createdAt.getTime()}` }),
    });
    const aUse = (scope: Scope, key: string, at: Date): KeyUse => ({
      ...{ scope, key, at, fingerprint: FINGERPRINT },
      answer: { status: 200, body: `${at.getTime()}` },
    });
    const store = (use: KeyUse) => storage.run((r) => r.answers.store(use));

    test('of the invoices of one key, over two instances at once, one is stored with its answer, and those beside it are, too', async () => {
      const { id: merchantId } = await storage.merchant();
      const scope = { merchantId, sandbox: false };
      // The list's times never decrease, so this invoice's differs from the requested one.
      await storage.ports().intakes[0].add(anInvoice({ merchantId, createdAt: secondsAfter(9) }), null);
      const asked = Array.from({ length: 60 }, (_, index) => ({
        invoice: anInvoice({ merchantId }),
        key: index % 3 === 0 ? 'k' : index % 3 === 1 ? `own ${index}` : null,
        instance: index % 2 === 0 ? (0 as const) : (1 as const),
      }));
      const results = await Promise.allSettled(
        asked.map(({ invoice, key, instance }) =>
          storage.ports().intakes[instance].add(invoice, null, key === null ? null : once(key)),
        ),
      );
      const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      expect(refused).toHaveLength(19);
      expect(refused.every((reason) => reason instanceof IdempotencyKeyTaken)).toBe(true);
      for (const [position, { invoice, key }] of asked.entries()) {
        const stored = await storage.run((r) => r.invoices.find(invoice.id));
        expect(stored === null).toBe(results[position]?.status === 'rejected');
        if (stored !== null && key !== null)
          expect(await bodyOf(scope, key)).toBe(`${stored.id} ${secondsAfter(9).getTime()}`);
      }
      expect(await find({ merchantId, sandbox: true }, 'k')).toBeNull();
    });

    test('whatever an answer holds, each invoice keeps its own', async () => {
      const { id: merchantId } = await storage.merchant();
      const invoices = [anInvoice({ merchantId }), anInvoice({ merchantId })];
      const body = (id: string) => `"\\" {} ${id}\u001f`;
      await Promise.all(
        invoices.map((invoice) =>
          storage.ports().intakes[0].add(invoice, null, {
            ...once(`"\\" {}, ${invoice.id}`),
            answer: ({ id }) => ({ status: 201, body: body(id) }),
          }),
        ),
      );
      for (const { id } of invoices)
        expect(await bodyOf({ merchantId, sandbox: false }, `"\\" {}, ${id}`)).toBe(body(id));
    });

    test('of the payouts of one key, over two instances at once, one is paid, whatever their X-Uniq-Ids', async () => {
      const scope = await funded(1_000n);
      const payouts = Array.from({ length: 20 }, () => aPayout({ ...scope, reservedMicroUsd: 1n }));
      const results = await Promise.allSettled(
        payouts.map((payout, index) =>
          storage.ports().payoutIntakes[index % 2 === 0 ? 0 : 1].add({
            ...aRequest(scope, { payouts: [payout] }),
            once: {
              ...{ key: 'k', fingerprint: FINGERPRINT },
              answer: ({ kind }) => (kind === 'decided' ? { status: 201, body: payout.id } : null),
            },
          }),
        ),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect((await listed(scope)).map(({ id }) => id)).toEqual([(await bodyOf(scope, 'k')) ?? '']);
      expect(await available(scope)).toBe(999n);
    });

    test('what was refused, and an invoice of nobody, leave their keys free', async () => {
      const scope = await funded(0n);
      const request = aRequest(scope, { payouts: [aPayout({ ...scope, reservedMicroUsd: 1n })] });
      const refused = { key: 'k', fingerprint: FINGERPRINT, answer: () => null };
      await storage.ports().payoutIntakes[0].add({ ...request, once: refused });
      const nobody = { merchantId: anId(), sandbox: false };
      const unknown = storage.ports().intakes[0].add(anInvoice(nobody), null, once('k'));
      expect(await Promise.allSettled([unknown])).toMatchObject([{ status: 'rejected' }]);
      expect([await find(scope, 'k'), await find(nobody, 'k')]).toEqual([null, null]);
    });

    test('a key stands for 24 hours, is taken over then, and is forgotten when it is told to', async () => {
      const scope = { merchantId: (await storage.merchant()).id, sandbox: true };
      const [at, end] = [secondsAfter(-30 * DAY), secondsAfter(-29 * DAY)];
      await store(aUse(scope, 'k', at));
      const early = aUse(scope, 'k', new Date(end.getTime() - 1));
      expect(await Promise.allSettled([store(early)])).toMatchObject([
        { reason: expect.any(IdempotencyKeyTaken) },
      ]);
      expect([(await find(scope, 'k', early.at))?.answer.body, await find(scope, 'k', end)]).toEqual([
        `${at.getTime()}`,
        null,
      ]);
      await store(aUse(scope, 'k', end));
      expect((await find(scope, 'k', end))?.answer.body).toBe(`${end.getTime()}`);
      const forget = (before: Date, limit = 10) => storage.run((r) => r.answers.forget(before, limit));
      await store(aUse(scope, 'another', end));
      const over = secondsAfter(-28 * DAY);
      expect([await forget(over), await find(scope, 'k', end)]).not.toContain(null);
      expect(await forget(secondsAfter(-28 * DAY + 1), 1)).toBe(1);
      expect(await forget(secondsAfter(-28 * DAY + 1))).toBe(1);
    });

    test('K7: a clock that is days ahead or behind frees no live key early', async () => {
      const { id: merchantId } = await storage.merchant();
      const [live, sandbox] = [
        { merchantId, sandbox: false },
        { merchantId, sandbox: true },
      ];
      const read = { height: 1, hash: aHash(), coveredUntil: NOW, finalizedHeight: 1 };
      await storage.run((r) => r.chains.moveCursor('ethereum', null, read));
      const ahead = secondsAfter(3 * DAY);
      for (const scope of [live, sandbox]) await store(aUse(scope, 'k', NOW));
      expect((await find(live, 'k', ahead))?.answer.body).toBe(`${NOW.getTime()}`);
      expect(await find(sandbox, 'k', ahead)).toBeNull();
      const again = await Promise.allSettled([
        store(aUse(live, 'k', ahead)),
        store(aUse(sandbox, 'k', ahead)),
      ]);
      expect(again.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
      await store(aUse(live, 'behind', secondsAfter(-3 * DAY)));
      expect(await find(live, 'behind', NOW)).not.toBeNull();
      await storage.run((r) =>
        r.chains.moveCursor('ethereum', read, { ...read, coveredUntil: secondsAfter(DAY) }),
      );
      expect(await find(live, 'k', ahead)).toBeNull();
    });
  });
}
