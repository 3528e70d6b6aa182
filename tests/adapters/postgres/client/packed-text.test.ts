import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { packed, unpacked } from '../../../../src/adapters/postgres/client/packed-text.ts';

const BODY = {
  ...{
    order_id: '01a224bb216b4a7ec317bf68',
    external_id: 'b20070cc-7381-4a12-b99c-99f45f7bfc1a',
    status: 'success',
  },
  ...{
    asset: 'usdt_ethereum',
    initial_asset: 'usdt_ethereum',
    type: 'token',
    amount: 25.25,
    initial_amount: 25.25,
  },
  ...{ fiat_amount: 25, initial_fiat_amount: 25, fiat_currency: 'USD', billing_type: 'STATIC' },
  address_to: '0x1aa59051EE7c4C52AD6E3A206bAF4576D8b5fb58',
  ...{ address_classic: null, address_tag: null, address_from: '0xfa4e391634948e0051aaba552ee04924b65d6d2d' },
  ...{ extra: 'order-1', title: 'Order 1', description: null, expires_at: 1_795_916_173, metadata: null },
  ...{ fee_bearer: 'client', underpay_tolerance: null, accepted_coins: null, excluded_coins: null },
  ...{
    on_paid_url: null,
    on_cancel_url: null,
    notify_url: null,
    price_modifier: null,
    original_amount: null,
  },
  ...{
    payer_info: null,
    permanent_address_id: null,
    user_id: null,
    payment_link_id: null,
    received_amount: 25.25,
  },
  txid: 'cd09b6506eba792591e3d9f5bfdd1fb781f3411a85b52997fc5c378df2bef446',
  ...{ created_at: 1_795_912_573, updated_at: 1_795_912_573, processed_at: 1_795_912_573 },
  payment_url: 'https://pay.example/checkout/b20070cc-7381-4a12-b99c-99f45f7bfc1a',
};

/** What an earlier version stored: it must stay readable, whatever becomes of the dictionary. */
const STORED =
  '01edd53b52c4300c06e0ab70813096ac875566d8d07206cbb66a5a0aeeceec63966c42b1c352d24aee7e7fbfb67c10c91d41' +
  '9caa8e96413da4ec4c39a6a4a9b5497381892ae0e4666d320be2508f76827875f76796b68c909f91f7962ee31b39eb77bbc5' +
  '43a8a056b6c4b02cdae885713ec892674ce2f32bb1caa1388773790c5f541ad940321995911243ad5e99718c4486e4c25d3a' +
  'f615d253b413acacbe1d274f700f59630301cdff747f4b17cfbff0c2b7f5642e9c647855433618b95bb047ef10ae05221340' +
  '2dec8c661a8d5bd6d2037d0491ecf81f03423e06745b03dff36d1dac363fd6c27bfdb85eda6b43dc65fdf30b';

describe('packed text', () => {
  test('is unpacked exactly, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 3_000 }), (text) => {
        expect(unpacked(packed(text))).toBe(text);
      }),
    );
  });

  test('is unpacked exactly when it is longer than the window', () => {
    const text = JSON.stringify({
      ...BODY,
      metadata: { long: 'äöü€'.repeat(5_000), more: [...Array(2_000).keys()] },
    });
    expect(unpacked(packed(text))).toBe(text);
  });

  test('of an invoice takes a quarter of its bytes at most', () => {
    const text = JSON.stringify(BODY);
    expect(packed(text).length * 4).toBeLessThan(text.length);
  });

  test('of earlier versions is still read', () => {
    expect(unpacked(Buffer.from(STORED, 'hex'))).toBe(JSON.stringify(BODY));
  });

  test('is refused or unpacked exactly with any byte of it damaged', () => {
    const text = JSON.stringify(BODY);
    const bytes = packed(text);
    for (let place = 0; place < bytes.length; place += 1)
      for (const by of [1, 32, 255]) {
        const damaged = Uint8Array.from(bytes);
        damaged[place] = (damaged[place] ?? 0) ^ by;
        if (damaged[0] === 1) continue;
        let found = text;
        try {
          found = unpacked(damaged);
        } catch {}
        expect(found).toBe(text);
      }
  });

  test('in an unknown format is refused', () => {
    expect(() => unpacked(Uint8Array.of(3, 0))).toThrow('unknown format 3');
    expect(() => unpacked(new Uint8Array())).toThrow('unknown format');
  });
});
