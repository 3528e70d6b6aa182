/**
 * Payments that become final and are credited in sets: the same rows as one by one, whatever fails
 * among them, and whoever else works on the same invoices and balances.
 */
import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { SQL } from 'bun';
import fc from 'fast-check';
import { refundInvoice } from '../../../src/app/payouts/refunds/refund-invoice.ts';
import { parseDecimal } from '../../../src/domain/money/decimal.ts';
import { paymentWorld, rowsAfter } from '../../support/chains/payment-worlds.ts';
import { openSetsStage, type SetsStage, type Wrap } from '../../support/ledger/sets-stage.ts';
import { directUrl, postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

const SEED = Number(process.env.SETS_SEED ?? 20_261_122);
const WORLDS = Number(process.env.SETS_WORLDS ?? 8);
const PATIENCE_MS = 60_000;

describe.skipIf(!needs('postgres', postgresAvailable()))('payments in sets', () => {
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
    `W3: a set of payments leaves the rows that it would leave one by one, whatever fails (seed ${SEED})`,
    async () => {
      let credited = 0;
      await fc.assert(
        fc.asyncProperty(paymentWorld, async (world) => {
          // Not while both are written: their times are compared, too.
          stage.journey.clock.advance(1);
          const together = await rowsAfter(stage, sql, { ...world, inSets: true });
          expect(together).toEqual(await rowsAfter(stage, sql, { ...world, inSets: false }));
          const statuses = together.inTheEnd.deposits.map(({ status }: Json) => status);
          expect(statuses).toHaveLength(world.payments.length);
          expect(statuses).not.toContain('confirming');
          credited += statuses.filter((status: string) => status === 'credited').length;
        }),
        { seed: SEED, numRuns: WORLDS },
      );
      expect(credited).toBeGreaterThan(WORLDS);
    },
    PATIENCE_MS,
  );

  /**
   * Invoices of the journey's merchant, each with a payment in a final block that was seen before
   * it was.
   */
  async function paid(count: number): Promise<readonly Json[]> {
    const { journey, mine, poll } = stage;
    const invoices = await Promise.all(Array.from({ length: count }, () => journey.create()));
    for (const invoice of invoices) journey.pay(invoice, '25.25');
    mine(1);
    await poll();
    mine(11);
    return invoices;
  }
  const statusesOf = async (invoices: readonly Json[]): Promise<Record<string, number>> => {
    const ids = sql.array(
      invoices.map(({ order_id: id }) => id),
      'TEXT',
    );
    const rows = await sql`
      select i.status || ', ' || d.status as status, count(*)::int as count
      from invoices i join deposits d on d.invoice_id = i.id where i.id = any (${ids}) group by 1`;
    return Object.fromEntries(rows.map(({ status, count }: Json) => [status, count]));
  };

  test('W3: what somebody else has locked is passed by, holds up no other, and has its turn afterwards', async () => {
    const { poll, screen } = stage;
    using alarms = spyOn(stage.journey.it.service.dependencies.logger, 'error');
    const invoices = await paid(6);
    const [first] = invoices;
    const held = await sql.reserve();
    const whileLocked = async (statement: string, id: string, work: () => Promise<unknown>) => {
      await held.unsafe('begin');
      expect(await held.unsafe(statement, [id])).toHaveLength(1);
      await work();
      await held.unsafe('rollback');
    };
    const INVOICE = 'select from invoices where id = $1 for no key update';
    await whileLocked(INVOICE, first.order_id, async () => {
      await poll();
      expect(await statusesOf(invoices)).toEqual({ 'confirming, arrived': 5, 'confirming, confirming': 1 });
    });
    await poll();
    expect(await statusesOf(invoices)).toEqual({ 'confirming, arrived': 6 });
    await whileLocked(INVOICE, first.order_id, () => screen());
    expect(await statusesOf(invoices)).toEqual({ 'success, credited': 5, 'confirming, arrived': 1 });
    await screen();
    expect(await statusesOf(invoices)).toEqual({ 'success, credited': 6 });

    const others = await paid(2);
    const DEPOSIT = 'select from deposits where invoice_id = $1 for no key update';
    await whileLocked(DEPOSIT, others[0].order_id, poll);
    expect(await statusesOf(others)).toEqual({ 'confirming, arrived': 1, 'confirming, confirming': 1 });
    await poll();
    await screen();
    expect(await statusesOf(others)).toEqual({ 'success, credited': 2 });
    await held.release();
    expect(alarms.mock.calls).toEqual([]);
  });

  test('W3: a balance that somebody has locked holds up the credits of its merchant alone', async () => {
    const { journey, mine, poll, screen } = stage;
    const other = await journey.it.merchant();
    const keys = [...Array(12).fill(journey.merchant.live), other.live];
    const invoices: Json[] = [];
    for (const key of keys) invoices.push(await stage.order(key, 'usdt_ethereum'));
    for (const invoice of invoices) journey.pay(invoice, '25.25');
    mine(12);
    await poll();
    using told = spyOn(journey.it.service.dependencies.logger, 'error');
    const held = await sql.reserve();
    await held.unsafe('begin');
    await held.unsafe('select from balances where merchant_id = $1 for update', [journey.merchant.id]);
    try {
      await screen();
    } finally {
      await held.unsafe('rollback');
      await held.release();
    }
    expect(await statusesOf(invoices)).toEqual({ 'success, credited': 1, 'confirming, arrived': 12 });
    // The others of that merchant are not waited for in this run.
    expect(told.mock.calls.map(([code]) => code)).toEqual(Array(3).fill('invoice.not_settled'));
    await screen();
    expect(await statusesOf(invoices)).toEqual({ 'success, credited': 13 });
  });

  test('W3: what became dust since it was looked for is not credited', async () => {
    const { journey, poll, screen, mine } = stage;
    const invoice = await journey.create();
    journey.pay(invoice, '0.5');
    mine(12);
    await poll();
    const asBefore: Wrap = ({ deposits, ...others }) => ({
      ...others,
      deposits: {
        ...deposits,
        invoicesToScreen: async () => [{ invoiceId: invoice.order_id, firstSeenAt: new Date(0) }],
      },
    });
    await stage.tampered(asBefore, screen);
    expect(await statusesOf([invoice])).toEqual({ 'created, arrived': 1 });
    journey.pay(invoice, '24.75');
    mine(12);
    await poll();
    await screen();
    expect(await statusesOf([invoice])).toEqual({ 'success, credited': 2 });
  });

  test('W3: a stop ends both after the sets that are under way, and the next run goes on', async () => {
    const invoices = await paid(510);
    /** Stops `work` when it writes its first set. */
    const stopped = async (work: (stopping: AbortSignal) => Promise<unknown>) => {
      const stopping = new AbortController();
      const tampering: Wrap = ({ deposits, ...others }) => ({
        ...others,
        deposits: {
          ...deposits,
          async saveAll(all) {
            await deposits.saveAll(all);
            stopping.abort();
          },
        },
      });
      await stage.tampered(tampering, () => work(stopping.signal));
    };
    await stopped(stage.poll);
    expect(await statusesOf(invoices)).toEqual({ 'confirming, arrived': 500, 'confirming, confirming': 10 });
    await stage.poll();
    await stopped((stopping) => stage.screen(undefined, stopping));
    expect(await statusesOf(invoices)).toEqual({ 'success, credited': 1, 'confirming, arrived': 509 });
    await stage.screen();
    expect(await statusesOf(invoices)).toEqual({ 'success, credited': 510 });
  });

  test('W3: two workers, payouts and refunds of the same merchants meet without a deadlock, and every cent is counted once', async () => {
    const { journey, mine, poll, screen } = stage;
    const { dependencies } = journey.it.service;
    const keys = [journey.merchant.live, (await journey.it.merchant()).live];
    const balances = () =>
      Promise.all(
        keys.map(async (key) => (await journey.it.call(key, 'GET', '/api/v2/balance')).body.result),
      );
    const earlier = await paid(6);
    await poll();
    await screen();
    const before = await balances();
    const invoices = await Promise.all(
      Array.from({ length: 120 }, (_, index) => stage.order(keys[index % 2] ?? '', 'usdt_ethereum')),
    );
    for (const invoice of invoices) journey.pay(invoice, '25.25');
    mine(1);
    await poll();
    mine(11);
    await Promise.all([poll(), poll()]);
    await poll();
    const five = parseDecimal('5');
    const payOut = () =>
      journey.it.call(
        ...([journey.merchant.live, 'POST', '/api/v2/payouts'] as const),
        { address: '0x52908400098527886E0F7030069857D2E4169EE7', amount: 5, asset: 'usdt_ethereum' },
        { 'x-uniq-id': crypto.randomUUID() },
      );
    const [, , , refunds, ...answers] = await Promise.all([
      screen(),
      screen(),
      journey.it.run('expire-invoices'),
      Promise.all(
        earlier.map(({ order_id: id }) =>
          refundInvoice(dependencies)(id, { amount: five, to: null, by: 'ann' }),
        ),
      ),
      ...Array.from({ length: 12 }, payOut),
    ]);
    expect(refunds.every(({ ok }) => ok)).toBe(true);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    await screen();
    expect(await statusesOf(invoices)).toEqual({ 'success, credited': 120 });
    const after = await balances();
    for (const [n, { total_income: income }] of after.entries())
      expect(income - before[n].total_income).toBeCloseTo(60 * 25, 6);
    expect(stage.repeated()).toBe(0);
  });
});
