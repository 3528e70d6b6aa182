/** Requests for the credit of unmatched payments at the desks: who did what is in the audit log. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type DeskStage, faultOf, okOf, openDeskStage } from '../../support/console/desk-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const UNKNOWN = '0'.repeat(24);

describe.skipIf(!needs('postgres', postgresAvailable()))('a credit that is asked for at a desk', () => {
  let on: DeskStage;
  beforeAll(async () => {
    on = await openDeskStage();
  });
  afterAll(() => on.journey.close());

  test('is declined, asked for again and granted, each with its entry', async () => {
    const { merchantDesk, operatorDesk } = on.desks;
    const [owner, olga] = [await on.desk(), on.seat('treasurer')];
    const invoice = await on.journey.create();
    on.journey.pay(invoice, '7', 'usdc_ethereum');
    await on.journey.mineToFinality();
    const [deposit] = await on.deps.operatorQueries.deposits({
      statuses: ['stray'],
      sandbox: false,
      limit: 1,
    });
    const depositId = deposit?.id ?? '';
    const ask = () => on.audited(() => merchantDesk.requestCredit(owner, depositId, 'It was for order 7'));
    const about = { subjectId: depositId, merchantId: on.merchant.id };

    const [first, asked] = await ask();
    expect(asked).toMatchObject([
      { ...about, action: 'deposit.credit_requested', note: 'It was for order 7' },
    ]);
    const [twice, none] = await ask();
    expect([faultOf(twice).code, none]).toEqual(['INVALID_TRANSITION', []]);

    const [, declined] = await on.audited(() => operatorDesk.declineCredit(olga, okOf(first).id, 'Whose?'));
    expect(declined).toMatchObject([{ ...about, action: 'deposit.credit_declined', note: 'Whose?' }]);

    const [second] = await ask();
    const before = await on.available();
    const [granted, entries] = await on.audited(() => operatorDesk.grantCredit(olga, okOf(second).id, null));
    expect(okOf(granted).status).toBe('credited');
    expect(entries).toMatchObject([{ ...about, action: 'deposit.credited', actor: olga.actor }]);
    expect(await on.available()).toBeGreaterThan(before);
    expect(await on.deps.consoleQueries.creditRequest(okOf(second).id)).toMatchObject({
      ...{ status: 'granted', requestedBy: owner.actor.name, decidedBy: olga.actor.name },
    });
  });

  test('leaves no entry where there is no such request or deposit', async () => {
    const { merchantDesk, operatorDesk } = on.desks;
    const [owner, olga] = [await on.desk(), on.seat('treasurer')];
    const [found, entries] = await on.audited(async () => [
      faultOf(await operatorDesk.grantCredit(olga, UNKNOWN, null)).code,
      faultOf(await operatorDesk.declineCredit(olga, UNKNOWN, null)).code,
      faultOf(await merchantDesk.requestCredit(owner, UNKNOWN, '')).code,
    ]);
    expect([found, entries]).toEqual([['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'], []]);
  });
});
