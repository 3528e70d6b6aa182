/**
 * A customer changes the currency on the checkout: what may be changed and when, at which price,
 * and to which address.
 */
import { describe, expect, test } from 'bun:test';
import { addressAllocator } from '../../../src/app/invoices/addresses/address-allocator.ts';
import { permanentAddresses } from '../../../src/app/invoices/permanent-addresses.ts';
import type { Invoice } from '../../../src/domain/invoices/invoice-record.ts';
import { stageCheckout } from '../../support/http/checkout-stage.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';

const COINS = ['eth_ethereum', 'usdt_ethereum', 'usdt_tron', 'btc_bitcoin'];

describe.skipIf(!needs('postgres', postgresAvailable()))('the choice of currency', () => {
  const { stage, merchant } = stageCheckout();
  const choosable = (invoice: Invoice) => stage.application.choosableAssets(invoice).map(({ key }) => key);
  const place = ({ addressTo }: Invoice) => addressTo;

  test('is open again after it was made, and initial_asset stays the first', async () => {
    const open = await merchant.create({ accepted_coins: COINS });
    expect(choosable(open).toSorted()).toEqual(COINS.toSorted());
    const first = await stage.choose(open, 'eth_ethereum');
    expect(choosable(first).toSorted()).toEqual(COINS.toSorted());
    const second = await stage.choose(open, 'usdt_tron');
    expect(second).toMatchObject({ initialAsset: 'eth_ethereum', status: 'created', version: 0 });
    expect(second.addressTo).not.toBe(first.addressTo);
    expect(second.earlierChoices).toEqual([
      { price: first.price!, addressTo: first.addressTo!, permanentAddressId: null },
    ]);
  });

  test('made again is the choice that was made, and changes nothing', async () => {
    const first = await stage.choose(await merchant.create(), 'eth_ethereum');
    stage.setRates(50n);
    expect(await stage.choose(first, 'eth_ethereum')).toEqual(first);
  });

  test('of an asset chosen before brings back its price and its address, so that flipping finds no better rate', async () => {
    const open = await merchant.create();
    const eth = await stage.choose(open, 'eth_ethereum');
    await stage.choose(open, 'usdt_tron');
    stage.setRates(200n);
    const again = await stage.choose(open, 'eth_ethereum');
    expect([again.price, again.addressTo]).toEqual([eth.price, eth.addressTo]);
    // What was never chosen is priced when it is.
    const btc = await stage.choose(open, 'btc_bitcoin');
    stage.setRates(100n);
    const dearer = await stage.choose(await merchant.create(), 'btc_bitcoin');
    expect(btc.price!.dueUnits).toBe(dearer.price!.dueUnits / 2n);
  });

  test('gives an invoice one address per family, however often it is changed', async () => {
    const open = await merchant.create();
    const seen = new Map<string, Invoice>();
    for (const asset of [...COINS, 'eth_base', 'usdc_base', ...COINS, 'eth_base'])
      seen.set(asset, await stage.choose(open, asset));
    const evm = ['eth_ethereum', 'usdt_ethereum', 'eth_base', 'usdc_base'].map((key) =>
      place(seen.get(key)!),
    );
    expect(new Set(evm).size).toBe(1);
    const last = await stage.read(open.id);
    expect(await stage.addressesOf(last)).toEqual({ evm: 1, tron: 1, bitcoin: 1 });
    const issued = await stage.deps.unitOfWork.run((r) => r.addresses.find('evm', [evm[0]!.toLowerCase()]));
    expect(issued.map(({ invoiceId }) => invoiceId)).toEqual([open.id]);
  });

  test('is not the customer’s where the merchant named an asset and nothing else', async () => {
    for (const body of [{}, { excluded_coins: ['btc_bitcoin'] }, { accepted_coins: [] }]) {
      const named = await merchant.create({ asset: 'usdt_ethereum', ...body });
      expect(choosable(named)).toEqual([]);
      expect(await stage.refusedChoice(named, 'usdt_tron')).toBe(
        'This invoice is already to be paid in usdt_ethereum.',
      );
      expect(await stage.choose(named, 'usdt_ethereum')).toEqual(named);
    }
  });

  test('is the customer’s where the merchant named an asset beside accepted_coins', async () => {
    const named = await merchant.create({ asset: 'usdt_ethereum', accepted_coins: COINS });
    expect(choosable(named).toSorted()).toEqual(COINS.toSorted());
    const changed = await stage.choose(named, 'btc_bitcoin');
    expect(changed.initialAsset).toBe('usdt_ethereum');
    expect(await stage.refusedChoice(named, 'eth_base')).toBe('This invoice cannot be paid in eth_base.');
    const back = await stage.choose(named, 'usdt_ethereum');
    expect([back.price, back.addressTo]).toEqual([named.price, named.addressTo]);
    const alone = await merchant.create({ asset: 'usdt_ethereum', accepted_coins: ['usdt_ethereum'] });
    expect(choosable(alone)).toEqual([]);
  });

  test('of an invoice whose amount was given in its asset is priced by what that was worth, and the amount comes back exactly', async () => {
    const named = await merchant.create({
      ...{ amount: 0.0123456789, asset: 'eth_ethereum', accepted_coins: COINS },
      fiat_currency: undefined,
    });
    expect(named.price!.baseUnits).toBe(12_345_678_900_000_000n);
    const changed = await stage.choose(named, 'usdt_tron');
    expect(changed.price!.baseUnits).toBe(24_690_000n);
    stage.setRates(300n);
    expect((await stage.choose(named, 'eth_ethereum')).price).toEqual(named.price);
  });

  test('ends with the time to pay, with a first payment however small, and with a stray at its address', async () => {
    const late = await stage.choose(await merchant.create({ ttl: 300 }), 'eth_ethereum');
    const [dust, stray, paid] = await Promise.all(
      [1, 2, 3].map(async () => stage.choose(await merchant.create(), 'usdt_ethereum')),
    );
    await stage.sight(dust!, { units: 1n });
    await stage.sight(stray!, { asset: 'usdc_ethereum' });
    await stage.sight(paid!);
    const seen = 'A payment was seen: the currency cannot be changed any more.';
    for (const invoice of [dust!, stray!, paid!])
      expect(await stage.refusedChoice(invoice, 'btc_bitcoin')).toBe(seen);
    for (const { id } of [dust!, paid!]) expect(choosable(await stage.read(id))).toEqual([]);
    stage.clock.advance(300);
    expect(choosable(late)).toEqual([]);
    expect(await stage.refusedChoice(late, 'btc_bitcoin')).toBe(
      'This invoice does not take payments any more.',
    );
  });

  test('is open again when the only payment disappeared, which is then not shown any more', async () => {
    const invoice = await stage.choose(await merchant.create(), 'usdt_ethereum');
    await stage.lose(await stage.sight(invoice));
    expect((await stage.read(invoice.id)).txid).not.toBeNull();
    expect(await stage.choose(invoice, 'btc_bitcoin')).toMatchObject({ txid: null, addressFrom: null });
  });

  test('of an invoice bound to a permanent address leads to that of the family, and to its successor', async () => {
    const bound = { billing_type: 'VARY', permanent_address: true, user_id: 'customer-1' };
    const open = await merchant.create(bound);
    const evm = await stage.choose(open, 'eth_ethereum');
    const tron = await stage.choose(open, 'usdt_tron');
    expect(tron.permanentAddressId).not.toBe(evm.permanentAddressId);
    expect(await stage.choose(open, 'eth_ethereum')).toMatchObject({
      ...{ addressTo: evm.addressTo, permanentAddressId: evm.permanentAddressId, price: evm.price },
    });
    await stage.choose(open, 'usdt_tron');
    const scope = { merchantId: merchant.id, sandbox: false };
    const permanent = permanentAddresses(stage.deps, addressAllocator(stage.deps));
    await permanent.deactivate(scope, evm.permanentAddressId!);
    const after = await stage.choose(open, 'eth_ethereum');
    expect(after.price).toEqual(evm.price);
    expect(after.addressTo).not.toBe(evm.addressTo);
  });

  test('works in the sandbox, where the simulator pays the present one', async () => {
    const open = await merchant.create({}, true);
    await stage.choose(open, 'eth_ethereum');
    const btc = await stage.choose(open, 'btc_bitcoin');
    const done = await stage.application.simulateFromCheckout(open.externalId, 'paid');
    expect(done).toMatchObject({
      ok: true,
      value: { status: 'success', price: btc.price, funds: { creditedUnits: btc.price!.dueUnits } },
    });
    expect(await stage.refusedChoice(open, 'eth_ethereum')).toBe(
      'This invoice does not take payments any more.',
    );
  });
});
