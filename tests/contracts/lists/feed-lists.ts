/**
 * The ledger feed and the log of webhook attempts, compared with naive lists over the same random
 * data.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { income, payoutReserved, refund } from '../../../src/domain/ledger.ts';
import { destinationOf } from '../../../src/domain/webhooks/webhook-url.ts';
import type { FeedLine, NewEntry } from '../../../src/ports/ledger-repository.ts';
import type { LedgerLine, NotificationAttempt, Scope } from '../../../src/ports/list-queries.ts';
import type { WebhookQueue } from '../../../src/ports/webhooks/webhook-queue.ts';
import { aDelivery, anEntry, anId, anInvoice, aPayout, secondsAfter } from '../../support/builders.ts';
import { type Seeded, seeded } from '../../support/runtime/seeded.ts';
import { openedFor } from '../opened.ts';
import { aBound, aPageRequest, cut, within } from './lists.ts';
import type { OpenedQueries } from './queries.ts';

const REQUESTS = 150;

export interface OpenedFeeds extends OpenedQueries {
  readonly webhookQueue: WebhookQueue;
}

type Placed<Row> = Row & Scope;

function anAmountOf(scope: Scope, type: FeedLine['type'], at: Date, random: Seeded): NewEntry {
  const micro = BigInt(1 + random.int(50));
  const referenceId = anId();
  const line = { type, asset: 'usdt_ethereum', amountUnits: micro, microUsd: micro, referenceId };
  const common = { ...scope, referenceId, at };
  switch (type) {
    case 'income':
      return anEntry({
        ...common,
        kind: 'income',
        postings: income({
          asset: 'usdt_ethereum',
          creditedUnits: micro,
          feeUnits: 1n,
          receivedMicroUsd: micro + 1n,
          creditedMicroUsd: micro,
        }),
        feed: { ...line, feeUnits: 1n, currency: 'EUR' },
      });
    case 'payout':
      return anEntry({
        ...common,
        kind: 'payout_reserved',
        postings: payoutReserved(micro),
        feed: { ...line, feeUnits: null, currency: null },
      });
    case 'refund':
      return anEntry({
        ...common,
        kind: 'refund',
        postings: refund(micro),
        feed: { ...line, feeUnits: null, currency: 'EUR' },
      });
  }
}

export function describeFeedLists(name: string, open: () => Promise<OpenedFeeds>): void {
  describe(`${name}: feeds`, () => {
    const storage = openedFor(open);
    let scopes: readonly [Scope, ...Scope[]];

    beforeAll(async () => {
      const [one, two] = [await storage.merchant(), await storage.merchant()];
      scopes = [
        { merchantId: one.id, sandbox: false },
        { merchantId: one.id, sandbox: true },
        { merchantId: two.id, sandbox: false },
      ];
    });

    const mine = <Row extends Scope>(rows: readonly Row[], scope: Scope): Omit<Row, keyof Scope>[] =>
      rows
        .filter((row) => row.merchantId === scope.merchantId && row.sandbox === scope.sandbox)
        .map(({ merchantId: _merchant, sandbox: _sandbox, ...row }) => row);

    test('the ledger merges its three types in the order of time', async () => {
      const random = seeded(4);
      const lines: Placed<LedgerLine>[] = [];
      for (const scope of scopes) {
        // Enough that no payout can take the balance below zero.
        const entries = [anAmountOf(scope, 'income', secondsAfter(0), { ...random, int: () => 100_000 })];
        for (let i = 0; i < 40; i++) {
          const type = random.pick(['income', 'payout', 'refund']);
          entries.push(anAmountOf(scope, type, secondsAfter(Math.floor(i / 3)), random));
        }
        await storage.run(async (r) => {
          for (const entry of entries) {
            if (entry.feed?.type === 'payout')
              await r.payouts.insert(aPayout({ ...scope, id: entry.referenceId }));
            await r.ledger.post(entry);
            // Entries outside the feed leave no gap in it.
            await r.ledger.post(anEntry({ ...scope, at: entry.at }));
          }
        });
        for (const { feed, at } of entries) {
          if (!feed) continue;
          const { microUsd: _microUsd, ...line } = feed;
          const status = { income: null, payout: 'pending', refund: 'success' }[feed.type];
          lines.push({ ...scope, ...line, isWastedFee: false, status, orderedBy: null, createdAt: at });
        }
      }
      for (let i = 0; i < REQUESTS; i++) {
        const scope = random.pick(scopes);
        const filter = {
          type: random.pick([null, 'income', 'payout', 'refund']),
          from: aBound(random),
          to: aBound(random),
        } as const;
        const page = aPageRequest(random);
        const matching = mine(lines, scope).filter(
          (line) => (filter.type === null || line.type === filter.type) && within(line.createdAt, filter),
        );
        const expected = cut(matching.toReversed(), page);
        expect(await storage.ports().queries.ledger(scope, filter, page)).toEqual(expected);
      }
    }, 30_000);

    test('the log of attempts comes latest first', async () => {
      const random = seeded(5);
      const invoices = scopes.map((scope) => anInvoice({ ...scope }));
      const payouts = scopes.map((scope) => aPayout({ ...scope }));
      const told = payouts.map(({ id: payoutId }, at) =>
        aDelivery({
          ...scopes[at],
          payoutId,
          invoiceId: null,
          invoiceVersion: null,
          eventAt: secondsAfter(0),
        }),
      );
      await storage.run(async (r) => {
        for (const invoice of invoices) await r.invoices.insert(invoice);
        for (const payout of payouts) await r.payouts.insert(payout);
        for (const delivery of told) await r.webhooks.enqueue(delivery);
      });
      const attempts: Placed<NotificationAttempt>[] = [];
      for (let i = 0; i < 120; i++) {
        const at = random.int(scopes.length);
        const scope = scopes[at] ?? scopes[0];
        const invoiceId = random.pick([invoices[at]?.id ?? null, null]);
        const payoutId = invoiceId === null ? random.pick([payouts[at]?.id ?? null, null]) : null;
        const attempt = {
          id: anId(),
          ...{ invoiceId, payoutId, eventSeq: payoutId === null ? null : 1 },
          url: 'https://shop.example/hook',
          statusCode: random.pick([null, 200, 500]),
          responseBody: `answer ${i}`,
          attempt: 1,
          sentAt: secondsAfter(Math.floor(i / 3)),
        } satisfies NotificationAttempt;
        attempts.push({ ...scope, ...attempt });
        if (invoiceId === null && payoutId === null) {
          await storage.ports().webhookQueue.logTest({ ...attempt, ...scope });
          continue;
        }
        const { url } = attempt;
        const about = {
          ...{ invoiceId, eventSeq: attempt.eventSeq },
          url,
          destination: destinationOf(url),
          body: '{}',
          attempt: 1,
          ...{ format: 'native_v2' as const, keys: null },
        };
        const id = payoutId === null ? anId() : (told[at]?.id ?? anId());
        const delivery = { id, ...scope, ...about };
        await storage.ports().webhookQueue.record([
          {
            attemptId: attempt.id,
            delivery,
            statusCode: attempt.statusCode,
            responseBody: attempt.responseBody,
            sentAt: attempt.sentAt,
            next: { state: 'delivered' },
          },
        ]);
      }
      for (let i = 0; i < REQUESTS; i++) {
        const at = random.int(scopes.length);
        const scope = scopes[at] ?? scopes[0];
        const filter = {
          invoiceId: random.pick([
            null,
            null,
            null,
            invoices[at]?.id ?? null,
            invoices[0]?.id ?? null,
            anId(),
          ]),
          payoutId: random.pick([null, null, null, payouts[at]?.id ?? null, payouts[0]?.id ?? null, anId()]),
          from: aBound(random),
          to: aBound(random),
        };
        const page = aPageRequest(random);
        const matching = mine(attempts, scope).filter(
          (row) =>
            (filter.invoiceId === null || row.invoiceId === filter.invoiceId) &&
            (filter.payoutId === null || row.payoutId === filter.payoutId) &&
            within(row.sentAt, filter),
        );
        const expected = cut(matching.toReversed(), page);
        expect(await storage.ports().queries.notifications(scope, filter, page)).toEqual(expected);
      }
    }, 30_000);
  });
}
