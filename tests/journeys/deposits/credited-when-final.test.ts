/**
 * Where the risk check asks no service, a payment is credited in the transaction that makes it
 * final. What cannot be credited there becomes final all the same, and waits for the check's job.
 */
import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { SQL } from 'bun';
import type { RiskVerdict } from '../../../src/ports/deposits/risk-screener.ts';
import { openSetsStage, type SetsStage, type Wrap } from '../../support/ledger/sets-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('payments that are credited when final', () => {
  let stage: SetsStage;
  let sql: SQL;
  let verdict: RiskVerdict = { kind: 'pass' };
  beforeAll(async () => {
    stage = await openSetsStage({ riskScreener: { isLocal: true, screen: async () => verdict } });
    sql = new SQL(stage.journey.it.databaseUrl, { max: 1 });
  });
  afterEach(async () => {
    verdict = { kind: 'pass' };
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

  test('a payment that the check stops is held, and the operator is told', async () => {
    using alarms = spyOn(stage.journey.it.service.dependencies.logger, 'error');
    verdict = { kind: 'hit', reason: 'listed' };
    const invoice = await paid('25.25');
    await stage.poll();
    expect([await status(invoice), await deposits(invoice)]).toEqual(['high_risk', ['held']]);
    expect(alarms.mock.calls).toMatchObject([
      ['deposit.high_risk', { invoiceId: invoice.order_id, reason: 'listed' }],
    ]);
  });

  test('without a verdict a payment is final, and waits for the job of the check', async () => {
    verdict = { kind: 'unavailable', reason: 'the list cannot be read' };
    const invoice = await paid('25.25');
    await stage.poll();
    expect([await status(invoice), await deposits(invoice)]).toEqual(['confirming', ['arrived']]);
    await stage.screen();
    expect([await status(invoice), await deposits(invoice)]).toEqual(['success', ['credited']]);
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
    await stage.tampered(tampering, () => stage.poll());
    expect(alarms.mock.calls).toEqual([]);
    expect(await deposits(bad)).toEqual(['arrived']);
    await stage.screen();
    expect([await deposits(bad), await deposits(good)]).toEqual([['credited'], ['credited']]);
  });
});
