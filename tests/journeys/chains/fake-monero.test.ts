/** The fake chain of Monero: what production does not send is not sent in trials either. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { fakeDeriver } from '../../../src/adapters/chains/fake/fake-deriver.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('Monero with fake chains', () => {
  let it: TestService;
  let live: string;
  beforeAll(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' }, chains: ['monero'] });
    ({ live } = await it.merchant());
  });
  afterAll(() => it.stop());

  test('has invoices, and sends nothing', async () => {
    const invoice = { amount: 20, fiat_currency: 'USD', asset: 'xmr_monero' };
    expect((await it.call(live, 'POST', '/api/v2/invoices', invoice)).status).toBe(201);
    expect(it.service.sending.chains.has('monero')).toBe(false);
    expect(it.service.dependencies.sendingChains.has('monero')).toBe(false);
  });

  test('is not paid out of a balance: such a payout would wait for ever', async () => {
    const [address] = fakeDeriver({ family: 'monero' }).derive({ from: 1_000, count: 1 });
    const payout = { address, amount: '1', asset: 'xmr_monero', fiat_currency: 'native' };
    const order = (key: string) =>
      it.call(key, 'POST', '/api/v2/payouts', payout, { 'x-uniq-id': randomUUID() });
    expect((await order(live)).body.error).toMatchObject({
      code: 'PAYOUT_REJECTED',
      details: { rule: 'chain_not_sent_on' },
    });
  });
});
