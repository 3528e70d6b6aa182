/**
 * The contract of WebhookOutbox and WebhookQueue: one delivery per transition, one claimer at a
 * time, a dense log of attempts.
 */
import { describe, expect, test } from 'bun:test';
import type { NewDelivery } from '../../../src/ports/webhooks/webhook-outbox.ts';
import type {
  AttemptOutcome,
  ClaimedDelivery,
  WebhookQueue,
} from '../../../src/ports/webhooks/webhook-queue.ts';
import { aDelivery, aKey, anId, anInvoice, NOW, secondsAfter } from '../../support/builders.ts';
import type { OpenedFeeds } from '../lists/feed-lists.ts';
import { openedFor } from '../opened.ts';

const LEASE_SECONDS = 60;

export function describeWebhookQueue(name: string, open: () => Promise<OpenedFeeds>): void {
  describe(`${name}: webhook queue`, () => {
    const storage = openedFor(open);
    const queue = (): WebhookQueue => storage.ports().webhookQueue;
    /** Up to `most` of each lane with due deliveries. */
    async function claim(now: Date = NOW, most = 1_000): Promise<readonly ClaimedDelivery[]> {
      const walk = { afterMerchant: null, within: new Map() };
      const { lanes } = await queue().dueLanes({ now, walk, merchants: 10_000, lanesEach: 100 });
      const wanted = lanes.map((lane) => ({ ...lane, most, trial: false }));
      return queue().claim({ lanes: wanted, now, leaseSeconds: LEASE_SECONDS });
    }
    const claimOne = (id: string, now: Date = NOW) =>
      queue().claimOne(id, { now, leaseSeconds: LEASE_SECONDS });

    /** Deliveries of a separate invoice; those of other tests are claimed first. */
    async function enqueued(...given: Partial<NewDelivery>[]): Promise<NewDelivery[]> {
      await claim(secondsAfter(1_000_000));
      const { id: merchantId } = await storage.merchant();
      const invoice = anInvoice({ merchantId });
      const deliveries = given.map((delivery, version) =>
        aDelivery({ merchantId, invoiceId: invoice.id, invoiceVersion: version, ...delivery }),
      );
      await storage.run(async (r) => {
        await r.invoices.insert(invoice);
        for (const delivery of deliveries) await r.webhooks.enqueue(delivery);
      });
      return deliveries;
    }

    function outcome(delivery: ClaimedDelivery, next: AttemptOutcome['next'], sentAt = NOW): AttemptOutcome {
      return { attemptId: anId(), delivery, statusCode: 200, responseBody: 'ok', sentAt, next };
    }

    async function one(delivery: Partial<NewDelivery> = {}): Promise<NewDelivery> {
      const [made] = await enqueued(delivery);
      if (!made) throw new Error('nothing was enqueued');
      return made;
    }

    async function claimed(delivery: NewDelivery, now: Date = NOW): Promise<ClaimedDelivery> {
      const found = await claimOne(delivery.id, now);
      if (!found) throw new Error('the delivery could not be claimed');
      return found;
    }

    const logOf = (merchantId: string, sandbox = false) =>
      storage
        .ports()
        .queries.notifications(
          { merchantId, sandbox },
          { from: null, to: null, invoiceId: null, payoutId: null },
          { page: 1, perPage: 100 },
        );

    test('what is claimed is what was enqueued and its number, byte for byte, with the key of its environment', async () => {
      const body = '{"b":1.10,"a":"\\u00e9💶 \\n"}';
      const url = 'https://shop.example/h?x=1&y="2"';
      const delivery = await one({ body, url });
      const { merchantId, invoiceId, sandbox } = delivery;
      const key = aKey({ merchantId });
      await storage.run(async (r) => {
        await r.merchants.putKey(aKey({ merchantId, environment: 'sandbox' }), null);
        await r.merchants.putKey(aKey({ merchantId }), null);
        await r.merchants.putKey(key, null);
      });
      expect(await claim()).toEqual([
        {
          ...{
            id: delivery.id,
            invoiceId,
            merchantId,
            destination: 'https://shop.example:443',
            sandbox,
            url,
            format: 'native_v2',
            eventSeq: 1,
            body: '{"b":1.10,"a":"\\u00e9💶 \\n","event_seq":1}',
          },
          ...{ attempt: 1, keys: { current: key.sealed, other: null, secrets: [] } },
        },
      ]);
    });

    test('what is claimed of another format is that format’s body, not our own', async () => {
      const foreign = { format: 'coinpayments', body: 'ipn_mode=hmac&status=100' } as const;
      const delivery = await one({ body: '{"status":"success"}', foreign });
      expect(await claimed(delivery)).toMatchObject(foreign);
    });

    test('a delivery of the sandbox has the key of the sandbox', async () => {
      const delivery = await one({ sandbox: true });
      const [live, sandbox] = (['live', 'sandbox'] as const).map((environment) =>
        aKey({ merchantId: delivery.merchantId, environment }),
      );
      await storage.run(async (r) => {
        await r.merchants.putKey(sandbox!, null);
        await r.merchants.putKey(live!, null);
      });
      expect((await claimed(delivery)).keys?.current).toBe(sandbox!.sealed);
    });

    test('in an overlap a delivery has both keys, in the order in which they sign', async () => {
      const [first, second] = await enqueued({}, {});
      const { merchantId } = first!;
      const [older, newer] = [aKey({ merchantId }), aKey({ merchantId })];
      await storage.run(async (r) => {
        await r.merchants.putKey(older, null);
        await r.merchants.putKey(newer, secondsAfter(60));
      });
      expect((await claimed(first!)).keys).toEqual({
        ...{ current: older.sealed, other: newer.sealed, secrets: [] },
      });
      await storage.run((r) => r.merchants.noteFirstUse(newer.lookupHash, NOW));
      expect((await claimed(second!)).keys).toEqual({
        ...{ current: newer.sealed, other: older.sealed, secrets: [] },
      });
      expect((await claimed(first!, secondsAfter(60))).keys).toEqual({
        ...{ current: newer.sealed, other: null, secrets: [] },
      });
    });

    test('a delivery of a merchant without a key is claimed without one', async () => {
      const delivery = await one();
      expect((await claimed(delivery)).keys).toBeNull();
    });

    test('one transition is enqueued once; replays are deliveries of their own', async () => {
      const delivery = await one({ invoiceVersion: 3 });
      const again = { ...delivery, id: anId(), body: '{"later":true}' };
      const replays = [anId(), anId()].map((id) => ({
        ...{ ...delivery, id, invoiceVersion: null, eventAt: null },
      }));
      await storage.run(async (r) => {
        for (const other of [again, ...replays]) await r.webhooks.enqueue(other);
      });
      const found = await claim();
      const ids = found.map(({ id }) => id);
      expect(ids.sort()).toEqual([delivery.id, ...replays.map((replay) => replay.id)]);
      expect(new Set(found.map(({ body }) => body))).toEqual(new Set(['{"status":"success","event_seq":1}']));
    });

    test('the oldest due come first, and what is not due yet stays', async () => {
      const [late, early, future] = await enqueued(
        { dueAt: NOW },
        { dueAt: secondsAfter(-5) },
        { dueAt: secondsAfter(1) },
      );
      expect((await claim(NOW, 1)).map((found) => found.id)).toEqual([early?.id ?? '']);
      expect((await claim(NOW)).map((found) => found.id)).toEqual([late?.id ?? '']);
      expect((await claim(secondsAfter(1))).map((found) => found.id)).toEqual([future?.id ?? '']);
    });

    test('two dispatchers never claim one delivery twice', async () => {
      const deliveries = await enqueued(...Array.from({ length: 200 }, () => ({})));
      const claims = await Promise.all(Array.from({ length: 12 }, () => claim(NOW, 30)));
      const ids = claims.flat().map((found) => found.id);
      expect(new Set(ids).size).toBe(ids.length);
      const rest = (await claim()).map((found) => found.id);
      expect([...ids, ...rest].sort()).toEqual(deliveries.map((delivery) => delivery.id));
    });

    test('an expired lease is claimed again, as a further attempt', async () => {
      const delivery = await one();
      expect((await claimed(delivery)).attempt).toBe(1);
      expect(await claimOne(delivery.id, secondsAfter(LEASE_SECONDS - 1))).toBeNull();
      expect(await claim(secondsAfter(LEASE_SECONDS - 1))).toEqual([]);
      expect((await claim(secondsAfter(LEASE_SECONDS))).map((found) => found.attempt)).toEqual([2]);
    });

    test('one delivery can be claimed before it is due, by one caller only', async () => {
      const delivery = await one({ dueAt: secondsAfter(600) });
      const claims = await Promise.all(Array.from({ length: 5 }, () => claimOne(delivery.id)));
      expect(claims.filter((found) => found !== null)).toHaveLength(1);
      expect(await claimOne(anId())).toBeNull();
    });

    test('a delivered or dead delivery is never claimed again; a pending one when it is due', async () => {
      const [delivered, dead, pending] = await enqueued({}, {}, {});
      if (!delivered || !dead || !pending) throw new Error('nothing was enqueued');
      await queue().record([
        outcome(await claimed(delivered), { state: 'delivered' }),
        outcome(await claimed(dead), { state: 'dead' }),
        outcome(await claimed(pending), { state: 'pending', dueAt: secondsAfter(30) }),
      ]);
      expect(await claim(secondsAfter(29))).toEqual([]);
      expect((await claim(secondsAfter(30))).map((found) => [found.id, found.attempt])).toEqual([
        [pending.id, 2],
      ]);
      expect(await claimOne(delivered.id, secondsAfter(9_999))).toBeNull();
      expect(await claimOne(dead.id, secondsAfter(9_999))).toBeNull();
    });

    test('the outcome of a lost lease is logged and moves nothing', async () => {
      const delivery = await one();
      const lost = await claimed(delivery);
      const current = await claimed(delivery, secondsAfter(LEASE_SECONDS));
      await queue().record([outcome(lost, { state: 'dead' })]);
      await queue().record([outcome(lost, { state: 'delivered' })]);
      await queue().record([outcome(current, { state: 'pending', dueAt: secondsAfter(100) })]);
      expect((await claim(secondsAfter(100))).map((found) => found.attempt)).toEqual([3]);
      expect(
        (await logOf(delivery.merchantId)).rows.map((row) => row.attempt).toSorted((a, b) => a - b),
      ).toEqual([1, 1, 2]);
    });

    test('a batch that is recorded again, its first outcome being unknown, is logged once', async () => {
      const deliveries = await enqueued({}, {});
      const outcomes = [];
      for (const delivery of deliveries)
        outcomes.push(outcome(await claimed(delivery), { state: 'delivered' }));
      await queue().record(outcomes);
      await queue().record(outcomes);
      expect((await logOf(deliveries[0]?.merchantId ?? '')).total).toBe(2);
      await queue().record([]);
    });

    test('one outcome that cannot be stored fails alone', async () => {
      const [good, bad] = await enqueued({}, {});
      if (!good || !bad) throw new Error('nothing was enqueued');
      const fine = outcome(await claimed(good), { state: 'delivered' });
      const broken = { ...outcome(await claimed(bad), { state: 'delivered' }), attemptId: 'not an id' };
      await expect(queue().record([broken, fine])).rejects.toThrow();
      expect((await logOf(good.merchantId)).rows.map((row) => row.id)).toEqual([fine.attemptId]);
      expect(await claimOne(good.id, secondsAfter(9_999))).toBeNull();
    });

    test('an answer that was cut inside a character, or carries NUL, is stored without', async () => {
      const delivery = await one();
      const torn = {
        ...outcome(await claimed(delivery), { state: 'dead' }),
        responseBody: 'a\u0000b💶'.slice(0, 4),
      };
      await queue().record([torn]);
      expect((await logOf(delivery.merchantId)).rows[0]?.responseBody).toBe('ab\ufffd');
    });

    test('attempts of many merchants, recorded at once from two dispatchers, are all logged', async () => {
      const merchants = await Promise.all(Array.from({ length: 4 }, () => storage.merchant()));
      const attempts = Array.from({ length: 400 }, (_, i) => ({
        id: anId(),
        merchantId: merchants[i % 4]?.id ?? '',
        sandbox: i % 3 === 0,
        invoiceId: anId(),
        eventSeq: null,
        sentAt: secondsAfter(i % 17),
      }));
      const batches = Array.from({ length: 8 }, (_, batch) => attempts.filter((_, i) => i % 8 === batch));
      await Promise.all(
        batches.map((batch) =>
          queue().record(
            batch.map(({ id, sentAt, ...about }) => ({
              attemptId: id,
              delivery: {
                id: anId(),
                ...about,
                destination: 'https://x.example:443',
                url: 'https://x.example',
                format: 'native_v2',
                body: '{}',
                attempt: 1,
                keys: null,
              },
              statusCode: null,
              responseBody: 'no answer',
              sentAt,
              next: { state: 'delivered' },
            })),
          ),
        ),
      );
      for (const { id: merchantId } of merchants) {
        for (const sandbox of [true, false]) {
          const expected = attempts.filter((row) => row.merchantId === merchantId && row.sandbox === sandbox);
          const { rows, total } = await logOf(merchantId, sandbox);
          expect(total).toBe(expected.length);
          expect(rows.map((row) => row.id).sort()).toEqual(expected.map((row) => row.id).sort());
        }
      }
    });
  });
}
