/**
 * An API key is changed while a shop is at work: neither side of it fails, and the old key ends
 * when it should. So with webhook secrets.
 */
import { afterAll, beforeAll, describe, expect, setSystemTime, spyOn, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { endOverlap } from '../../../src/app/merchants/manage-merchants.ts';
import {
  endSecretOverlap,
  rotateWebhookSecret,
  showWebhookSecret,
} from '../../../src/app/merchants/webhook-secrets.ts';
import type { Environment } from '../../../src/domain/environment.ts';
import { WEBHOOK_FORMATS } from '../../../src/domain/webhooks/webhook-format.ts';
import { StorageUnavailable } from '../../../src/ports/repositories.ts';
import { md5 } from '../../support/compat/cryptomus-client.ts';
import { isSigned } from '../../support/merchant-journey.ts';
import { ENVIRONMENTS, type KeyDesk, made, openKeyDesk } from '../../support/operators/key-desk.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { seeded } from '../../support/runtime/seeded.ts';
import type { ReceivedWebhook } from '../../support/webhooks/webhook-receiver.ts';

const HOUR = 3_600;
/** Longer than an answer about a key is kept. */
const BEYOND_CACHE = 6;
const PREFIXES = ['X-Paw', 'X-Other-Shop'];
const A_SAMPLE = { url: null, status: null, format: null };

describe.skipIf(!needs('postgres', postgresAvailable()))('an API key that is changed', () => {
  let desk: KeyDesk;
  beforeAll(async () => {
    desk = await openKeyDesk({ WEBHOOK_HEADER_PREFIXES: PREFIXES.join(', ') });
  });
  afterAll(() => desk.close());

  const by = ({ headers }: ReceivedWebhook, prefix = 'X-Service') =>
    ['signature', 'signature-previous'].map((name) => headers[`${prefix}-${name}`.toLowerCase()]);
  const signatures = ({ body }: ReceivedWebhook, ...keys: readonly (string | null)[]) =>
    [0, 1].map((nth) => {
      const key = keys[nth] ?? null;
      return key === null ? undefined : createHmac('sha256', key).update(body).digest('hex');
    });

  test('opens the API and signs as the rules say, whatever is done in whatever order, in each environment by itself', async () => {
    for (let seed = 1; seed <= 6; seed += 1) {
      const random = seeded(seed);
      const shop = await desk.aShop();
      const model = Object.fromEntries(
        ENVIRONMENTS.map((name) => [
          name,
          { newest: shop.keys[name], used: false, older: null as { key: string; until: number } | null },
        ]),
      ) as Record<
        Environment,
        { newest: string; used: boolean; older: { key: string; until: number } | null }
      >;
      const now = () => desk.clock.now().getTime();
      const olderOf = (name: Environment) => {
        const { older } = model[name];
        return older !== null && older.until > now() ? older.key : null;
      };
      const steps = {
        async rotate(name: Environment) {
          const overlap = random.pick([0, HOUR, HOUR, HOUR]);
          const lived = olderOf(name) !== null;
          const { key, ended } = await shop.rotate(overlap, name);
          expect(ended).toBe((lived ? 1 : 0) + (overlap === 0 ? 1 : 0));
          const older = overlap === 0 ? null : { key: model[name].newest, until: now() + overlap * 1_000 };
          model[name] = { newest: key, used: false, older };
        },
        async callByNewest(name: Environment) {
          desk.clock.advance(BEYOND_CACHE);
          expect(await desk.call(model[name].newest, random.pick([desk.it, desk.other]))).toBe(200);
          model[name].used = true;
        },
        async callByOlder(name: Environment) {
          desk.clock.advance(BEYOND_CACHE);
          const { older } = model[name];
          if (older !== null) expect(await desk.call(older.key)).toBe(olderOf(name) === null ? 401 : 200);
        },
        async end(name: Environment) {
          const after = random.pick([0, 0, 2 * HOUR]);
          const done = await endOverlap(desk.it.service.dependencies)(shop.id, name, after);
          expect(done).toMatchObject({ value: { ends: olderOf(name) !== null } });
          const until = after > 0 && olderOf(name) !== null ? now() + after * 1_000 : 0;
          if (model[name].older !== null) model[name].older.until = until;
        },
        async wait() {
          desk.clock.advance(random.pick([60, HOUR / 2, HOUR - 1]));
        },
      };
      const names = Object.keys(steps) as [keyof typeof steps, ...(keyof typeof steps)[]];
      for (let step = 0; step < 14; step += 1) {
        await steps[random.pick(names)](random.pick(ENVIRONMENTS));
        const name = random.pick(ENVIRONMENTS);
        const [{ newest, used }, older] = [model[name], olderOf(name)];
        const expected = older === null || used ? [newest, older] : [older, newest];
        const webhook = await shop.deliver(name, random.pick([desk.it, desk.other]));
        expect(by(webhook)).toEqual(signatures(webhook, ...expected));
        expect(by(webhook, PREFIXES[0])).toEqual(by(webhook));
        await desk.it.service.application.sendTestWebhook(shop.callerOf(name), A_SAMPLE);
        const sample = desk.receiver.received.at(-1)!;
        expect(by(sample)).toEqual(signatures(sample, ...expected));
      }
    }
  }, 120_000);

  test('in the middle of a stream of deliveries costs none of them, with a receiver that knows one key and looks at one signature', async () => {
    const shop = await desk.aShop();
    let shopKey = shop.keys.live;
    const taken = new Set<string>();
    let refused = 0;
    desk.respond((webhook) => {
      const isGood = isSigned(webhook, shopKey);
      if (isGood) taken.add(webhook.headers['x-service-delivery'] ?? '');
      else refused += 1;
      return new Response('', { status: isGood ? 200 : 401 });
    });
    const sent: string[] = [];
    /** Some deliveries, of which each is made by either process, while the shop calls. */
    async function stream(): Promise<void> {
      for (let nth = 0; nth < 6; nth += 1) sent.push(await shop.enqueue('live'));
      const [, , status] = await Promise.all([
        desk.it.service.dispatcher.run(),
        desk.other.service.dispatcher.run(),
        desk.call(shopKey, desk.other),
      ]);
      expect(status).toBe(200);
    }
    await stream();
    const { key } = await shop.rotate(24 * HOUR);
    await stream();
    expect({ taken: taken.size, refused }).toEqual({ taken: 12, refused: 0 });
    // The receiver has the new key a moment before the shop's first call: what it refuses then
    // comes again.
    shopKey = key;
    for (let nth = 0; nth < 3; nth += 1) sent.push(await shop.enqueue('live'));
    await desk.it.service.dispatcher.run();
    expect({ taken: taken.size, refused }).toEqual({ taken: 12, refused: 3 });
    expect(await desk.call(key, desk.other)).toBe(200);
    await stream();
    desk.clock.advance(24 * HOUR);
    await stream();
    expect([...taken].toSorted()).toEqual(sent.toSorted());
    expect(refused).toBe(3);
    const dead = { since: null, after: null, limit: 10 };
    expect(await desk.it.service.dependencies.operatorQueries.deadDeliveries(dead)).toEqual([]);
    desk.respond(() => new Response('ok'));
  });

  test('for a stolen one is refused within five seconds by every process, and signs nothing more', async () => {
    const shop = await desk.aShop();
    const stolen = shop.keys.live;
    expect(await Promise.all([desk.call(stolen), desk.call(stolen, desk.other)])).toEqual([200, 200]);
    const { key, olderUntil, ended } = await shop.rotate(0);
    expect({ olderUntil, ended }).toEqual({ olderUntil: null, ended: 1 });
    const webhook = await shop.deliver('live', desk.other);
    expect(by(webhook)).toEqual(signatures(webhook, key));
    desk.clock.advance(5);
    expect(await Promise.all([desk.call(stolen), desk.call(stolen, desk.other)])).toEqual([401, 401]);
    expect(await desk.call(key, desk.other)).toBe(200);
    expect(await desk.call(shop.keys.sandbox)).toBe(200);
  });

  test('and was used for the first time signs in every process as soon as that call is answered, and is told once', async () => {
    const shop = await desk.aShop();
    const { key } = await shop.rotate(HOUR);
    const noted = () =>
      desk.lines.filter(
        ({ event, fields }) => event === 'merchant.new_key_used' && fields.merchantId === shop.id,
      );
    const run = spyOn(desk.it.service.dependencies.unitOfWork, 'run');
    run.mockRejectedValueOnce(new StorageUnavailable('the database is away'));
    expect(await desk.call(key)).toBe(503);
    expect(isSigned(await shop.deliver('live'), shop.keys.live)).toBe(true);
    run.mockClear();
    expect(await Promise.all([desk.call(key), desk.call(key), desk.call(key)])).toEqual([200, 200, 200]);
    expect(run).toHaveBeenCalledTimes(1);
    expect(isSigned(await shop.deliver('live', desk.other), key)).toBe(true);
    run.mockClear();
    desk.clock.advance(BEYOND_CACHE);
    expect(await desk.call(key)).toBe(200);
    expect(run).not.toHaveBeenCalled();
    run.mockRestore();
    expect(noted()).toHaveLength(1);

    // As after a restore of a backup from before that call.
    await desk.forgetFirstUse(key);
    expect(isSigned(await shop.deliver('live'), shop.keys.live)).toBe(true);
    desk.clock.advance(BEYOND_CACHE);
    expect(await desk.call(key)).toBe(200);
    expect(isSigned(await shop.deliver('live'), key)).toBe(true);
  });

  test('and was used in a call that another provider’s client signs with it signs from then on, too', async () => {
    const shop = await desk.aShop();
    const { key } = await shop.rotate(HOUR);
    const headers = { merchant: shop.id, sign: md5('{}', key) };
    expect((await desk.it.call(null, 'POST', '/compat/cryptomus/v1/balance', {}, headers)).status).toBe(200);
    expect(isSigned(await shop.deliver('live'), key)).toBe(true);
  });

  test('K7: a clock that is ahead ends no key for good, and one that is behind keeps none alive that was ended', async () => {
    const shop = await desk.aShop();
    const { key } = await shop.rotate(HOUR);
    desk.clock.advance(2 * HOUR);
    expect(await desk.call(shop.keys.live)).toBe(401);
    desk.clock.advance(-2 * HOUR);
    expect(await desk.call(shop.keys.live)).toBe(200);
    const webhook = await shop.deliver('live');
    expect(by(webhook)).toEqual(signatures(webhook, shop.keys.live, key));
    await endOverlap(desk.it.service.dependencies)(shop.id, 'live', 0);
    desk.clock.advance(-2 * HOUR);
    expect(await desk.call(shop.keys.live)).toBe(401);
    desk.clock.advance(2 * HOUR);
  });

  const secretOf = async (id: string) =>
    (await made(showWebhookSecret(desk.it.service.dependencies)(id, 'live'))).secret;
  const rotatedSecret = (id: string, overlap: number) =>
    made(rotateWebhookSecret(desk.it.service.dependencies)(id, 'live', overlap));
  /** Whether the library accepts it, at the time of the attempt. */
  function accepts(secret: string, { body, headers }: ReceivedWebhook): boolean {
    setSystemTime(desk.clock.now());
    try {
      new Webhook(secret).verify(body, headers, { jsonParse: false });
      return true;
    } catch {
      return false;
    } finally {
      setSystemTime();
    }
  }

  test('leaves the signatures of Standard Webhooks, which are by the webhook secret: on every format, test, replay and attempt', async () => {
    const shop = await desk.aShop();
    const secret = await secretOf(shop.id);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await secretOf(shop.id)).toBe(secret);
    const from = desk.receiver.received.length;
    for (const format of WEBHOOK_FORMATS) {
      const foreign = format === 'native_v2' ? null : { format, body: '{"a":"é/1"}' };
      await desk.it.service.dispatcher.deliverNow(await shop.enqueue('live', { foreign }));
    }
    await desk.it.service.application.sendTestWebhook(shop.callerOf('live'), A_SAMPLE);
    await desk.it.call(shop.keys.live, 'POST', `/api/v2/invoices/${shop.invoices.live.id}/notify`);
    await desk.it.service.dispatcher.run();
    const received = desk.receiver.received.slice(from);
    expect(received).toHaveLength(WEBHOOK_FORMATS.length + 2);
    for (const webhook of received) {
      expect(accepts(secret, webhook)).toBe(true);
      expect(accepts(secret, { ...webhook, body: `${webhook.body} ` })).toBe(false);
      expect(webhook.headers['webhook-id']).toBe(webhook.headers['x-service-delivery']!);
      for (const prefix of PREFIXES)
        for (const name of ['signature', 'delivery', 'attempt'])
          expect(webhook.headers[`${prefix}-${name}`.toLowerCase()]).toBe(
            webhook.headers[`x-service-${name}`]!,
          );
    }
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(received.length);

    desk.respond(() => new Response('', { status: 500 }));
    await shop.enqueue('live');
    await desk.it.service.dispatcher.run();
    const first = desk.receiver.received.at(-1)!;
    desk.clock.advance(30);
    desk.respond(() => new Response('ok'));
    await desk.it.service.dispatcher.run();
    const second = desk.receiver.received.at(-1)!;
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']!);
    const times = [first, second].map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(times[1]! - times[0]!).toBe(30);
    expect(accepts(secret, second)).toBe(true);
  });

  test('is changed without its webhook secret, and that without the key: both secrets sign until the end, or until it is ended', async () => {
    const shop = await desk.aShop();
    const old = await secretOf(shop.id);
    const { secret, olderUntil } = await rotatedSecret(shop.id, HOUR);
    expect(olderUntil).toEqual(new Date(desk.clock.now().getTime() + HOUR * 1_000));
    const both = await shop.deliver('live', desk.other);
    expect(by(both)).toEqual(signatures(both, shop.keys.live));
    expect([old, secret].map((each) => accepts(each, both))).toEqual([true, true]);
    await desk.it.service.application.sendTestWebhook(shop.callerOf('live'), A_SAMPLE);
    expect(accepts(old, desk.receiver.received.at(-1)!)).toBe(true);
    const sandbox = await shop.deliver('sandbox');
    expect(accepts(secret, sandbox)).toBe(false);

    desk.clock.advance(HOUR - 1);
    expect(accepts(old, await shop.deliver('live'))).toBe(true);
    desk.clock.advance(1);
    const after = await shop.deliver('live');
    expect([old, secret].map((each) => accepts(each, after))).toEqual([false, true]);

    const third = await rotatedSecret(shop.id, HOUR);
    const ended = () => made(endSecretOverlap(desk.it.service.dependencies)(shop.id, 'live', 0));
    expect([await ended(), await ended()]).toMatchObject([{ ends: true }, { ends: false }]);
    const fourth = await rotatedSecret(shop.id, 0);
    expect(fourth.olderUntil).toBeNull();
    const alone = await shop.deliver('live');
    expect([third.secret, fourth.secret].map((each) => accepts(each, alone))).toEqual([false, true]);
  });
});
