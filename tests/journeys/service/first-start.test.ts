/**
 * The first minutes of a service: nothing is paid to an address before its chain is read, so no
 * payment is mined unseen.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { type RpcProxy, startRpcProxy } from '../../support/chains/rpc-proxy.ts';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { type EvmLab, openEvmLab } from '../../support/evm/evm-lab.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { testClock } from '../../support/runtime/test-clock.ts';
import { type Json, startTestService } from '../../support/test-service.ts';

const ready = [needs('anvil', anvilAvailable()), needs('postgres', postgresAvailable())].every(Boolean);
const INVOICE = { amount: 25, fiat_currency: 'USD', asset: 'eth_ethereum' };

describe.skipIf(!ready)('a service that starts for the first time', () => {
  let lab: EvmLab;
  let node: RpcProxy;
  beforeAll(async () => {
    lab = await openEvmLab();
    node = await startRpcProxy(lab.anvil.url);
  });
  afterAll(async () => {
    await node.stop();
    await lab.anvil.stop();
  });
  const start = (options: Parameters<typeof startTestService>[0] = {}) =>
    startTestService({
      ...options,
      file: { chains: { ethereum: { rpc: [node.url], chain_id: 31_337, confirmations: 2 } } },
    });
  const pay = (invoice: Json) =>
    lab.send({ to: invoice.address_to, value: unitsOf(String(invoice.amount), 18) });

  test('finds a payment that was mined before its background jobs ran once', async () => {
    node.behave({});
    const it = await start();
    const { live } = await it.merchant();
    const invoice = (await it.call(live, 'POST', '/api/v2/invoices', INVOICE)).body.result;
    await pay(invoice);
    await lab.mine(3);
    await it.settle();
    const read = await it.call(live, 'GET', `/api/v2/invoices/${invoice.order_id}`);
    expect(read.body.result.status).toBe('success');
    await it.stop();
  });

  test('takes no live payments on a chain whose node it never reached, and does once it has', async () => {
    node.behave({ drop: true });
    const it = await start();
    const { live, sandbox } = await it.merchant();
    const enabled = async (key: string) => {
      const { body } = await it.call(key, 'GET', '/api/v2/assets');
      return body.result.find((entry: Json) => entry.asset === 'eth_ethereum').enabled;
    };
    await it.settle();
    const refused = await it.call(live, 'POST', '/api/v2/invoices', INVOICE);
    expect(refused.body.error).toMatchObject({ code: 'UNAVAILABLE', details: { state: 'never_reached' } });
    const permanent = { user_id: 'user-1', family: 'evm' };
    expect((await it.call(live, 'POST', '/api/v2/permanent', permanent)).status).toBe(503);
    expect([await enabled(live), await enabled(sandbox)]).toEqual([false, true]);
    expect((await it.call(sandbox, 'POST', '/api/v2/invoices', INVOICE)).status).toBe(201);

    node.behave({});
    await it.settle();
    expect(await enabled(live)).toBe(true);
    const invoice = (await it.call(live, 'POST', '/api/v2/invoices', INVOICE)).body.result;
    await pay(invoice);
    await lab.mine(3);
    await it.settle();
    const read = await it.call(live, 'GET', `/api/v2/invoices/${invoice.order_id}`);
    expect(read.body.result.status).toBe('success');

    node.behave({ drop: true });
    await it.settle();
    expect((await it.call(live, 'POST', '/api/v2/invoices', INVOICE)).status).toBe(201);
    await it.stop();
  });

  test('and is started again while its node is away lets no invoice expire before the chain was read', async () => {
    node.behave({});
    const it = await start();
    const { live, sandbox } = await it.merchant();
    const create = async (key: string) =>
      (await it.call(key, 'POST', '/api/v2/invoices', { ...INVOICE, ttl: 300 })).body.result;
    const [invoice, simulated] = [await create(live), await create(sandbox)];
    await pay(invoice);
    node.behave({ drop: true });
    const dataDir = it.service.config.dataDir;
    const clock = testClock(new Date(Date.now() + 600_000));
    const again = await start({ databaseUrl: it.databaseUrl, dataDir, overrides: { clock } });
    const read = async (key: string, { order_id }: Json) =>
      (await it.call(key, 'GET', `/api/v2/invoices/${order_id}`)).body.result.status;
    await again.settle();
    expect([await read(live, invoice), await read(sandbox, simulated)]).toEqual(['created', 'expired']);
    node.behave({});
    await lab.mine(3);
    await again.settle();
    expect(await read(live, invoice)).toBe('success');
    await again.stop();
    await it.stop();
  });

  test('E9: takes no live payments in a token whose contract contradicts the catalog', async () => {
    node.behave({});
    const it = await startTestService({
      file: {
        chains: { ethereum: { rpc: [node.url], chain_id: 31_337, confirmations: 2 } },
        assets: {
          usdc_ethereum: { contract: lab.contracts.usdc },
          usdt_ethereum: { contract: lab.contracts.bscTether },
        },
      },
    });
    const { live } = await it.merchant();
    const { body } = await it.call(live, 'GET', '/api/v2/assets');
    const enabled = body.result.filter((asset: Json) => asset.enabled).map((asset: Json) => asset.asset);
    expect(enabled).toEqual(['eth_ethereum', 'usdc_ethereum']);
    const refused = await it.call(live, 'POST', '/api/v2/invoices', { ...INVOICE, asset: 'usdt_ethereum' });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'INVOICE_REJECTED']);
    await it.stop();
  });
});
