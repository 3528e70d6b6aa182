/** An API key is changed while a shop is at work: neither side of it fails, and the old key ends when it should. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import type { Caller } from '../../src/app/application.ts';
import { endOverlap, rotateKey } from '../../src/app/manage-merchants.ts';
import type { Environment } from '../../src/domain/merchant.ts';
import { StorageUnavailable } from '../../src/ports/repositories.ts';
import { aDelivery, anInvoice } from '../support/builders.ts';
import { type LogLine, memoryLogger } from '../support/memory-logger.ts';
import { isSigned } from '../support/merchant-journey.ts';
import { needs } from '../support/needs.ts';
import { postgresAvailable } from '../support/postgres.ts';
import { seeded } from '../support/seeded.ts';
import { type TestClock, testClock } from '../support/test-clock.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import {
  type ReceivedWebhook,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts';

const HOUR = 3_600;
/** Longer than an answer about a key is kept. */
const BEYOND_CACHE = 6;
const ENVIRONMENTS = ['live', 'sandbox'] as const;

describe.skipIf(!needs('postgres', postgresAvailable()))('an API key that is changed', () => {
  let clock: TestClock;
  let it: TestService;
  /** Another process on the same database, which runs since before every rotation. */
  let other: TestService;
  let receiver: WebhookReceiver;
  let respond: (webhook: ReceivedWebhook) => Response = () => new Response('ok');
  const lines: LogLine[] = [];

  beforeAll(async () => {
    clock = testClock();
    receiver = startWebhookReceiver({ respond: (webhook) => respond(webhook) });
    it = await startTestService({ overrides: { clock, logger: memoryLogger(lines) } });
    const { databaseUrl, service } = it;
    const { dataDir } = service.config;
    other = await startTestService({ databaseUrl, dataDir, overrides: { clock } });
  });
  afterAll(async () => {
    await other.stop();
    await it.stop();
    await receiver.stop();
  });

  /** A merchant with an invoice in each environment. */
  async function aShop() {
    const made = await it.merchant({ callbackUrl: receiver.url });
    const merchant = (await it.service.dependencies.unitOfWork.run((r) => r.merchants.find(made.id)))!;
    const ofShop = (environment: Environment) => ({
      ...{ merchantId: merchant.id, sandbox: environment === 'sandbox' },
    });
    const invoices = { live: anInvoice(ofShop('live')), sandbox: anInvoice(ofShop('sandbox')) };
    await it.service.dependencies.unitOfWork.run(async (r) => {
      for (const environment of ENVIRONMENTS) await r.invoices.insert(invoices[environment]);
    });
    const callerOf = (environment: Environment): Caller => ({
      ...{ merchant, environment },
      scope: ofShop(environment),
    });
    /** Queues a webhook without a call to the API, and answers its id. */
    async function enqueue(environment: Environment): Promise<string> {
      const delivery = aDelivery({
        ...{ ...ofShop(environment), invoiceId: invoices[environment].id, invoiceVersion: null },
        ...{ url: receiver.url, dueAt: clock.now() },
      });
      await it.service.dependencies.unitOfWork.run((r) => r.webhooks.enqueue(delivery));
      return delivery.id;
    }
    return {
      ...{ id: merchant.id, keys: { live: made.live, sandbox: made.sandbox }, callerOf, enqueue },
      /** What comes of one delivery, sent by a process. */
      async deliver(environment: Environment, by = it): Promise<ReceivedWebhook> {
        const before = receiver.received.length;
        await by.service.dispatcher.deliverNow(await enqueue(environment));
        return receiver.received[before]!;
      },
    };
  }

  async function rotated(id: string, overlapSeconds: number, environment: Environment = 'live') {
    const made = await rotateKey(it.service.dependencies)(id, environment, overlapSeconds);
    if (!made.ok) throw new Error(made.error.message);
    return made.value;
  }
  const call = async (key: string, by = it) => (await by.call(key, 'GET', '/api/v2/balance')).status;
  const by = (webhook: ReceivedWebhook) => [
    webhook.headers['x-service-signature'],
    webhook.headers['x-service-signature-previous'],
  ];
  const signatures = ({ body }: ReceivedWebhook, ...keys: readonly (string | null)[]) =>
    [0, 1].map((nth) => {
      const key = keys[nth] ?? null;
      return key === null ? undefined : createHmac('sha256', key).update(body).digest('hex');
    });

  test('opens the API and signs as the rules say, whatever is done in whatever order, in each environment by itself', async () => {
    for (let seed = 1; seed <= 6; seed += 1) {
      const random = seeded(seed);
      const shop = await aShop();
      const model = Object.fromEntries(
        ENVIRONMENTS.map((name) => [
          name,
          { newest: shop.keys[name], used: false, older: null as { key: string; until: number } | null },
        ]),
      ) as Record<
        Environment,
        { newest: string; used: boolean; older: { key: string; until: number } | null }
      >;
      const now = () => clock.now().getTime();
      const olderOf = (name: Environment) => {
        const { older } = model[name];
        return older !== null && older.until > now() ? older.key : null;
      };
      const steps = {
        async rotate(name: Environment) {
          const overlap = random.pick([0, HOUR, HOUR, HOUR]);
          const lived = olderOf(name) !== null;
          const { key, ended } = await rotated(shop.id, overlap, name);
          expect(ended).toBe((lived ? 1 : 0) + (overlap === 0 ? 1 : 0));
          const older = overlap === 0 ? null : { key: model[name].newest, until: now() + overlap * 1_000 };
          model[name] = { newest: key, used: false, older };
        },
        async callByNewest(name: Environment) {
          clock.advance(BEYOND_CACHE);
          expect(await call(model[name].newest, random.pick([it, other]))).toBe(200);
          model[name].used = true;
        },
        async callByOlder(name: Environment) {
          clock.advance(BEYOND_CACHE);
          const { older } = model[name];
          if (older !== null) expect(await call(older.key)).toBe(olderOf(name) === null ? 401 : 200);
        },
        async end(name: Environment) {
          const done = await endOverlap(it.service.dependencies)(shop.id, name);
          expect(done).toMatchObject({ value: { ended: olderOf(name) !== null } });
          if (model[name].older !== null) model[name].older.until = 0;
        },
        async wait() {
          clock.advance(random.pick([60, HOUR / 2, HOUR - 1]));
        },
      };
      const names = Object.keys(steps) as [keyof typeof steps, ...(keyof typeof steps)[]];
      for (let step = 0; step < 14; step += 1) {
        await steps[random.pick(names)](random.pick(ENVIRONMENTS));
        const name = random.pick(ENVIRONMENTS);
        const [{ newest, used }, older] = [model[name], olderOf(name)];
        const expected = older === null || used ? [newest, older] : [older, newest];
        const webhook = await shop.deliver(name, random.pick([it, other]));
        expect(by(webhook)).toEqual(signatures(webhook, ...expected));
        await it.service.application.sendTestWebhook(shop.callerOf(name), {
          url: null,
          status: null,
          format: null,
        });
        const sample = receiver.received.at(-1)!;
        expect(by(sample)).toEqual(signatures(sample, ...expected));
      }
    }
  }, 30_000);

  test('in the middle of a stream of deliveries costs none of them, with a receiver that knows one key and looks at one signature', async () => {
    const shop = await aShop();
    let shopKey = shop.keys.live;
    const taken = new Set<string>();
    let refused = 0;
    respond = (webhook) => {
      const isGood = isSigned(webhook, shopKey);
      if (isGood) taken.add(webhook.headers['x-service-delivery'] ?? '');
      else refused += 1;
      return new Response('', { status: isGood ? 200 : 401 });
    };
    const sent: string[] = [];
    /** Some deliveries, of which each is made by either process, while the shop calls. */
    async function stream(): Promise<void> {
      for (let nth = 0; nth < 6; nth += 1) sent.push(await shop.enqueue('live'));
      const [, , status] = await Promise.all([
        it.service.dispatcher.run(),
        other.service.dispatcher.run(),
        call(shopKey, other),
      ]);
      expect(status).toBe(200);
    }
    await stream();
    const { key } = await rotated(shop.id, 24 * HOUR);
    await stream();
    expect({ taken: taken.size, refused }).toEqual({ taken: 12, refused: 0 });
    // The receiver has the new key a moment before the shop's first call: what it refuses then comes again.
    shopKey = key;
    for (let nth = 0; nth < 3; nth += 1) sent.push(await shop.enqueue('live'));
    await it.service.dispatcher.run();
    expect({ taken: taken.size, refused }).toEqual({ taken: 12, refused: 3 });
    expect(await call(key, other)).toBe(200);
    await stream();
    clock.advance(24 * HOUR);
    await stream();
    expect([...taken].toSorted()).toEqual(sent.toSorted());
    expect(refused).toBe(3);
    const dead = { invoiceId: null, since: null, limit: 10 };
    expect(await it.service.dependencies.operatorQueries.deadDeliveries(dead)).toEqual([]);
    respond = () => new Response('ok');
  });

  test('for a stolen one is refused within five seconds by every process, and signs nothing more', async () => {
    const shop = await aShop();
    const stolen = shop.keys.live;
    expect(await Promise.all([call(stolen), call(stolen, other)])).toEqual([200, 200]);
    const { key, olderUntil, ended } = await rotated(shop.id, 0);
    expect({ olderUntil, ended }).toEqual({ olderUntil: null, ended: 1 });
    const webhook = await shop.deliver('live', other);
    expect(by(webhook)).toEqual(signatures(webhook, key));
    clock.advance(5);
    expect(await Promise.all([call(stolen), call(stolen, other)])).toEqual([401, 401]);
    expect(await call(key, other)).toBe(200);
    expect(await call(shop.keys.sandbox)).toBe(200);
  });

  test('and was used for the first time signs in every process as soon as that call is answered, and is told once', async () => {
    const shop = await aShop();
    const { key } = await rotated(shop.id, HOUR);
    const noted = () =>
      lines.filter(({ event, fields }) => event === 'merchant.new_key_used' && fields.merchantId === shop.id);
    const run = spyOn(it.service.dependencies.unitOfWork, 'run');
    run.mockRejectedValueOnce(new StorageUnavailable('the database is away'));
    expect(await call(key)).toBe(503);
    expect(isSigned(await shop.deliver('live'), shop.keys.live)).toBe(true);
    run.mockClear();
    expect(await Promise.all([call(key), call(key), call(key)])).toEqual([200, 200, 200]);
    expect(run).toHaveBeenCalledTimes(1);
    expect(isSigned(await shop.deliver('live', other), key)).toBe(true);
    run.mockClear();
    clock.advance(BEYOND_CACHE);
    expect(await call(key)).toBe(200);
    expect(run).not.toHaveBeenCalled();
    run.mockRestore();
    expect(noted()).toHaveLength(1);
  });

  test('K7: a clock that is ahead ends no key for good, and one that is behind keeps none alive that was ended', async () => {
    const shop = await aShop();
    const { key } = await rotated(shop.id, HOUR);
    clock.advance(2 * HOUR);
    expect(await call(shop.keys.live)).toBe(401);
    clock.advance(-2 * HOUR);
    expect(await call(shop.keys.live)).toBe(200);
    const webhook = await shop.deliver('live');
    expect(by(webhook)).toEqual(signatures(webhook, shop.keys.live, key));
    await endOverlap(it.service.dependencies)(shop.id, 'live');
    clock.advance(-2 * HOUR);
    expect(await call(shop.keys.live)).toBe(401);
    clock.advance(2 * HOUR);
  });
});
