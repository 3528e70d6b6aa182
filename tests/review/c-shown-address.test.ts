/** The page must not invite what will not be taken. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Invoice } from '../../src/domain/invoice-record.ts';
import { type CheckoutStage, openCheckoutStage } from '../support/checkout-stage.ts';
import { needs } from '../support/needs.ts';
import { postgresAvailable } from '../support/postgres.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('the page', () => {
  let stage: CheckoutStage;
  beforeAll(async () => {
    stage = await openCheckoutStage();
  });
  afterAll(() => stage.it.stop());
  const page = async ({ externalId }: Invoice) =>
    (await fetch(`${stage.it.url}/checkout/${externalId}`)).text();

  test('of a payment that failed is watched as long as the payment may come back', async () => {
    const merchant = await stage.merchant();
    const open = await stage.choose(await merchant.create({ ttl: 300 }), 'eth_ethereum');
    const gone = await stage.sight(open);
    stage.clock.advance(301);
    await stage.lose(gone);
    expect((await stage.read(open.id)).status).toBe('failed');
    const watched = (await page(open)).includes('data-open="true"');
    const back = await stage.sight(open, { txid: gone.txid });
    const after = (await stage.read(open.id)).status;
    expect([back.invoiceId, after]).toEqual([open.id, 'confirming']);
    expect(watched).toBe(true);
  });
});
