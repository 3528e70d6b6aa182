/** The page must not invite what will not be taken. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { addressAllocator } from '../../src/app/address-allocator.ts';
import { permanentAddresses } from '../../src/app/permanent-addresses.ts';
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

  test('shows no permanent address that was deactivated: what is sent there is nobody’s', async () => {
    const merchant = await stage.merchant();
    const bound = { billing_type: 'VARY', permanent_address: true, user_id: 'customer-1' };
    const open = await stage.choose(await merchant.create(bound), 'eth_ethereum');
    const permanent = permanentAddresses(stage.deps, addressAllocator(stage.deps));
    await permanent.deactivate({ merchantId: merchant.id, sandbox: false }, open.permanentAddressId!);
    const shown = (await page(open)).includes(`data-copy="${open.addressTo}"`);
    const taken = (await stage.sight(open)).invoiceId !== null;
    expect({ shown, taken }).not.toEqual({ shown: true, taken: false });
  });

  test('offers no other currency where none is given any more, since another token came to the address', async () => {
    const merchant = await stage.merchant();
    const open = await stage.choose(await merchant.create(), 'usdt_ethereum');
    await stage.sight(open, { asset: 'usdc_ethereum' });
    const offers = (await page(open)).includes('name="asset" value="btc_bitcoin"');
    const chosen = await stage.application.chooseCurrency(
      open.externalId,
      stage.deps.catalog.require('btc_bitcoin'),
    );
    expect(chosen.ok).toBe(offers);
  });

  test('shows no address whose owner is somebody else now, and neither does a choice of its family', async () => {
    const merchant = await stage.merchant();
    const open = await stage.choose(await merchant.create(), 'usdt_tron');
    const address = stage.deps.liveDerivers.get('tron')!.normalize(open.addressTo!)!;
    await stage.deps.unitOfWork.run(({ frozen }) =>
      frozen.freeze({
        chain: 'tron',
        address,
        reason: 'its owner changed in block 5',
        at: stage.clock.now(),
      }),
    );
    const shown = (await page(open)).includes(`data-copy="${open.addressTo}"`);
    const again = await stage.choose(open, 'trx_tron');
    const taken = (await stage.sight(again)).invoiceId !== null;
    expect({ shown, again: again.addressTo === open.addressTo, taken }).toEqual({
      shown: false,
      again: false,
      taken: true,
    });
  });

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
