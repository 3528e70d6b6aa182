/**
 * Payments to permanent addresses that are recorded in sets: the same rows as one by one, few
 * statements, and nobody who creates invoices meanwhile waits for them.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import fc from 'fast-check';
import { permanentWorld, rowsInBothWays } from '../../support/chains/permanent-worlds.ts';
import { openSetsStage, type SetsStage, type Wrap } from '../../support/ledger/sets-stage.ts';
import { openCountingRelay } from '../../support/postgres/counting-relay.ts';
import { directUrl, postgresAvailable, testDatabase } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { type Json, startTestService, type TestService } from '../../support/test-service.ts';

const SEED = Number(process.env.SETS_SEED ?? 20_261_129);
const WORLDS = Number(process.env.SETS_WORLDS ?? 12);
const PATIENCE_MS = 120_000;
const PAYMENTS = 100;
/** Some 0.4. It was 5.4 while each was written by itself. */
const STATEMENTS_MAX = 0.6;
/** Where an invoice waits on each address: some 1.4, of 4.3. */
const STATEMENTS_OF_WAITING_MAX = 3;

async function addressesOf(it: TestService, live: string, count: number): Promise<string[]> {
  const addresses: string[] = [];
  for (let user = 0; user < count; user += 1) {
    const body = { user_id: `user-${user}`, family: 'evm' };
    addresses.push((await it.call(live, 'POST', '/api/v2/permanent', body)).body.result.address);
  }
  return addresses;
}

describe.skipIf(!needs('postgres', postgresAvailable()))('payments to permanent addresses in sets', () => {
  let stage: SetsStage;
  let sql: SQL;
  beforeAll(async () => {
    stage = await openSetsStage();
    sql = new SQL(await directUrl(stage.journey.it.databaseUrl), { max: 2 });
  });
  afterEach(() => stage.journey.booksAreRight());
  afterAll(async () => {
    await sql.end();
    await stage.close();
  });

  test(
    `leave the rows that they would leave one by one (seed ${SEED})`,
    async () => {
      let opened = 0;
      await fc.assert(
        fc.asyncProperty(permanentWorld, async (world) => {
          const [together, oneByOne] = await rowsInBothWays(stage, sql, world);
          expect(together).toEqual(oneByOne);
          opened += together.invoices.length - world.waiting.length;
        }),
        { seed: SEED, numRuns: WORLDS },
      );
      expect(opened).toBeGreaterThan(WORLDS);
    },
    PATIENCE_MS,
  );

  test('keep nobody waiting who creates invoices of the same merchants, and meet them without a deadlock', async () => {
    const { journey, control, mine, poll } = stage;
    const { it } = journey;
    const [first, second] = [await it.merchant(), await it.merchant()].toSorted((a, b) =>
      a.id < b.id ? -1 : 1,
    );
    const keys = [first!.live, second!.live];
    // Against the order in which creations lock the counters of their lists.
    for (const key of keys.toReversed())
      for (const to of await addressesOf(it, key, 2))
        control('usdt_ethereum').pay({ to, asset: 'usdt_ethereum', units: 25_000_000n });
    let created: Promise<unknown> | null = null;
    let areThere = false;
    const beside: Wrap = ({ webhooks, ...others }) => ({
      ...others,
      webhooks: {
        ...webhooks,
        async enqueue(delivery) {
          await webhooks.enqueue(delivery);
          created ??= Promise.all(keys.map((key) => stage.order(key, 'usdt_ethereum')));
          areThere ||= await Promise.race([created.then(() => true), Bun.sleep(3_000).then(() => false)]);
        },
      },
    });
    mine(1);
    const before = stage.repeated();
    await stage.tampered(beside, poll);
    await created;
    expect(areThere).toBe(true);
    expect(stage.repeated() - before).toBe(0);
    for (const key of keys) {
      const { body } = await it.call(key, 'GET', '/api/v2/invoices');
      const statuses = body.result.map(({ status }: Json) => status);
      expect(statuses.toSorted()).toEqual(['confirming', 'confirming', 'created']);
    }
  });
});

describe.skipIf(!needs('postgres', postgresAvailable()))('a hundred payments to permanent addresses', () => {
  /** Of one look at the chain, by payment. */
  async function statements(prepare: (it: TestService, live: string, user: string) => Promise<unknown>) {
    // Through a pooler, statements that set a transaction up would be counted as well.
    const database = await testDatabase({ pooled: false });
    const relay = await openCountingRelay(database.url);
    const it = await startTestService({
      ...{ databaseUrl: relay.url, env: { CHAINS: 'fake' }, chains: ['ethereum'] },
    });
    try {
      await it.settle();
      const control = it.service.chains.fakes?.get('ethereum')?.control;
      for (let n = 0; n < 4; n += 1) {
        const { live } = await it.merchant({ callbackUrl: n < 2 ? 'https://shop.example/hook' : null });
        const addresses = await addressesOf(it, live, PAYMENTS / 4);
        for (const [user, to] of addresses.entries()) {
          await prepare(it, live, `user-${user}`);
          control?.pay({ to, asset: 'usdt_ethereum', units: 25_000_000n });
        }
      }
      control?.mine(1);
      const before = relay.statements;
      await it.service.watchers.get('ethereum')?.poll();
      const count = relay.statements - before;
      const paid = await it.service.dependencies.unitOfWork.run((r) => r.deposits.anyUnfinal('ethereum'));
      expect(paid).toBe(true);
      return count / PAYMENTS;
    } finally {
      await it.stop();
      relay.close();
      await database.drop();
    }
  }

  test(
    'take few statements together',
    async () => {
      expect(await statements(async () => undefined)).toBeLessThanOrEqual(STATEMENTS_MAX);
    },
    PATIENCE_MS,
  );

  test(
    'take few statements each where an invoice waits on each address',
    async () => {
      const order = (it: TestService, live: string, user: string) =>
        it.call(live, 'POST', '/api/v2/invoices', {
          ...{ amount: 25, fiat_currency: 'USD', asset: 'usdt_ethereum', billing_type: 'VARY' },
          ...{ permanent_address: true, user_id: user },
        });
      expect(await statements(order)).toBeLessThanOrEqual(STATEMENTS_OF_WAITING_MAX);
    },
    PATIENCE_MS,
  );
});
