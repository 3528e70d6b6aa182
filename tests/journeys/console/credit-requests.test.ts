/** A merchant asks for the credit of an unmatched payment, and an operator decides. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { declineCredit, grantCredit, requestCredit } from '../../../src/app/deposits/credit-requests.ts';
import { creditStray } from '../../../src/app/deposits/unmatched-deposits.ts';
import type { CreditRequest } from '../../../src/domain/deposits/credit-request.ts';
import type { Deposit } from '../../../src/domain/deposits/deposit.ts';
import { type ClaimStage, openClaimStage } from '../../support/payouts/claim-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const REFUSED = { ok: false, error: { code: 'INVALID_TRANSITION' } };
const PAGE = { page: 1, perPage: 10 };

describe.skipIf(!needs('postgres', postgresAvailable()))('a request for credit', () => {
  let stage: ClaimStage;
  let scope: { merchantId: string; sandbox: boolean };
  const of = () => ({
    requestCredit: requestCredit(stage.deps),
    grantCredit: grantCredit(stage.deps),
    declineCredit: declineCredit(stage.deps),
  });
  beforeAll(async () => {
    stage = await openClaimStage();
    scope = { merchantId: stage.journey.merchant.id, sandbox: false };
  });
  afterAll(() => stage.journey.close());

  /** Seven dollars in a coin that its invoice does not take. */
  async function strayOf(): Promise<Deposit> {
    const invoice = await stage.journey.create();
    stage.journey.pay(invoice, '7', 'usdc_ethereum');
    await stage.journey.mineToFinality();
    const deposits = await stage.deps.operatorQueries.deposits({
      statuses: ['stray'],
      sandbox: false,
      limit: 99,
    });
    const [deposit] = deposits.filter(({ address }) => address === invoice.address_to.toLowerCase());
    if (deposit === undefined) throw new Error('there is no unmatched deposit');
    return deposit;
  }
  const ask = async (depositId: string): Promise<CreditRequest> => {
    const asked = await of().requestCredit(scope, { depositId, by: 'Ann', reason: 'It was for order 7' });
    if (!asked.ok) throw new Error(asked.error.message);
    return asked.value;
  };
  const standing = async ({ id }: CreditRequest) => stage.deps.consoleQueries.creditRequest(id);

  test('is declined with an answer, made again, and granted with the credit', async () => {
    const { id: depositId } = await strayOf();
    const first = await ask(depositId);
    expect(await of().requestCredit(scope, { depositId, by: 'Ann', reason: '' })).toMatchObject(REFUSED);
    const answer = { by: 'Olga', answer: 'Which order?' };
    expect(await of().declineCredit(first.id, answer)).toMatchObject({ ok: true });
    for (const late of [of().declineCredit(first.id, answer), of().grantCredit(first.id, answer)])
      expect(await late).toMatchObject(REFUSED);
    const second = await ask(depositId);
    const queue = await stage.deps.consoleQueries.creditQueue(PAGE);
    expect(queue.rows.map(({ request }) => request.id)).toEqual([second.id]);
    const before = await stage.available();
    const granted = await of().grantCredit(second.id, { by: 'Olga', answer: null });
    expect(granted).toMatchObject({ ok: true, value: { id: depositId, status: 'credited' } });
    expect(await stage.available()).toBeGreaterThan(before);
    expect(await standing(second)).toMatchObject({ status: 'granted', decidedBy: 'Olga' });
    expect(await stage.deps.consoleQueries.creditQueue(PAGE)).toEqual({ rows: [], total: 0 });
    await stage.journey.booksAreRight();
  });

  test('is granted by a credit that was made without it', async () => {
    const { id } = await strayOf();
    const request = await ask(id);
    expect(await creditStray(stage.deps)(id)).toMatchObject({ ok: true });
    expect(await standing(request)).toMatchObject({ status: 'granted', decidedBy: null });
    expect(await of().requestCredit(scope, { depositId: id, by: 'Ann', reason: '' })).toMatchObject(REFUSED);
  });

  test('is refused where the credit is: then nothing is granted', async () => {
    const deposit = await strayOf();
    const request = await ask(deposit.id);
    const rateBook = {
      ...stage.deps.rateBook,
      crediting: () => ({ usdPerAssetE18: new Map(), fiatPerUsdE18: new Map() }),
    };
    const refused = await creditStray({ ...stage.deps, rateBook })(deposit.id, {
      ...{ requestId: request.id, by: 'Olga', answer: null },
    });
    expect(refused).toMatchObject({ ok: false, error: { code: 'RATES_UNAVAILABLE' } });
    expect(await standing(request)).toEqual(request);
  });

  test('is of the own deposits alone, and has words of a bounded length', async () => {
    const { id: depositId } = await strayOf();
    const others = { ...scope, merchantId: '0'.repeat(24) };
    for (const not of [others, { ...scope, sandbox: true }])
      expect(await of().requestCredit(not, { depositId, by: 'Ann', reason: '' })).toMatchObject({
        ...{ ok: false, error: { code: 'NOT_FOUND' } },
      });
    const long = 'x'.repeat(1_001);
    for (const refused of [
      of().requestCredit(scope, { depositId, by: 'Ann', reason: long }),
      of().grantCredit('0'.repeat(24), { by: 'Olga', answer: long }),
      of().declineCredit('0'.repeat(24), { by: 'Olga', answer: long }),
    ])
      expect(await refused).toMatchObject({ ok: false, error: { code: 'VALIDATION_ERROR' } });
    for (const unknown of [of().grantCredit, of().declineCredit])
      expect(await unknown('0'.repeat(24), { by: 'Olga', answer: null })).toMatchObject({
        ...{ ok: false, error: { code: 'NOT_FOUND' } },
      });
  });
});
