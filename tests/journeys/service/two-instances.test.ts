/**
 * Two processes of the service on one database and one node, under load, while one after the other
 * is killed (SIGKILL) in the middle of its work: no deposit is lost or credited twice, and no
 * webhook is lost.
 */
import { describe, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { type EvmLab, openEvmLab } from '../../support/evm/evm-lab.ts';
import { isSigned } from '../../support/merchant-journey.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { until, within } from '../../support/runtime/poll.ts';
import { seeded } from '../../support/runtime/seeded.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/runtime/service-process.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import { temporaryDirectory } from '../../support/runtime/temp-directory.ts';
import {
  type Json,
  startTestService,
  TEST_MASTER_KEY,
  type TestService,
} from '../../support/test-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts';

const KILLS = Number(process.env.INSTANCE_KILLS ?? 2);
/** Indexes of the accounts they pay from. */
const CUSTOMERS = [0, 1, 2] as const;
const CONFIRMATIONS = 3;
const SEED = Number(process.env.DRILL_SEED ?? 20_261);
const ready = [needs('anvil', anvilAvailable()), needs('postgres', postgresAvailable())].every(Boolean);

describe.skipIf(!ready)('two instances on one database', () => {
  let lab: EvmLab;
  let receiver: WebhookReceiver;
  let data: Awaited<ReturnType<typeof temporaryDirectory>>;
  /** A third service without background work, whose clock the end of the drill moves ahead. */
  let observer: TestService;
  let database: Database;
  let merchant: { id: string; live: string };
  let environment: Record<string, string>;
  let aheadMs = 0;
  const instances: ServiceProcess[] = [];

  async function setUp(): Promise<void> {
    instances.length = 0;
    aheadMs = 0;
    [lab, receiver, data] = [await openEvmLab(), startWebhookReceiver(), await temporaryDirectory()];
    const file = {
      chains: {
        ethereum: { rpc: [lab.anvil.url], chain_id: 31_337, confirmations: CONFIRMATIONS, poll_ms: 50 },
      },
      assets: {
        usdt_ethereum: { contract: lab.contracts.tether },
        usdc_ethereum: { contract: lab.contracts.usdc },
      },
      rates: { source: 'static', usd: { usdt_ethereum: '1', eth_ethereum: '2000' } },
    };
    observer = await startTestService({
      file,
      dataDir: data.path,
      overrides: { clock: { now: () => new Date(Date.now() + aheadMs) } },
    });
    // Each customer pays from an account of its own: the node numbers one account's transactions
    // one at a time.
    for (const customer of CUSTOMERS.slice(1)) {
      const to = lab.anvil.accounts[customer]?.address;
      const data = lab.call('TetherLikeToken', 'transfer', [to, 10n ** 15n]);
      await lab.send({ to: lab.contracts.tether, data });
    }
    // The books are compared at a block that has its confirmations: the tokens exist there from now
    // on.
    await lab.mine(CONFIRMATIONS + 1);
    merchant = await observer.merchant({ callbackUrl: receiver.url });
    database = openDatabase({ url: observer.databaseUrl, poolSize: 2, logger: silentLogger });
    const configFile = join(data.path, 'config.json');
    await writeFile(configFile, JSON.stringify(file));
    environment = {
      DATABASE_URL: observer.databaseUrl,
      DATA_DIR: data.path,
      CONFIG_FILE: configFile,
      MASTER_KEY: TEST_MASTER_KEY,
      RATE_LIMIT_PER_MINUTE: '0',
      WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
    };
    instances.push(await startServiceProcess(environment), await startServiceProcess(environment));
  }
  async function tearDown(): Promise<void> {
    for (const instance of instances) await instance.kill();
    await lab?.anvil.stop();
    await database?.close();
    await observer?.stop();
    await receiver?.stop();
    await data?.remove();
  }

  /** One answer from either instance; null when it was killed over the request. */
  async function ask(index: number, method: string, path: string, body?: unknown): Promise<Json> {
    const instance = instances[index % 2];
    try {
      const response = await fetch(`${instance?.url}/api/v2/${path}`, {
        method,
        headers: { 'x-api-key': merchant.live, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(5_000),
      });
      return { status: response.status, ...((await response.json()) as object) };
    } catch {
      return null;
    }
  }

  async function drill(): Promise<void> {
    const random = seeded(SEED);
    const created: { id: string; units: bigint; parts: number }[] = [];
    const refusals: Json[] = [];
    let running = true;
    let blocks = 0;
    let turn: Promise<unknown> = Promise.resolve();
    /**
     * What changes the node's chain goes one call at a time: anvil can lock itself up otherwise.
     */
    function inTurn<T>(call: () => Promise<T>): Promise<T> {
      const mine = turn.then(call);
      turn = mine.catch(() => undefined);
      return mine;
    }

    async function customer(number: number): Promise<void> {
      for (let visit = number; running; visit += 1) {
        const asset = visit % 3 === 0 ? 'eth_ethereum' : 'usdt_ethereum';
        const answer = await ask(visit, 'POST', 'invoices', { amount: 10, fiat_currency: 'USD', asset });
        if (answer === null) continue;
        if (answer.status !== 201) {
          refusals.push(answer);
          continue;
        }
        const { order_id: id, amount, address_to: to } = answer.result;
        const units = unitsOf(String(amount), asset === 'eth_ethereum' ? 18 : 6);
        const parts = visit % 4 === 0 ? [units / 3n, units - units / 3n] : [units];
        for (const part of parts) {
          if (asset === 'eth_ethereum') await inTurn(() => lab.send({ from: number, to, value: part }));
          else {
            const transfer = lab.call('TetherLikeToken', 'transfer', [to, part]);
            await inTurn(() => lab.send({ from: number, to: lab.contracts.tether, data: transfer }));
          }
        }
        created.push({ id, units, parts: parts.length });
        // The pace of a customer: the drill wants overlapping work, not a full queue.
        await Bun.sleep(60 + random.int(60));
      }
    }
    async function miner(): Promise<void> {
      while (running) {
        await inTurn(() => lab.mine());
        blocks += 1;
        await Bun.sleep(150);
      }
    }
    const load = [miner(), ...CUSTOMERS.map(customer)];

    for (let kill = 0; kill < KILLS; kill += 1) {
      await until(
        'new work is on its way',
        10_000,
        (() => {
          const goal = created.length + 4;
          return () => created.length >= goal;
        })(),
      );
      // Jobs begin with the second: half the kills come within the work that follows, the others
      // anywhere.
      const sinceSecond = Date.now() % 1000;
      await Bun.sleep(kill % 2 === 1 ? random.int(1_000) : 1_000 - sinceSecond + random.int(450));
      const victim = random.int(2);
      await instances[victim]?.kill();
      instances[victim] = await startServiceProcess(environment);
    }
    running = false;
    await within('the load', 20_000, Promise.all(load));
    await lab.mine(CONFIRMATIONS + 1);

    const open = new Set(created.map(({ id }) => id));
    await until('every acknowledged invoice is paid', 30_000, async () => {
      for (const id of [...open].slice(0, 50)) {
        const answer = await ask(open.size, 'GET', `invoices/${id}`);
        if (answer?.result?.status === 'success') open.delete(id);
      }
      return open.size === 0;
    });
    for (const instance of instances) {
      expect(await within('a graceful stop', 20_000, instance.stop())).toBe(0);
      expect(await instance.complaints()).toBe('');
      expect(
        instance.log.filter(({ level, event }) => level === 'error' && event !== 'database.away'),
      ).toEqual([]);
    }
    // What a killed instance had leased is free after a minute: the observer works on as if that
    // had passed.
    aheadMs = 120_000;
    await within('the rest of the work', 20_000, observer.settle());

    expect(refusals).toEqual([]);
    expect(created.length).toBeGreaterThan(KILLS * 4);
    const [counted] = await database.query<Record<string, string>>(`
      select (select count(*) from deposits) as deposits,
        (select count(*) from deposits where status = 'credited') as credited,
        (select count(*) from ledger_entries where kind = 'income') as incomes,
        (select count(distinct deposit_id) from ledger_entries where kind = 'income') as deposits_with_income,
        (select count(*) from ledger_entries where kind like '%reversed' or kind = 'deposit_departed') as reversals,
        (select sum(units)::text from deposits) as units,
        (select count(*) from webhook_deliveries) as deliveries,
        (select count(*) from webhook_deliveries d
          where not exists (select from webhook_queue q where q.delivery_id = d.id)
            and exists (select from webhook_attempts a where a.delivery_id = d.id and a.status_code = 200)) as delivered,
        (select count(distinct (invoice_id, invoice_version)) from webhook_deliveries) as transitions`);
    const payments = created.reduce((sum, { parts }) => sum + parts, 0);
    const units = created.reduce((sum, invoice) => sum + invoice.units, 0n);
    expect(counted).toMatchObject({
      deposits: `${payments}`,
      credited: `${payments}`,
      incomes: `${payments}`,
      deposits_with_income: `${payments}`,
      reversals: '0',
      units: `${units}`,
    });
    expect(counted?.transitions).toBe(counted?.deliveries);
    expect(counted?.delivered).toBe(counted?.deliveries);

    const successes = new Map<string, Set<string>>();
    for (const webhook of receiver.received) {
      expect(isSigned(webhook, merchant.live)).toBe(true);
      const { order_id: id, status } = JSON.parse(webhook.body);
      if (status !== 'success') continue;
      const deliveries = successes.get(id) ?? new Set();
      successes.set(id, deliveries.add(webhook.headers['x-service-delivery'] ?? ''));
    }
    for (const { id } of created) expect(successes.get(id)?.size).toBe(1);
    expect(await observer.service.dependencies.operatorQueries.reconciliationFaults()).toEqual([]);
    const balance = await observer.call(merchant.live, 'GET', '/api/v2/balance');
    expect(balance.body.result.available).toBeCloseTo(10 * created.length, 3);
    console.log(
      `seed ${SEED}: ${KILLS} kills, ${created.length} invoices, ${payments} payments, ${blocks} blocks, ` +
        `${receiver.received.length} webhooks received of ${counted?.deliveries} deliveries`,
    );
  }

  // anvil 1.7.1 locks up once in some dozens of runs. A drill whose node stopped answering proves
  // nothing: it is run again, once.
  test(`${KILLS} kills under load lose nothing and repeat nothing (seed ${SEED})`, async () => {
    for (const last of [false, true]) {
      await setUp();
      try {
        return await drill();
      } catch (error) {
        if (last || (await answers(lab.anvil.url))) throw error;
        console.log(`the node locked up, the drill is run again: ${String(error)}`);
      } finally {
        await tearDown();
      }
    }
  }, 220_000);
});

async function answers(url: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
  const headers = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(5_000) }).then(
    (response) => response.ok,
    () => false,
  );
}
