/**
 * The contract of storage for events: dense numbers in the order of commits under any concurrency,
 * and a reader that misses none.
 */
import { describe, expect, test } from 'bun:test';
import type { MerchantEvent, Queries, Scope } from '../../../src/ports/list-queries.ts';
import type { Repositories } from '../../../src/ports/repositories.ts';
import type { NewDelivery } from '../../../src/ports/webhooks/webhook-outbox.ts';
import type { WebhookQueue } from '../../../src/ports/webhooks/webhook-queue.ts';
import { aDelivery, anEntry, anId, anInvoice, aPayout, NOW, secondsAfter } from '../../support/builders.ts';
import { seeded } from '../../support/runtime/seeded.ts';
import type { OpenedQueries } from '../lists/queries.ts';
import { openedFor } from '../opened.ts';

export interface OpenedEvents extends OpenedQueries {
  readonly webhookQueue: WebhookQueue;
}

const ROUNDS = 60;

export function describeEvents(name: string, open: () => Promise<OpenedEvents>): void {
  describe(`${name}: events`, () => {
    const storage = openedFor(open);
    const events = (scope: Scope, after = 0, limit = 100): ReturnType<Queries['events']> =>
      storage.ports().queries.events(scope, { after, limit });
    const seqs = async (scope: Scope) => (await events(scope)).events.map(({ seq }) => seq);

    async function scopeOf(): Promise<Scope> {
      return { merchantId: (await storage.merchant()).id, sandbox: false };
    }

    async function invoiceIn(scope: Scope): Promise<string> {
      const invoice = anInvoice(scope);
      await storage.run((r) => r.invoices.insert(invoice));
      return invoice.id;
    }

    const enqueue = (...deliveries: NewDelivery[]) =>
      storage.run(async (r) => {
        for (const delivery of deliveries) await r.webhooks.enqueue(delivery);
      });

    test('of each merchant and environment are numbered from 1, and read from any number on', async () => {
      const live = await scopeOf();
      const sandbox = { ...live, sandbox: true };
      const stranger = await scopeOf();
      for (const scope of [live, sandbox, stranger]) {
        const invoiceId = await invoiceIn(scope);
        const told = [1, 2, 3].map((invoiceVersion) =>
          aDelivery({ ...scope, invoiceId, invoiceVersion, body: `{"status":"s${invoiceVersion}"}` }),
        );
        await enqueue(...told);
      }
      expect((await events(live)).events).toEqual(
        [1, 2, 3].map((seq) => ({
          ...{ seq, type: `invoice.s${seq}`, createdAt: NOW },
          body: `{"status":"s${seq}","event_seq":${seq}}`,
        })),
      );
      expect(await events(sandbox, 1, 1)).toMatchObject({ events: [{ seq: 2 }], last: 3 });
      expect(await events(stranger, 3)).toEqual({ events: [], last: 3 });
      expect(await events(await scopeOf(), 7)).toEqual({ events: [], last: 0 });
    });

    test('tell of payouts, too', async () => {
      const scope = await scopeOf();
      const payout = aPayout(scope);
      await storage.run((r) => r.payouts.insert(payout));
      const about = { invoiceId: null, payoutId: payout.id, invoiceVersion: null, eventAt: NOW };
      const delivery = aDelivery({ ...scope, ...about });
      await enqueue(delivery);
      expect((await events(scope)).events).toMatchObject([{ seq: 1, type: 'payout.success' }]);
      const claimed = await storage.ports().webhookQueue.claimOne(delivery.id, { now: NOW, leaseSeconds: 1 });
      expect(claimed).toMatchObject({ invoiceId: null, eventSeq: 1 });
    });

    test('have the type that their body names, and are told once', async () => {
      const scope = await scopeOf();
      const body = JSON.stringify({ status: 'open', event: 'refund.open' });
      const about = { invoiceId: await invoiceIn(scope), invoiceVersion: null, eventAt: NOW };
      await enqueue(aDelivery({ ...scope, ...about, url: null, body }));
      expect((await events(scope)).events).toMatchObject([{ seq: 1, type: 'refund.open' }]);
      const all = { after: 0, from: null, to: null, statuses: null, undelivered: false };
      expect(await storage.run((r) => r.webhooks.toTellAgain(scope, all, 9))).toMatchObject({
        deliveries: [],
      });
    });

    test('without a URL are read, and sent to nobody', async () => {
      const scope = await scopeOf();
      const delivery = aDelivery({ ...scope, invoiceId: await invoiceIn(scope), url: null });
      await enqueue(delivery);
      expect(await seqs(scope)).toEqual([1]);
      const { webhookQueue } = storage.ports();
      expect(await webhookQueue.claimOne(delivery.id, { now: NOW, leaseSeconds: 1 })).toBeNull();
    });

    test('take no number where the same transition has one, or their transaction is rolled back', async () => {
      const scope = await scopeOf();
      const invoiceId = await invoiceIn(scope);
      const told = (invoiceVersion: number) => aDelivery({ ...scope, invoiceId, invoiceVersion });
      await enqueue(told(1));
      await enqueue(told(1), told(2));
      const undone = storage.run(async (r) => {
        await r.webhooks.enqueue(told(3));
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      await enqueue(told(3));
      expect(await seqs(scope)).toEqual([1, 2, 3]);
    });

    test('are repeated by replays, which are none: with the number of the latest of their invoice', async () => {
      const scope = await scopeOf();
      const [told, untold] = [await invoiceIn(scope), await invoiceIn(scope)];
      const replayOf = (invoiceId: string) => aDelivery({ ...scope, invoiceId, invoiceVersion: null });
      await enqueue(
        aDelivery({ ...scope, invoiceId: told, invoiceVersion: 2 }),
        aDelivery({ ...scope, invoiceId: told, invoiceVersion: 4 }),
      );
      const replays = [replayOf(told), replayOf(untold)];
      await enqueue(...replays);
      const claimed = replays.map(({ id }) =>
        storage.ports().webhookQueue.claimOne(id, { now: NOW, leaseSeconds: 1 }),
      );
      expect(await Promise.all(claimed)).toMatchObject([
        { eventSeq: 2, body: '{"status":"success","event_seq":2}' },
        { eventSeq: null, body: '{"status":"success","event_seq":null}' },
      ]);
      await enqueue(replayOf(told), aDelivery({ ...scope, invoiceId: told, invoiceVersion: 5 }));
      expect(await seqs(scope)).toEqual([1, 2, 3]);
    });

    test('have times that never run backwards along their numbers', async () => {
      const scope = await scopeOf();
      const invoiceId = await invoiceIn(scope);
      const at = (invoiceVersion: number, seconds: number) =>
        aDelivery({ ...scope, invoiceId, invoiceVersion, eventAt: secondsAfter(seconds) });
      await enqueue(at(1, 5), at(2, 3));
      await enqueue(at(3, 4), at(4, 9));
      const times = (await events(scope)).events.map(({ createdAt }) => createdAt);
      expect(times).toEqual([5, 5, 5, 9].map((seconds) => secondsAfter(seconds)));
    });

    // A transaction that took numbers before its last lock could deadlock with another, and would
    // be repeated.
    test('of transactions at once are dense in the order of commits: a reader meets each once, in order, and nobody is run again', async () => {
      const random = seeded(8);
      const one = await scopeOf();
      const scopes = [one, { ...one, sandbox: true }, await scopeOf()];
      const invoices = await Promise.all(scopes.map(invoiceIn));
      const versions = scopes.map(() => 0);
      const told = scopes.map(() => 0);
      let runs = 0;

      /**
       * Two or three events of any merchants, and an entry of one of them before, between or after.
       */
      async function transaction(round: number): Promise<void> {
        const picks = Array.from({ length: 2 + random.int(2) }, () => random.int(scopes.length));
        const posted = random.int(scopes.length);
        const place = random.int(picks.length + 1);
        const fails = random.int(8) === 0;
        const deliveries = picks.map((at) => {
          versions[at] = (versions[at] ?? 0) + 1;
          const about = { invoiceId: invoices[at] ?? '', invoiceVersion: versions[at] ?? 0 };
          return aDelivery({ ...scopes[at], ...about, url: null, body: `{"status":"s","round":${round}}` });
        });
        const work = async (r: Repositories) => {
          runs += 1;
          for (const [at, delivery] of deliveries.entries()) {
            if (at === place) await r.ledger.post(entryOf(posted));
            await r.webhooks.enqueue(delivery);
          }
          if (place === deliveries.length) await r.ledger.post(entryOf(posted));
          if (fails) throw new Error('undone');
        };
        await storage.run(work).catch((error: unknown) => {
          if (!fails) throw error;
        });
        if (!fails) for (const at of picks) told[at] = (told[at] ?? 0) + 1;
      }

      const entryOf = (at: number) => {
        const line = { type: 'income', asset: 'usdt_ethereum', amountUnits: 1n, feeUnits: 0n } as const;
        const referenceId = anId();
        const feed = { ...line, currency: 'USD', microUsd: 0n, referenceId };
        return anEntry({ ...scopes[at], id: anId(), referenceId, kind: 'deposit_arrived', feed });
      };

      let writing = true;
      const read = async (scope: Scope): Promise<readonly MerchantEvent[]> => {
        const seen: MerchantEvent[] = [];
        for (let last = false; ; last = !writing) {
          const page = await events(scope, seen.at(-1)?.seq ?? 0, 1 + random.int(7));
          seen.push(...page.events);
          if (last && page.events.length === 0) return seen;
        }
      };
      const readers = scopes.map(read);
      const rounds = Array.from({ length: ROUNDS }, (_, round) => round).values();
      const lanes = Array.from({ length: 6 }, async () => {
        for (const round of rounds) await transaction(round);
      });
      await Promise.all(lanes);
      writing = false;
      for (const [at, seen] of (await Promise.all(readers)).entries())
        expect(seen.map(({ seq }) => seq)).toEqual(Array.from({ length: told[at] ?? 0 }, (_, n) => n + 1));
      expect(runs).toBe(ROUNDS);
    });
  });
}
