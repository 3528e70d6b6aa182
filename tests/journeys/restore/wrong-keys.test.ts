/**
 * A flood of wrong API keys against the composed service: what it costs the database, the log, and
 * whoever has a good key.
 */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { authenticator } from '../../../src/app/merchants/authenticate.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { type LogLine, memoryLogger } from '../../support/runtime/memory-logger.ts';
import { needs } from '../../support/runtime/needs.ts';
import { type TestClock, testClock } from '../../support/runtime/test-clock.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

const PER_MINUTE = 30;
const wrongKey = () => `sk_live_${randomBytes(24).toString('hex')}`;

describe.skipIf(!needs('postgres', postgresAvailable()))('wrong API keys', () => {
  let clock: TestClock;
  let it: TestService;
  const lines: LogLine[] = [];

  beforeAll(async () => {
    clock = testClock();
    it = await startTestService({
      env: { RATE_LIMIT_PER_MINUTE: String(PER_MINUTE) },
      overrides: { clock, logger: memoryLogger(lines) },
    });
  });
  afterAll(() => it.stop());

  const ask = async (key: string) => (await it.call(key, 'GET', '/api/v2/balance')).status;
  /**
   * Statuses of so many requests with a wrong key each, all from one address, and how often the
   * database was asked for a key.
   */
  async function flood(requests: number) {
    const identity = spyOn(it.service.dependencies.queries, 'identity');
    const list = spyOn(it.service.dependencies.queries, 'keyHashes');
    const statuses = await Promise.all(Array.from({ length: requests }, () => ask(wrongKey())));
    const asked = identity.mock.calls.length + list.mock.calls.length;
    identity.mockRestore();
    list.mockRestore();
    return { asked, refused: statuses.filter((status) => status === 429).length, statuses };
  }

  test('W4: a flood of wrong keys is refused before the look-up, but for the first of an address in a minute', async () => {
    const first = await flood(300);
    expect(new Set(first.statuses)).toEqual(new Set([401, 429]));
    expect(first.refused).toBe(300 - PER_MINUTE);
    expect(first.asked).toBeLessThanOrEqual(PER_MINUTE + 4);
    const second = await flood(200);
    expect(second.refused).toBe(200);
    expect(second.asked).toBeLessThanOrEqual(4);
    clock.advance(60);
    expect((await flood(100)).refused).toBe(100 - PER_MINUTE);
  });

  test('W4: good keys behind a flooded address work, first used or used before, and new ones at once', async () => {
    const [used, unused] = [await it.merchant(), await it.merchant()];
    clock.advance(60);
    expect(await ask(used.live)).toBe(200);
    await flood(100);
    clock.advance(6);
    await flood(100);
    expect(await ask(used.live)).toBe(200);
    expect(await ask(unused.live)).toBe(200);
    for (let time = 0; time < 2; time++) {
      const made = await it.merchant();
      const [status] = await Promise.all([ask(made.sandbox), flood(100)]);
      expect(status).toBe(200);
    }
  });

  test('W4: a good key takes nothing of what its address may try', async () => {
    const merchants = await Promise.all(Array.from({ length: PER_MINUTE }, () => it.merchant()));
    clock.advance(60);
    for (const merchant of merchants) expect(await ask(merchant.live)).toBe(200);
    expect((await flood(PER_MINUTE)).refused).toBe(0);
  });

  test('W4: the same wrong key is looked up once in five seconds', async () => {
    clock.advance(60);
    const identity = spyOn(it.service.dependencies.queries, 'identity');
    const key = wrongKey();
    for (let time = 0; time < 5; time++) expect(await ask(key)).toBe(401);
    expect(identity).toHaveBeenCalledTimes(1);
    clock.advance(6);
    expect(await ask(key)).toBe(401);
    expect(identity).toHaveBeenCalledTimes(2);
    identity.mockRestore();
  });

  test('W4: where no limit per address is set, unknown keys cost a hundred look-ups a second, and good ones are found', async () => {
    const { dependencies } = it.service;
    const [merchant, authenticate] = [await it.merchant(), authenticator(dependencies)];
    const identity = spyOn(dependencies.queries, 'identity');
    clock.advance(60);
    const keys = [...Array.from({ length: 500 }, wrongKey), merchant.live];
    const found = await Promise.all(keys.map((key) => authenticate(key)));
    expect(found.filter((each) => each !== null)).toMatchObject([{ merchant: { id: merchant.id } }]);
    expect(identity).toHaveBeenCalledTimes(101);
    identity.mockRestore();
  });

  test('W4: however many requests come with a new key at once, it is one key', async () => {
    const { dependencies } = it.service;
    const authenticate = authenticator(dependencies);
    clock.advance(60);
    for (let time = 0; time < 3; time++) {
      const merchant = await it.merchant();
      const found = await Promise.all(Array.from({ length: 150 }, () => authenticate(merchant.live)));
      expect(new Set(found.map((each) => each?.merchant.id))).toEqual(new Set([merchant.id]));
    }
  });

  test('W4: what is refused for its number is told by caller in one line, and in no line of its own', async () => {
    const merchant = await it.merchant();
    clock.advance(60);
    for (let time = 0; time < PER_MINUTE + 5; time++) await ask(merchant.live);
    await it.service.http.stop();
    expect(lines.filter(({ fields }) => fields.status === 429)).toEqual([]);
    const told = lines.filter(({ event }) => event === 'http.refused').map(({ fields }) => fields);
    expect(told).toHaveLength(1);
    const refused = Number(told[0]?.refused);
    expect(told[0]?.by_caller).toEqual({ '127.0.0.1': refused - 5, [merchant.id]: 5 });
    expect(refused).toBeGreaterThan(300);
  });
});
