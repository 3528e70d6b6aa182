/** The page must not invite what will not be taken. */
import { describe, expect, test } from 'bun:test';
import { addressAllocator } from '../../../src/app/invoices/addresses/address-allocator.ts';
import { permanentAddresses } from '../../../src/app/invoices/permanent-addresses.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import { stageCheckout } from '../../support/http/checkout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('the page', () => {
  const { stage, merchant } = stageCheckout();
  const page = async ({ externalId }: Invoice) =>
    (await fetch(`${stage.it.url}/checkout/${externalId}`)).text();

  test('shows no permanent address that was deactivated: what is sent there is nobody’s', async () => {
    const bound = { billing_type: 'VARY', permanent_address: true, user_id: 'customer-1' };
    const open = await stage.choose(await merchant.create(bound), 'eth_ethereum');
    const permanent = permanentAddresses(stage.deps, addressAllocator(stage.deps));
    await permanent.deactivate({ merchantId: merchant.id, sandbox: false }, open.permanentAddressId!);
    const shown = (await page(open)).includes(`data-copy="${open.addressTo}"`);
    const taken = (await stage.sight(open)).invoiceId !== null;
    expect({ shown, taken }).not.toEqual({ shown: true, taken: false });
  });

  test('offers no other currency where none is given any more, since another token came to the address', async () => {
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

  const rebound = { billing_type: 'VARY', permanent_address: true, user_id: 'customer-2' };
  const freeze = (open: Invoice) => {
    const address = stage.deps.liveDerivers.get('tron')!.normalize(open.addressTo!)!;
    const reason = 'its owner changed in block 5';
    return stage.deps.unitOfWork.run(({ frozen }) =>
      frozen.freeze({ chain: 'tron', address, reason, at: stage.clock.now() }),
    );
  };
  const offers = (text: string, asset: string) => text.includes(`name="asset" value="${asset}"`);

  test('lets the present choice be made again where its address is gone, also if the merchant made it', async () => {
    const named = await merchant.create({ asset: 'usdt_tron' });
    expect(offers(await page(named), 'usdt_tron')).toBe(false);
    const before = await stage.application.liveStates([named.externalId]);
    await freeze(named);
    expect(await stage.application.liveStates([named.externalId])).not.toEqual(before);
    const text = await page(named);
    expect(text).toContain('data-status="choose"');
    expect([offers(text, 'usdt_tron'), offers(text, 'trx_tron')]).toEqual([true, false]);
    const again = await stage.choose(named, 'usdt_tron');
    expect(again.price).toEqual(named.price);
    expect(again.addressTo).not.toBe(named.addressTo);
    expect(await page(again)).toContain(`data-copy="${again.addressTo}"`);
    // A second one, and every choice of the family has the newest.
    await freeze(again);
    const third = await stage.choose(again, 'usdt_tron');
    expect(new Set([named, again, third].map(({ addressTo }) => addressTo)).size).toBe(3);
    const late = await stage.sight(named);
    expect(late).toMatchObject({ invoiceId: null, strayReason: 'frozen_address' });
    expect(await stage.refusedChoice(await merchant.create({ asset: 'usdt_tron' }), 'trx_tron')).toContain(
      'already',
    );
  });

  test('has nothing to choose where something lies at the address that is gone: somebody looks first', async () => {
    const open = await stage.choose(await merchant.create(), 'usdt_tron');
    await freeze(open);
    await stage.sight(open);
    expect(await stage.refusedChoice(open, 'usdt_tron')).toContain('A payment was seen');
    const text = await page(open);
    expect([offers(text, 'usdt_tron'), text.includes(open.addressTo!)]).toEqual([false, false]);
    expect(text).toContain('contact the merchant');
  });

  test('of a part paid says that the rest cannot be sent, and shows no address', async () => {
    const open = await stage.choose(await merchant.create(), 'usdt_tron');
    await stage.finish(await stage.sight(open, { units: 10_000_000n }));
    expect(await page(open)).toContain(open.addressTo!);
    await freeze(open);
    const text = await page(open);
    expect([text.includes(open.addressTo!), text.includes('to the same address')]).toEqual([false, false]);
    expect(text).toContain('contact the merchant');
  });

  test('an address that is ours after all takes payments again, beside the one that took its place', async () => {
    const open = await stage.choose(await merchant.create(), 'usdt_tron');
    await freeze(open);
    const again = await stage.choose(open, 'usdt_tron');
    const address = stage.deps.liveDerivers.get('tron')!.normalize(open.addressTo!)!;
    await stage.deps.unitOfWork.run(({ frozen }) => frozen.thaw({ chain: 'tron', address }));
    expect((await stage.sight(open)).invoiceId).toBe(again.id);
  });

  test('of a permanent address that is frozen leads to its successor, which the API gives out as well', async () => {
    const open = await stage.choose(await merchant.create(rebound), 'usdt_tron');
    await freeze(open);
    expect(await page(open)).not.toContain(open.addressTo!);
    const again = await stage.choose(open, 'usdt_tron');
    expect(again.addressTo).not.toBe(open.addressTo);
    expect((await stage.sight(again)).invoiceId).toBe(open.id);
    const next = await merchant.create({ ...rebound, asset: 'usdt_tron' });
    expect(next.addressTo).toBe(again.addressTo);
  });
});
