/** Lists of payouts that a merchant's console uploads: previewed exactly, and paid once. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { buildApplication } from '../../../src/app/compose-application.ts';
import { anAddress } from '../../support/builders.ts';
import {
  type DeskStage,
  doneOf,
  faultOf,
  formId,
  Killed,
  killedDesk,
  micros,
  okOf,
  openDeskStage,
  waitingOf,
} from '../../support/console/desk-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const csv = (...rows: readonly string[]): string => ['address,amount,asset,fee_bearer', ...rows].join('\n');

describe.skipIf(!needs('postgres', postgresAvailable()))('lists of payouts of the console', () => {
  let on: DeskStage;
  let desk: DeskStage['desks']['merchantDesk'];

  beforeAll(async () => {
    on = await openDeskStage();
    desk = on.desks.merchantDesk;
    await on.paid('5000', { amount: 4_950 });
  });
  afterAll(() => on.journey.close());
  const rows = (...amounts: readonly string[]) =>
    csv(...amounts.map((amount) => `${anAddress()},${amount},usdt_ethereum,client`));

  test('the preview is exact, names every fault by its row, and stores nothing', async () => {
    const owner = await on.desk();
    const own = await on.journey.create();
    const file = csv(
      `${anAddress()},10.000001,usdt_ethereum,client`,
      `${anAddress()},20,usdt_ethereum,merchant`,
      `${anAddress()},0.01,eth_ethereum,client`,
      'nowhere,5,usdt_ethereum,client',
      `${own.address_to},5,usdt_ethereum,client`,
      `${anAddress()},0.000001,usdt_ethereum,client`,
      `${anAddress()},1,nothing,client`,
    );
    const [previewed, entries] = await on.audited(() => desk.previewPayouts(owner, file));
    const preview = okOf(previewed);
    expect(entries).toEqual([]);
    expect(preview.faults.map(({ row, column }) => [row, column])).toEqual([
      [5, 'address'],
      [6, 'address'],
      [7, 'amount'],
      [8, 'asset'],
    ]);
    expect(preview.payouts.map(({ row, amountUnits }) => [row, amountUnits])).toEqual([
      [2, 10_000_001n],
      [3, 20_000_000n],
      [4, 10n ** 16n],
    ]);
    for (const { amountUnits, sentUnits, feeUnits, input } of preview.payouts)
      expect(sentUnits).toBe(input.feeBearer === 'client' ? amountUnits - feeUnits : amountUnits);
    const [usdt, eth] = preview.totals;
    expect(usdt).toMatchObject({ asset: 'usdt_ethereum', count: 2, amountUnits: 30_000_001n });
    expect(eth).toMatchObject({ asset: 'eth_ethereum', count: 1, amountUnits: 10n ** 16n });
    expect(preview.amountMicroUsd).toBe(micros('50.000001'));
    expect(preview).toMatchObject({ coversIt: true, needsApproval: false });
    const [refused, none] = await on.audited(() => desk.createPayoutBatch(owner, file, formId()));
    expect([faultOf(refused).code, none]).toEqual(['VALIDATION_ERROR', []]);
  });

  test('a batch is paid once and as a whole, and each of its payouts is named', async () => {
    const owner = await on.desk();
    const [file, form] = [rows('10', '11', '12'), formId()];
    const before = (await on.payouts()).length;
    const [result, entries] = await on.audited(() => desk.createPayoutBatch(owner, file, form));
    const made = doneOf(result);
    expect(made.items).toEqual([1, 2, 3].map(() => ({ orderId: expect.any(String), status: 'pending' })));
    expect(entries).toMatchObject([
      { action: 'payout.batch_ordered', after: { amount_micro_usd: '33000000', order: { count: '3' } } },
    ]);
    expect(doneOf(await desk.createPayoutBatch(owner, file, form))).toEqual(made);
    expect((await on.payouts()).length).toBe(before + 3);
  });

  test('one that the balance does not cover is refused as a whole', async () => {
    const owner = await on.desk();
    const file = rows('10', '1000000');
    expect(okOf(await desk.previewPayouts(owner, file)).coversIt).toBe(false);
    const [result, entries] = await on.audited(() => desk.createPayoutBatch(owner, file, formId()));
    expect(faultOf(result)).toMatchObject({ details: { rule: 'insufficient_balance' } });
    expect(entries).toEqual([]);
  });

  test('killed at any step it is paid once, or not at all', async () => {
    const owner = await on.desk();
    const application = (deps: DeskStage['deps']) => buildApplication(deps, on.it.service.dispatcher);
    for (let killAt = 0; ; killAt += 1) {
      const { desk: mortal, wasKilled } = killedDesk(on, application, killAt);
      const [file, form] = [rows('5', '6'), formId()];
      const before = (await on.payouts()).length;
      await mortal.createPayoutBatch(owner, file, form).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
      await on.minuteLater();
      expect([before, before + 2]).toContain((await on.payouts()).length);
      const made = doneOf(await desk.createPayoutBatch(owner, file, form));
      expect(made.items).toHaveLength(2);
      expect((await on.payouts()).length).toBe(before + 2);
      if (!wasKilled()) break;
      expect(killAt).toBeLessThan(40);
    }
    await on.journey.booksAreRight();
  }, 120_000);

  test('above the limit, all rows together, it waits for a second person', async () => {
    await on.change({ approvalAboveMicroUsd: micros('100') });
    const [ann, bob] = [await on.desk(), await on.desk()];
    const file = rows('60', '60');
    expect(okOf(await desk.previewPayouts(ann, file)).needsApproval).toBe(true);
    expect(okOf(await desk.previewPayouts(ann, rows('60', '40'))).needsApproval).toBe(false);
    const approval = waitingOf(await desk.createPayoutBatch(ann, file, formId()));
    expect(approval.amountMicroUsd).toBe(micros('120'));
    const before = (await on.payouts()).length;
    const { approval: done } = okOf(await desk.approve(bob, approval.id));
    expect(done).toMatchObject({ status: 'done', made: { items: [{}, {}] } });
    expect((await on.payouts()).length).toBe(before + 2);
    await on.change({ approvalAboveMicroUsd: null });
  });
});
