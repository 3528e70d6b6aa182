/**
 * The contract of storage for replayed events: it finds them by time, leaves out outdated and
 * waiting ones, and queues each once.
 */
import { describe, expect, test } from 'bun:test';
import type { Scope } from '../../../src/ports/list-queries.ts';
import type { NewDelivery, WantedAgain } from '../../../src/ports/webhooks/webhook-outbox.ts';
import { aDelivery, anId, anInvoice, aPayout, inStatus, NOW, secondsAfter } from '../../support/builders.ts';
import { seeded } from '../../support/runtime/seeded.ts';
import { openedFor } from '../opened.ts';
import type { OpenedEvents } from './events.ts';

const ALL: WantedAgain = { after: 0, from: null, to: null, statuses: null, undelivered: false };
const REQUESTS = 80;

export function describeEventsAgain(name: string, open: () => Promise<OpenedEvents>): void {
  describe(`${name}: events again`, () => {
    const storage = openedFor(open);
    const look = (scope: Scope, wanted: Partial<WantedAgain> = {}, most = 100) =>
      storage.run((r) => r.webhooks.toTellAgain(scope, { ...ALL, ...wanted }, most));
    const idsOf = async (scope: Scope, wanted: Partial<WantedAgain> = {}) =>
      (await look(scope, wanted)).deliveries.map(({ id }) => id);
    const tell = (id: string, url: string) => storage.run((r) => r.webhooks.tellAgain([{ id, url }], NOW));
    const claim = (id: string) =>
      storage.ports().webhookQueue.claimOne(id, { now: secondsAfter(1_000), leaseSeconds: 1 });

    async function scopeOf(payoutWebhooks = false): Promise<Scope> {
      const { id } = await storage.merchant({ payoutWebhooks, callbackUrl: 'https://now.example/' });
      return { merchantId: id, sandbox: false };
    }

    /** An event of a separate invoice, in the state it reports. */
    async function told(
      scope: Scope,
      given: Partial<NewDelivery> = {},
      status: 'success' | 'created' = 'success',
    ): Promise<NewDelivery> {
      const invoice = anInvoice({ ...scope, ...inStatus(status), version: 1 });
      const delivery = aDelivery({ ...scope, invoiceId: invoice.id, invoiceVersion: 1, ...given });
      await storage.run(async (r) => {
        await r.invoices.insert(invoice);
        await r.webhooks.enqueue(delivery);
      });
      return delivery;
    }

    /** One attempt with this result. */
    async function ended(id: string, state: 'delivered' | 'dead'): Promise<void> {
      const delivery = await claim(id);
      if (delivery === null) throw new Error('it cannot be claimed');
      const { webhookQueue } = storage.ports();
      const outcome = { attemptId: anId(), delivery, statusCode: 200, responseBody: '', sentAt: NOW };
      await webhookQueue.record([{ ...outcome, next: { state } }]);
    }

    test('of those that were given up are named with their present URL, longest ago first', async () => {
      const scope = await scopeOf(true);
      const invoice = anInvoice({ ...scope, notifyUrl: 'https://own.example/' });
      const payout = aPayout(scope);
      const given = [
        aDelivery({ ...scope, invoiceId: invoice.id }),
        aDelivery({ ...scope, invoiceId: null, payoutId: payout.id, invoiceVersion: null, eventAt: NOW }),
      ] as const;
      await storage.run(async (r) => {
        await r.invoices.insert(invoice);
        await r.payouts.insert(payout);
        for (const delivery of given) await r.webhooks.enqueue(delivery);
      });
      const waiting = await told(scope);
      for (const { id } of given) await ended(id, 'dead');
      await ended((await told({ ...scope, sandbox: true })).id, 'dead');
      const dead = (id: string | null, most = 9, of = scope) =>
        storage.run((r) => r.webhooks.givenUp(of, { id, most }));
      const [first, second] = [
        { id: given[0].id, url: 'https://own.example/' },
        { id: given[1].id, url: 'https://now.example/' },
      ];
      expect(await dead(null)).toEqual([first, second]);
      expect(await dead(null, 1)).toEqual([first]);
      expect(await dead(second.id)).toEqual([second]);
      for (const [id, of] of [
        [waiting.id, scope],
        [second.id, await scopeOf()],
        [second.id, { ...scope, sandbox: true }],
        [anId(), scope],
      ] as const)
        expect(await dead(id, 9, of)).toEqual([]);
      await tell(second.id, second.url);
      expect(await dead(null)).toEqual([first]);
    });

    test('are found by times, statuses and numbers as in a naive list', async () => {
      const random = seeded(3);
      const scope = await scopeOf();
      const list: { seq: number; id: string; at: number; status: string }[] = [];
      let at = 0;
      for (let seq = 1; seq <= 30; seq++) {
        at += random.int(3);
        const status = random.pick(['success', 'created']);
        const { id } = await told(scope, { url: null, eventAt: secondsAfter(at) }, status);
        list.push({ seq, id, at, status });
      }
      await told({ ...scope, sandbox: true });
      const moment = () => random.pick([null, random.int(35) - 1]);
      for (let i = 0; i < REQUESTS; i++) {
        const [after, from, to, most] = [random.int(34), moment(), moment(), 1 + random.int(35)];
        const statuses: readonly string[] | null = random.pick([null, ['success'], ['created', 'failed']]);
        const looked = list
          .filter((event) => event.seq > after && (from === null || event.at >= from))
          .slice(0, most);
        const within = looked.filter((event) => to === null || event.at <= to);
        const wanted = within.filter(({ status }) => statuses === null || statuses.includes(status));
        const instant = (seconds: number | null) => (seconds === null ? null : secondsAfter(seconds));
        const request = { after, from: instant(from), to: instant(to), statuses };
        expect(await look(scope, request, most)).toEqual({
          deliveries: wanted.map(({ id }) => ({ id, url: 'https://now.example/' })),
          last: within.at(-1)?.seq ?? after,
          more: within.length === most,
        });
      }
    });

    test('are not old news: of an invoice its present state, of a payout its last event, to who wants those', async () => {
      const scope = await scopeOf(true);
      const former = await told(scope, { url: null });
      const invoiceId = former.invoiceId ?? '';
      await storage.run(async (r) => {
        const invoice = await r.invoices.lock(invoiceId);
        if (invoice) await r.invoices.save({ ...invoice, version: 2 });
      });
      const payout = aPayout(scope);
      // Its status twice, as after a reorganisation, and another one.
      const ofPayout = ['pending', 'pending', 'processing'].map((status) =>
        aDelivery({
          ...{ ...scope, invoiceId: null, payoutId: payout.id, invoiceVersion: null, eventAt: NOW },
          ...{ url: null, body: JSON.stringify({ status }) },
        }),
      );
      const latest = aDelivery({ ...scope, invoiceId, invoiceVersion: 2, url: null });
      await storage.run(async (r) => {
        await r.payouts.insert(payout);
        for (const delivery of [...ofPayout, latest]) await r.webhooks.enqueue(delivery);
      });
      expect(await idsOf(scope)).toEqual([latest.id]);
      const third = aDelivery({ ...ofPayout[1], id: anId() });
      await storage.run((r) => r.webhooks.enqueue(third));
      expect(await idsOf(scope)).toEqual([latest.id, third.id]);
      await storage.run(async (r) => {
        const merchant = await r.merchants.find(scope.merchantId);
        if (merchant) await r.merchants.update({ ...merchant, payoutWebhooks: false });
      });
      expect(await idsOf(scope)).toEqual([latest.id]);
    });

    test('are those that nobody took, where only those are wanted, and never what waits', async () => {
      const scope = await scopeOf();
      const [waiting, taken, dead, unsent] = [
        await told(scope),
        await told(scope),
        await told(scope),
        await told(scope, { url: null }),
      ];
      await ended(taken.id, 'delivered');
      await ended(dead.id, 'dead');
      const url = 'https://now.example/';
      expect((await look(scope)).deliveries).toEqual([taken, dead, unsent].map(({ id }) => ({ id, url })));
      expect(await idsOf(scope, { undelivered: true })).toEqual([dead.id, unsent.id]);
      expect(await tell(waiting.id, 'https://elsewhere.example/')).toBe(0);
      expect(await claim(waiting.id)).toMatchObject({ url: waiting.url, attempt: 1 });
    });

    test('are queued once, from their first attempt on, to where their merchant wants them now', async () => {
      const scope = await scopeOf();
      const [taken, dead] = [await told(scope), await told(scope)];
      await ended(taken.id, 'delivered');
      await ended(dead.id, 'dead');
      for (const { id } of [taken, dead]) {
        expect([await tell(id, 'https://now.example/'), await tell(id, 'https://now.example/')]).toEqual([
          1, 0,
        ]);
        expect(await claim(id)).toMatchObject({
          ...{ url: 'https://now.example/', destination: 'https://now.example:443', attempt: 1 },
        });
      }
      expect(await idsOf(scope)).toEqual([]);
    });
  });
}
