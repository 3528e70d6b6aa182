/**
 * A receiver that is away for hours or for good: what that costs it, and that nothing of its
 * merchants is lost.
 */
import { describe, expect, test } from 'bun:test';
import { giveUpWebhooks } from '../../../src/app/webhooks/expire-deliveries.ts';
import { anId } from '../../support/builders.ts';
import { memoryLogger } from '../../support/runtime/memory-logger.ts';
import { ATTEMPT_MS, deliveryWorld, type Receiver } from '../../support/webhooks/delivery-world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const HANGS: Receiver = { kind: 'hangs' };

/** A merchant with 40 webhooks due at a receiver. */
function world(receiver: Receiver) {
  const it = deliveryWorld();
  it.receivers.set('shop.example', receiver);
  const merchantId = anId();
  const ids = it.enqueue(merchantId, 'https://shop.example/', 40);
  return { ...it, merchantId, ids };
}

describe('W1: a receiver that is away', () => {
  test.each([
    ['hangs', HANGS],
    ['refuses', { kind: 'refuses' } as const],
  ])(
    'W1: for six hours (it %s) is tried a few times an hour, and gets everything soon after its return',
    async (_, receiver) => {
      const it = world(receiver);
      const working = it.work();
      await it.time.pass(HOUR_MS);
      const inFirstHour = it.sent.length;
      await it.time.pass(5 * HOUR_MS);
      // Attempts in the first wave, and a trial each five minutes at most.
      expect(inFirstHour).toBeLessThan(120);
      expect(it.sent.length - inFirstHour).toBeLessThanOrEqual(5 * 12);
      expect(it.queue.pending()).toBe(40);
      it.receivers.set('shop.example', { kind: 'answers', ms: 100 });
      const returnedMs = it.time.elapsedMs();
      await it.time.pass(6 * MINUTE_MS);
      working.stop();
      const delivered = new Set(
        it.queue.recorded.filter(({ next }) => next.state === 'delivered').map(({ delivery }) => delivery.id),
      );
      // What has its next attempt still before it by the promised delays waits for that, as it
      // would without a circuit.
      const early = it.queue.recorded.filter(
        ({ next }) => next.state === 'pending' && next.dueAt.getTime() > it.time.now().getTime(),
      );
      expect(delivered.size + new Set(early.map(({ delivery }) => delivery.id)).size).toBe(40);
      expect(delivered.size).toBeGreaterThan(25);
      expect(it.time.elapsedMs() - returnedMs).toBeLessThanOrEqual(6 * MINUTE_MS);
    },
    60_000,
  );

  test('W1: costs a delivery no attempt that was not made, and none comes before its promised time', async () => {
    const it = world(HANGS);
    const working = it.work();
    await it.time.pass(3 * HOUR_MS);
    working.stop();
    await it.time.pass(ATTEMPT_MS);
    const promised = [30, 60, 120, 300, 600, 1_200, 2_400, 4_800, 9_600];
    for (const id of it.ids) {
      const made = it.sent.filter((sent) => sent.id === id);
      expect(made.map(({ attempt }) => attempt)).toEqual(made.map((_, index) => index + 1));
      for (const [index, { beganMs }] of made.slice(1).entries()) {
        const endedMs = (made[index]?.beganMs ?? 0) + ATTEMPT_MS;
        expect(beganMs - endedMs).toBeGreaterThanOrEqual((promised[index] ?? 0) * 1_000);
      }
    }
    expect(Math.max(...it.sent.map(({ attempt }) => attempt))).toBeLessThan(10);
  }, 120_000);

  test('W1: is said once when its circuit opens and once when it closes', async () => {
    const it = world(HANGS);
    const working = it.work();
    await it.time.pass(10 * MINUTE_MS);
    it.receivers.set('shop.example', { kind: 'answers', ms: 100 });
    await it.time.pass(6 * MINUTE_MS);
    working.stop();
    expect(it.logs.map(({ event }) => event)).toEqual([
      'webhook.receiver_silent',
      'webhook.receiver_answers',
    ]);
    const fields = { destination: 'https://shop.example:443', reason: 'no answer in time' };
    expect(it.logs[0]).toMatchObject({ fields });
  });

  test('W1: shuts out nobody else: another merchant of the same host sends on while one answer is given', async () => {
    const it = deliveryWorld();
    it.receivers.set('https://saas.example/dead', HANGS);
    it.receivers.set('https://saas.example/fine', { kind: 'answers', ms: 50 });
    it.enqueue(anId(), 'https://saas.example/dead', 60);
    const working = it.work();
    await it.time.pass(2 * MINUTE_MS);
    const other = anId();
    const own: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      own.push(...it.enqueue(other, 'https://saas.example/fine', 1));
      await it.time.pass(MINUTE_MS);
    }
    working.stop();
    const sent = new Map(it.sent.map(({ id, beganMs, dueMs }) => [id, beganMs - dueMs]));
    for (const id of own) expect(sent.get(id)).toBeLessThanOrEqual(1_250);
  });

  test('W1: lets no dead receiver of another merchant be its only trial: who shares its host is tried in turn', async () => {
    const it = deliveryWorld();
    const [older, younger] = [anId(), anId()].toSorted();
    if (older === undefined || younger === undefined) throw new Error('two merchants');
    it.receivers.set('https://saas.example/dead', HANGS);
    it.receivers.set('https://saas.example/fine', HANGS);
    it.enqueue(older, 'https://saas.example/dead', 60);
    const own = it.enqueue(younger, 'https://saas.example/fine', 2);
    const working = it.work();
    await it.time.pass(MINUTE_MS);
    // The host was away for all for a minute. One endpoint stays dead.
    it.receivers.set('https://saas.example/fine', { kind: 'answers', ms: 50 });
    await it.time.pass(30 * MINUTE_MS);
    working.stop();
    const delivered = it.queue.recorded.filter(({ next }) => next.state === 'delivered');
    expect(delivered.map(({ delivery }) => delivery.id).toSorted()).toEqual(own.toSorted());
  });

  test('W1: for good leaves nothing behind: after a day its webhooks are given up, and the operators are told', async () => {
    const it = world(HANGS);
    const working = it.work();
    await it.time.pass(MINUTE_MS);
    working.stop();
    await it.time.pass(ATTEMPT_MS);
    const giveUp = giveUpWebhooks({
      clock: it.time,
      logger: memoryLogger(it.logs),
      webhookQueue: it.queue,
      receiverCircuits: it.queue.circuits,
    });
    await it.time.pass(23 * HOUR_MS);
    expect([await giveUp(1_000), it.queue.pending()]).toEqual([0, 40]);
    await it.time.pass(2 * HOUR_MS);
    expect([await giveUp(1_000), it.queue.pending()]).toEqual([40, 0]);
    expect(it.logs.at(-1)).toMatchObject({ event: 'webhook.given_up', fields: { deliveries: 40 } });
    expect(await it.queue.circuits.open(10)).toEqual([]);
  });
});

describe('W1: a dispatcher', () => {
  test('W1: keeps what it is sending for as long as that takes, beside others', async () => {
    const it = deliveryWorld();
    it.receivers.set('shop.example', { kind: 'answers', ms: 200_000 });
    const ids = it.enqueue(anId(), 'https://shop.example/', 4);
    const [one, two] = [it.work(), it.work()];
    await it.time.pass(210_000);
    expect(it.sent.map(({ id }) => id).toSorted()).toEqual([...ids].toSorted());
    expect(it.queue.pending()).toBe(0);
    for (const working of [one, two]) working.stop();
  });

  test('W1: that dies in the middle loses nothing: another one sends what it had', async () => {
    const it = deliveryWorld();
    it.receivers.set('shop.example', { kind: 'answers', ms: 100 });
    const merchantId = anId();
    const ids = it.enqueue(merchantId, 'https://shop.example/', 30);
    const lane = { merchantId, destination: 'https://shop.example:443', most: 20, trial: false };
    await it.queue.claim({ lanes: [lane], now: it.time.now(), leaseSeconds: 30 });
    const working = it.work();
    await it.time.pass(29_000);
    expect(it.sent).toHaveLength(10);
    await it.time.pass(5_000);
    expect(it.sent.map(({ id }) => id).toSorted()).toEqual([...ids].toSorted());
    expect(it.queue.pending()).toBe(0);
    working.stop();
  });

  test('W1: that is stopped takes nothing more, and waits some seconds for what is under way', async () => {
    const it = deliveryWorld();
    it.receivers.set('quick.example', { kind: 'answers', ms: 3_000 });
    it.receivers.set('dead.example', HANGS);
    it.enqueue(anId(), 'https://quick.example/', 20);
    it.enqueue(anId(), 'https://dead.example/', 20);
    const dispatcher = it.dispatcher();
    const stopping = new AbortController();
    const run = dispatcher.run(stopping.signal);
    await it.time.pass(100);
    const begun = it.sent.length;
    stopping.abort();
    await it.time.until(run);
    expect(it.time.elapsedMs()).toBeLessThanOrEqual(4_000);
    expect(it.sent).toHaveLength(begun);
    const answered = it.sent.filter(({ url }) => url.includes('quick'));
    expect(it.queue.recorded.map(({ delivery }) => delivery.id).toSorted()).toEqual(
      answered.map(({ id }) => id).toSorted(),
    );
    expect(await dispatcher.run(stopping.signal)).toBe(0);
  });
});
