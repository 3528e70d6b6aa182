/**
 * After a backup was put back: what was paid to an address before its invoice was made is never
 * that invoice's.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { anvilAvailable } from '../../support/evm/anvil.ts';
import { openRestoreStage, type RestoreStage } from '../../support/operators/restore-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import type { Json } from '../../support/test-service.ts';

const ready = [needs('anvil', anvilAvailable()), needs('postgres', postgresAvailable())].every(Boolean);

describe.skipIf(!ready)('payments of before a backup was put back', () => {
  let on: RestoreStage;
  beforeAll(async () => {
    on = await openRestoreStage();
  });
  afterAll(() => on.close());

  const request = async (key: string, method: string, path: string, body?: Json): Promise<Json> => {
    const answer = await on.it().call(key, method, `/api/v2/${path}`, body);
    expect(answer.body).toMatchObject({ ok: true });
    return answer.body.result;
  };
  const create = (key: string, body: Json = {}) =>
    request(key, 'POST', 'invoices', { amount: 20, fiat_currency: 'USD', asset: 'eth_ethereum', ...body });
  const pay = ({ address_to: to, amount }: Json) => on.lab.send({ to, value: unitsOf(String(amount), 18) });
  const depositsAt = async (address: string) =>
    (
      await on.it().service.dependencies.operatorQueries.deposits({
        statuses: ['confirming', 'arrived', 'credited', 'stray'],
        sandbox: null,
        limit: 100,
      })
    ).filter((deposit) => deposit.address === address.toLowerCase());

  test('K6: the payment of a customer who was given the same address before is a stray, and the new invoice is paid by its own', async () => {
    const [shop, mallory] = [await on.it().merchant(), await on.it().merchant()];
    await on.backUp();
    const lost = await create(shop.live);
    await pay(lost);
    await on.mine(5, 60);
    expect((await request(shop.live, 'GET', `invoices/${lost.order_id}`)).status).toBe('success');
    await on.stop();
    await on.putBack({ dataDir: true });
    await on.restart({ idle: true });
    // As if nothing kept the address from being given out again (K5), before the worker has read
    // the chain.
    await on.database.database.query("update derivation_indexes set next = 0 where deriver = 'evm'");
    await rm(join(on.dataDir, 'issued-indexes.json'));
    const made = await create(mallory.live);
    expect(made.address_to).toBe(lost.address_to);
    await on.it().settle();
    await on.mine(3);
    const read = () => request(mallory.live, 'GET', `invoices/${made.order_id}`);
    expect(await read()).toMatchObject({ status: 'created', received_amount: 0 });
    expect(await depositsAt(lost.address_to)).toMatchObject([
      { status: 'stray', strayReason: 'older_than_invoice', merchantId: mallory.id },
    ]);
    await pay(made);
    await on.mine(3);
    expect(await read()).toMatchObject({ status: 'success', received_amount: made.amount });
  });

  test('K6: a payment to a permanent address that is older than the invoice that waits there opens one of its own', async () => {
    const { live } = await on.it().merchant();
    const permanent = await request(live, 'POST', 'permanent', { user_id: 'user-1', family: 'evm' });
    await pay({ address_to: permanent.address, amount: 1 });
    await on.restart({ idle: true });
    for (let block = 0; block < 10; block += 1) {
      on.clock.advance(60);
      await on.lab.anvil.rpc('evm_setNextBlockTimestamp', [on.clock.now().getTime() / 1000]);
      await on.lab.mine();
    }
    const waiting = await create(live, {
      ...{ amount: 2_000, billing_type: 'VARY', permanent_address: true, user_id: 'user-1' },
    });
    expect(waiting.address_to).toBe(permanent.address);
    await on.it().settle();
    await on.mine(3);
    expect((await request(live, 'GET', `invoices/${waiting.order_id}`)).status).toBe('created');
    const [deposit, ...others] = await depositsAt(permanent.address);
    expect(others).toEqual([]);
    expect(deposit).toMatchObject({ status: 'credited', strayReason: null });
    expect(deposit?.invoiceId).not.toBe(waiting.order_id);
  });
});
