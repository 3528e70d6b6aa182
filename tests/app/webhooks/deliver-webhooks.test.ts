/**
 * One attempt and what follows from its answer; and that nothing wrong with one delivery stops the
 * others.
 */
import { describe, expect, test } from 'bun:test';
import { LEASE_SECONDS } from '../../../src/app/webhooks/due-deliveries.ts';
import { StorageUnavailable } from '../../../src/ports/repositories.ts';
import type { WebhookOutcome } from '../../../src/ports/webhooks/webhook-transport.ts';
import { anId } from '../../support/builders.ts';
import { deliveryWorld } from '../../support/webhooks/delivery-world.ts';

const URL_OF_SHOP = 'https://shop.example/';
const OK: WebhookOutcome = { kind: 'answered', status: 200, body: 'ok' };

/** A world whose transport answers everything the same way. */
const answering = (outcome: WebhookOutcome) =>
  deliveryWorld({ webhookTransport: { post: async () => outcome } });

describe('the webhook dispatcher', () => {
  test('records the outcome of every attempt exactly once, in whatever order receivers answer', async () => {
    const it = deliveryWorld();
    const ids = Array.from({ length: 450 }, (_, index) => {
      it.receivers.set(`shop${index}.example`, { kind: 'answers', ms: (index * 7) % 110 });
      return it.enqueue(anId(), `https://shop${index}.example/`, 1)[0] ?? '';
    });
    expect(await it.time.until(it.dispatcher().run())).toBe(450);
    expect(it.queue.recorded.map(({ delivery }) => delivery.id).toSorted()).toEqual(ids.toSorted());
    expect(it.queue.pending()).toBe(0);
  });

  test.each([
    [{ kind: 'answered', status: 204, body: '' }, 1, 'delivered', null],
    [{ kind: 'answered', status: 404, body: '' }, 1, 'dead', null],
    [{ kind: 'answered', status: 429, body: '' }, 1, 'pending', 30],
    [{ kind: 'answered', status: 302, body: '' }, 3, 'pending', 120],
    [{ kind: 'failed', reason: 'connection refused' }, 9, 'pending', 9600],
    [{ kind: 'unsent', reason: 'no sockets' }, 2, 'pending', 60],
    [{ kind: 'refused', reason: 'private address' }, 10, 'dead', null],
  ] as const)('%j at attempt %p makes the delivery %s', async (outcome, attempt, state, delaySeconds) => {
    const it = answering(outcome);
    const [id] = it.enqueue(anId(), URL_OF_SHOP, 1);
    for (let before = 1; before < attempt; before += 1) {
      await it.queue.claimOne(id ?? '', { now: it.time.now(), leaseSeconds: 0 });
    }
    await it.time.until(it.dispatcher().run());
    const [recorded] = it.queue.recorded;
    expect(recorded?.delivery.attempt).toBe(attempt);
    expect(recorded?.next.state).toBe(state);
    const next = recorded?.next;
    const delay =
      next?.state === 'pending' ? (next.dueAt.getTime() - (recorded?.sentAt.getTime() ?? 0)) / 1000 : null;
    expect(delay).toBe(delaySeconds);
  });

  test('a key that cannot be opened fails its own attempt and stops no other', async () => {
    let opened = 0;
    const it = deliveryWorld({
      webhookTransport: { post: async () => OK },
      vault: {
        seal: (text) => text,
        lookupHash: (text) => text,
        mac: (text) => text,
        open(sealed) {
          opened += 1;
          if (opened === 1) throw new Error('the seal is broken');
          return sealed;
        },
      },
    });
    for (let nth = 0; nth < 2; nth += 1) it.enqueue(anId(), URL_OF_SHOP, 1);
    expect(await it.time.until(it.dispatcher().run())).toBe(2);
    expect(it.queue.recorded.map(({ next }) => next.state).toSorted()).toEqual(['delivered', 'pending']);
  });

  test('W1: what it claimed and did not send, because the database was away, is sent in a later run', async () => {
    let isAway = true;
    const it = deliveryWorld();
    it.receivers.set('quick.example', { kind: 'answers', ms: 10 });
    it.receivers.set('slow.example', { kind: 'answers', ms: 200 });
    for (const host of ['quick', 'slow']) it.enqueue(anId(), `https://${host}.example/`, 40);
    const { record, claim } = it.queue;
    const dispatcher = it.dispatcher({
      webhookQueue: {
        ...it.queue,
        // The database fails between a claim's end and its answer.
        async claim(wanted) {
          const claimed = await claim(wanted);
          await new Promise<void>((resolve) => it.time.timers.after(40, resolve));
          return claimed;
        },
        record: async (outcomes) =>
          isAway ? Promise.reject(new StorageUnavailable('away')) : record(outcomes),
      },
    });
    await expect(it.time.until(dispatcher.run())).rejects.toThrow('away');
    isAway = false;
    expect(dispatcher.figures().inFlight).toBe(0);
    await it.time.pass(LEASE_SECONDS * 1_000);
    await it.time.until(dispatcher.run());
    expect(it.queue.pending()).toBe(0);
  });

  test('a delivery is made at once when it is asked for, and its receiver is told of no second one', async () => {
    const it = answering(OK);
    const [id = ''] = it.enqueue(anId(), URL_OF_SHOP, 1);
    const dispatcher = it.dispatcher();
    expect(await dispatcher.deliverNow(id)).toEqual({
      ...{ url: URL_OF_SHOP, delivered: true, statusCode: 200, error: null },
    });
    expect(await dispatcher.deliverNow(id)).toBeNull();
    expect(await it.time.until(dispatcher.run())).toBe(0);
  });

  test('W1: what this process lacks says nothing of receivers: no circuit opens, and fewer are tried at once', async () => {
    const it = answering({ kind: 'unsent', reason: 'the gateway could not connect (EMFILE)' });
    for (let nth = 0; nth < 20; nth += 1) it.enqueue(anId(), URL_OF_SHOP, 2);
    const dispatcher = it.dispatcher();
    await it.time.until(dispatcher.run());
    expect(await it.queue.circuits.open(10)).toEqual([]);
    expect(it.logs).toEqual([]);
    expect(dispatcher.figures().limit).toBeLessThan(64);
  });
});
