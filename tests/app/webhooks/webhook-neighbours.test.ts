/**
 * No merchant waits for another one's receiver: the dispatcher over random worlds in virtual time,
 * and the cases that count.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { anId } from '../../support/builders.ts';
import { ATTEMPT_MS, deliveryWorld, type Receiver } from '../../support/webhooks/delivery-world.ts';

const answers = (ms: number): Receiver => ({ kind: 'answers', ms });
/** The job looks once a second; what it finds then, it sends at once. */
const WAIT_MS_MAX = 1_250;

/** Times between being due and being sent first, of these webhooks. */
function waits(world: ReturnType<typeof deliveryWorld>, ids: readonly string[]): readonly number[] {
  return ids.map((id) => {
    const first = world.sent.find((sent) => sent.id === id);
    return first === undefined ? Number.POSITIVE_INFINITY : first.beganMs - first.dueMs;
  });
}

const badReceiver = fc.oneof(
  fc.constant<Receiver>({ kind: 'hangs' }),
  fc.constant<Receiver>({ kind: 'refuses' }),
  fc.integer({ min: 3_000, max: 14_000 }).map(answers),
  fc.constant<Receiver>({ kind: 'answers', ms: 40, status: 503 }),
);

const aWorld = fc.record({
  /** Backlogs of merchants whose receivers are bad, some of them on one host. */
  bad: fc.array(
    fc.record({
      receiver: badReceiver,
      count: fc.integer({ min: 1, max: 300 }),
      hosts: fc.integer({ min: 1, max: 4 }),
      onSharedHost: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  ),
  /**
   * Merchants who send a few at a time, to a host of their own or to the one that bad paths share.
   */
  good: fc.array(fc.record({ ms: fc.integer({ min: 1, max: 800 }), onSharedHost: fc.boolean() }), {
    minLength: 1,
    maxLength: 12,
  }),
  gapMs: fc.integer({ min: 300, max: 3_000 }),
});

describe('W1: a merchant whose receiver answers', () => {
  test('W1: is never kept waiting by those whose receivers do not, whatever they do and wherever they are', async () => {
    await fc.assert(
      fc.asyncProperty(aWorld, async ({ bad, good, gapMs }) => {
        const world = deliveryWorld();
        for (const [index, { receiver, count, hosts, onSharedHost }] of bad.entries()) {
          const merchantId = anId();
          for (let host = 0; host < hosts; host += 1) {
            const url = onSharedHost
              ? `https://saas.example/bad${index}`
              : `https://bad${index}-${host}.example/`;
            world.receivers.set(onSharedHost ? url : new URL(url).host, receiver);
            world.enqueue(merchantId, url, count);
          }
        }
        const merchants = good.map(({ ms, onSharedHost }, index) => {
          const url = onSharedHost ? `https://saas.example/good${index}` : `https://good${index}.example/`;
          world.receivers.set(onSharedHost ? url : new URL(url).host, answers(ms));
          return { merchantId: anId(), url };
        });
        const working = world.work();
        const own: string[] = [];
        for (let round = 0; round < 8; round += 1) {
          for (const { merchantId, url } of merchants) own.push(...world.enqueue(merchantId, url, 2));
          await world.time.pass(gapMs);
        }
        await world.time.pass(WAIT_MS_MAX);
        expect(Math.max(...waits(world, own))).toBeLessThanOrEqual(WAIT_MS_MAX);
        expect(world.underWay.most).toBeLessThanOrEqual(1_024);
        working.stop();
        await world.time.pass(ATTEMPT_MS);
      }),
      { numRuns: 8 },
    );
  }, 120_000);

  test.each([25, 400])(
    'W1: sends at once beside %d merchants whose receivers hang with 200 webhooks due each',
    async (dead) => {
      const world = deliveryWorld();
      for (let index = 0; index < dead; index += 1) {
        world.receivers.set(`dead${index}.example`, { kind: 'hangs' });
        world.enqueue(anId(), `https://dead${index}.example/`, 200);
      }
      const merchants = Array.from({ length: 20 }, (_, index) => {
        world.receivers.set(`good${index}.example`, answers(200));
        return { merchantId: anId(), url: `https://good${index}.example/` };
      });
      const working = world.work();
      const own: string[] = [];
      for (let round = 0; round < 30; round += 1) {
        for (const { merchantId, url } of merchants) own.push(...world.enqueue(merchantId, url, 1));
        await world.time.pass(700);
      }
      await world.time.pass(WAIT_MS_MAX);
      expect(Math.max(...waits(world, own))).toBeLessThanOrEqual(WAIT_MS_MAX);
      const mostOfDead = [...world.underWay.mostOf].filter(([host]) => host.startsWith('dead'));
      expect(Math.max(...mostOfDead.map(([, most]) => most))).toBeLessThanOrEqual(8);
      working.stop();
      await world.time.pass(ATTEMPT_MS);
    },
    60_000,
  );

  test('W1: is reached although its own merchant has hundreds of receivers that hang', async () => {
    const world = deliveryWorld();
    const merchantId = anId();
    for (let index = 0; index < 300; index += 1) {
      world.receivers.set(`dead${index}.example`, { kind: 'hangs' });
      world.enqueue(merchantId, `https://dead${index}.example/`, 3);
    }
    world.receivers.set('shop.example', answers(100));
    const own = world.enqueue(merchantId, 'https://shop.example/', 3);
    const other = anId();
    world.receivers.set('other.example', answers(100));
    const others = world.enqueue(other, 'https://other.example/', 3);
    const working = world.work();
    await world.time.pass(WAIT_MS_MAX);
    expect(Math.max(...waits(world, others))).toBeLessThanOrEqual(WAIT_MS_MAX);
    // It waits for its turn among its merchant's 301, and not for all that they have to time out.
    await world.time.pass(25 * ATTEMPT_MS);
    expect(Math.max(...waits(world, own))).toBeLessThanOrEqual(25 * ATTEMPT_MS);
    working.stop();
    await world.time.pass(ATTEMPT_MS);
  }, 120_000);
});

describe('W1: receivers that are slow and answer', () => {
  test.each([
    ['ten merchants with a receiver each', 10, 10],
    ['ten merchants with one receiver', 10, 1],
    ['one merchant', 1, 1],
  ])(
    'W1: get 1,000 webhooks a second at 200 ms: %s',
    async (_, merchants, hosts) => {
      const world = deliveryWorld();
      for (let index = 0; index < merchants; index += 1) {
        const host = `shop${index % hosts}.example`;
        world.receivers.set(host, answers(200));
        world.enqueue(anId(), `https://${host}/`, 12_000 / merchants);
      }
      await world.time.until(world.dispatcher().run());
      expect(world.queue.pending()).toBe(0);
      expect(world.time.elapsedMs()).toBeLessThan(12_000);
    },
    60_000,
  );

  test('W1: get fewer at once when they answer 429 or fail, and few when they take seconds', async () => {
    const world = deliveryWorld();
    const receivers: readonly [string, Receiver][] = [
      ['busy.example', { kind: 'answers', ms: 100, status: 429 }],
      ['broken.example', { kind: 'answers', ms: 100, status: 500 }],
      ['slow.example', answers(5_000)],
    ];
    for (const [host, receiver] of receivers) {
      world.receivers.set(host, receiver);
      world.enqueue(anId(), `https://${host}/`, 400);
    }
    const working = world.work();
    /** The most that each has under way from now on, for so long. */
    const mostWithin = async (ms: number): Promise<readonly number[]> => {
      world.underWay.mostOf.clear();
      await world.time.pass(ms);
      return receivers.map(([host]) => world.underWay.mostOf.get(host) ?? 0);
    };
    await mostWithin(500);
    expect((await mostWithin(6_000)).slice(0, 2)).toEqual([1, 1]);
    expect((await mostWithin(20_000))[2]).toBeLessThanOrEqual(4);
    working.stop();
    await world.time.pass(ATTEMPT_MS);
  });
});
