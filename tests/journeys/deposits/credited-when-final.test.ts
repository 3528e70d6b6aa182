/**
 * Where the risk check asks no service, a payment is credited in the transaction that makes it
 * final. What cannot be credited there becomes final all the same, and waits for the check's job.
 */
import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { SQL } from 'bun';
import { systemTimers } from '../../../src/adapters/system/system-timers.ts';
import type { RiskScreener } from '../../../src/ports/deposits/risk-screener.ts';
import type { Logger } from '../../../src/ports/runtime/logger.ts';
import { openSetsStage, type SetsStage, type Wrap } from '../../support/ledger/sets-stage.ts';
import { directUrl, postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('payments that are credited when final', () => {
  let stage: SetsStage;
  let sql: SQL;
  const PASS: RiskScreener['screen'] = async () => ({ kind: 'pass' });
  let screen = PASS;
  /** Whether the time that the check may take is over at once. */
  let isOver = false;
  beforeAll(async () => {
    stage = await openSetsStage({
      riskScreener: { isLocal: true, screen: (payment) => screen(payment) },
      timers: {
        after: (ms, work) => systemTimers.after(isOver && ms === 1_000 ? 0 : ms, work),
      },
    });
    sql = new SQL(await directUrl(stage.journey.it.databaseUrl), { max: 2 });
  });
  afterEach(async () => {
    screen = PASS;
    isOver = false;
    await stage.journey.booksAreRight();
  });
  afterAll(async () => {
    await sql.end();
    await stage.close();
  });

  /** An invoice of 25.25 USDT with these payments, all in one block that is final and not read. */
  async function paid(...amounts: readonly string[]): Promise<Json> {
    const invoice = await stage.journey.create();
    for (const amount of amounts) stage.journey.pay(invoice, amount);
    stage.mine(12);
    return invoice;
  }
  const deposits = async ({ order_id: id }: Json): Promise<readonly string[]> =>
    (await sql`select status from deposits where invoice_id = ${id} order by units`).map(
      ({ status }: Json) => status,
    );
  const notAtOnce = (payments: number, code: string, error: string): Parameters<Logger['warn']> => [
    'deposit.not_credited_at_once',
    { chain: 'ethereum', payments, code, error },
  ];
  const status = async (invoice: Json) => (await stage.journey.read(invoice.order_id)).status;
  const entries = async ({ order_id: id }: Json): Promise<readonly string[]> =>
    (await sql`select kind from ledger_entries where reference_id = ${id} order by ordinal`).map(
      ({ kind }: Json) => kind,
    );

  test('a payment is final and credited at once, and told once for each', async () => {
    const { journey, poll, mine } = stage;
    const invoice = await journey.create();
    journey.pay(invoice, '25.25');
    mine(1);
    await poll();
    expect([await status(invoice), await deposits(invoice)]).toEqual(['confirming', ['confirming']]);
    mine(11);
    await poll();
    expect([await status(invoice), await deposits(invoice)]).toEqual(['success', ['credited']]);
    expect(await entries(invoice)).toEqual(['deposit_arrived', 'income']);
    await journey.it.settle();
    expect(journey.statusesSent(invoice.order_id)).toEqual(['confirming', 'success']);
    expect(await entries(invoice)).toEqual(['deposit_arrived', 'income']);
  });

  test('several payments of an invoice in one block are credited together', async () => {
    const invoice = await paid('20', '5.25');
    await stage.poll();
    expect([await status(invoice), await deposits(invoice)]).toEqual(['success', ['credited', 'credited']]);
  });

  test('U5: so are those of an invoice that lie far apart in a block with hundreds', async () => {
    const { journey, mine, poll, screen: screenAll } = stage;
    const [apart, crowded] = [await journey.create(), await journey.create()];
    journey.pay(apart, '20');
    // More than one transaction takes, all of one invoice.
    for (let nth = 0; nth < 260; nth += 1) journey.pay(crowded, '0.25');
    journey.pay(apart, '5.25');
    mine(1);
    await poll();
    mine(11);
    await poll();
    expect([await status(apart), await deposits(apart)]).toEqual(['success', ['credited', 'credited']]);
    // Fifty of an invoice at a time.
    for (let run = 0; run < 6; run += 1) await screenAll();
    expect(new Set(await deposits(crowded))).toEqual(new Set(['credited']));
    expect(await status(crowded)).toBe('paid_over');
  });

  test('payments of an invoice in two blocks that become final together both do', async () => {
    const { journey, mine, poll, screen: screenAll } = stage;
    const invoice = await journey.create();
    for (const amount of ['20', '5.25']) {
      journey.pay(invoice, amount);
      mine(1);
    }
    await poll();
    mine(12);
    await poll();
    expect(await deposits(invoice)).toEqual(['arrived', 'arrived']);
    await screenAll();
    expect([await status(invoice), await deposits(invoice)]).toEqual(['success', ['credited', 'credited']]);
  });

  test('a payment that the check stops is held, and the operator is told', async () => {
    using alarms = spyOn(stage.journey.it.service.dependencies.logger, 'error');
    screen = async () => ({ kind: 'hit', reason: 'listed' });
    const invoice = await paid('25.25');
    await stage.poll();
    expect([await status(invoice), await deposits(invoice)]).toEqual(['high_risk', ['held']]);
    expect(alarms.mock.calls).toMatchObject([
      ['deposit.high_risk', { invoiceId: invoice.order_id, reason: 'listed' }],
    ]);
  });

  test('without a verdict a payment is final, and waits for the job of the check', async () => {
    screen = async () => ({ kind: 'unavailable', reason: 'the list cannot be read' });
    const invoice = await paid('25.25');
    await stage.poll();
    expect([await status(invoice), await deposits(invoice)]).toEqual(['confirming', ['arrived']]);
    await stage.screen();
    expect([await status(invoice), await deposits(invoice)]).toEqual(['success', ['credited']]);
  });

  test('of two payments one has no verdict: both are final, and wait for the job of the check', async () => {
    screen = async ({ units }) =>
      units === 5_250_000n ? { kind: 'unavailable', reason: 'not this one' } : { kind: 'pass' };
    const invoice = await paid('5.25', '25.25');
    await stage.poll();
    expect([await status(invoice), await deposits(invoice)]).toEqual(['confirming', ['arrived', 'arrived']]);
    await stage.screen();
    expect(await deposits(invoice)).toEqual(['credited', 'credited']);
  });

  test('a small payment that is final after its invoice has ended is unmatched', async () => {
    const { journey, mine, poll, screen: screenAll } = stage;
    const invoice = await journey.create();
    journey.pay(invoice, '25.25');
    mine(3);
    journey.pay(invoice, '0.5');
    mine(1);
    await poll();
    mine(9);
    await poll();
    await screenAll();
    expect([await status(invoice), await deposits(invoice)]).toEqual(['success', ['confirming', 'credited']]);
    mine(6);
    await poll();
    expect([await status(invoice), await deposits(invoice)]).toEqual(['success', ['stray', 'credited']]);
  });

  test('a small payment waits, and one that comes later takes it along', async () => {
    const invoice = await paid('0.5');
    await stage.poll();
    expect([await status(invoice), await deposits(invoice)]).toEqual(['created', ['arrived']]);
    stage.journey.pay(invoice, '24.75');
    stage.mine(12);
    await stage.poll();
    expect(await deposits(invoice)).toEqual(['arrived', 'arrived']);
    await stage.screen();
    expect([await status(invoice), await deposits(invoice)]).toEqual(['success', ['credited', 'credited']]);
  });

  test('a credit that fails keeps no payment from being final', async () => {
    const [bad, good] = [await paid('25.25'), await paid('25.25')];
    const tampering: Wrap = ({ ledger, ...others }) => ({
      ...others,
      ledger: {
        ...ledger,
        async postAll(all) {
          if (all.some(({ kind, referenceId }) => kind === 'income' && referenceId === bad.order_id))
            throw new Error('planted');
          await ledger.postAll(all);
        },
      },
    });
    using alarms = spyOn(stage.journey.it.service.dependencies.logger, 'error');
    using told = spyOn(stage.journey.it.service.dependencies.logger, 'warn');
    await stage.tampered(tampering, () => stage.poll());
    expect(alarms.mock.calls).toEqual([]);
    expect(told.mock.calls).toEqual([notAtOnce(1, 'Error', 'Error: planted')]);
    expect(await deposits(bad)).toEqual(['arrived']);
    await stage.screen();
    expect([await deposits(bad), await deposits(good)]).toEqual([['credited'], ['credited']]);
  });

  test('a balance that is locked delays the chain by a second, and its payments are final', async () => {
    const invoice = await paid('25.25');
    using told = spyOn(stage.journey.it.service.dependencies.logger, 'warn');
    const other = await sql.reserve();
    await other.unsafe('begin; select * from balances for update');
    try {
      await stage.poll();
    } finally {
      await other.unsafe('rollback');
      await other.release();
    }
    // The wait was refused: it did not last until the deadline (57014).
    expect(told.mock.calls).toEqual([notAtOnce(1, '55P03', expect.any(String))]);
    expect([await status(invoice), await deposits(invoice)]).toEqual(['confirming', ['arrived']]);
    await stage.screen();
    expect(await entries(invoice)).toEqual(['deposit_arrived', 'income']);
  });

  test('a check that throws, or never answers, keeps no payment from being final', async () => {
    using told = spyOn(stage.journey.it.service.dependencies.logger, 'warn');
    const [one, other] = [await paid('25.25'), await stage.journey.create()];
    screen = async () => {
      throw new TypeError('a fault');
    };
    await stage.poll();
    stage.journey.pay(other, '25.25');
    stage.mine(12);
    screen = () => new Promise(() => undefined);
    isOver = true;
    await stage.poll();
    expect(told.mock.calls).toEqual([
      notAtOnce(1, 'TypeError', 'TypeError: a fault'),
      notAtOnce(1, 'RiskCheckLate', expect.any(String)),
    ]);
    expect([await deposits(one), await deposits(other)]).toEqual([['arrived'], ['arrived']]);
    await stage.screen();
    expect([await deposits(one), await deposits(other)]).toEqual([['credited'], ['credited']]);
  });
});
