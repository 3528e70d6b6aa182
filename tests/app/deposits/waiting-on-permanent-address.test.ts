/**
 * Which of several invoices a payment to a permanent address is for: one that takes it, whoever
 * else asked there since.
 */
import { describe, expect, test } from 'bun:test';
import { stageCheckout } from '../../support/http/checkout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a permanent address', () => {
  const { stage, merchant } = stageCheckout();
  const BOUND = { billing_type: 'VARY', permanent_address: true, user_id: 'customer-1' };

  test('pays the invoice that waits on it, although a younger one whose time is over was not swept yet', async () => {
    const waiting = await stage.choose(await merchant.create({ ...BOUND, ttl: 3600 }), 'eth_ethereum');
    await stage.choose(await merchant.create({ ...BOUND, ttl: 300 }), 'eth_ethereum');
    stage.clock.advance(301);
    expect((await stage.sight(waiting)).invoiceId).toBe(waiting.id);
  });

  test('pays the earlier choice of an invoice that is unpaid, although a younger one was changed as well and has dust', async () => {
    const first = await stage.choose(await merchant.create(BOUND), 'eth_ethereum');
    await stage.choose(first, 'usdt_tron');
    const second = await stage.choose(await merchant.create(BOUND), 'eth_ethereum');
    const tron = await stage.choose(second, 'usdt_tron');
    await stage.sight(tron, { units: 10n });
    expect((await stage.sight(first)).invoiceId).toBe(first.id);
  });
});
