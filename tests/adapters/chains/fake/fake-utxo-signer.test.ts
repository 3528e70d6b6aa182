/**
 * The fake signer is suspicious of orders of UTXOs, and no node of a fake chain takes what it did
 * not sign for the right UTXOs.
 */
import { describe, expect, test } from 'bun:test';
import { fakeDeriver } from '../../../../src/adapters/chains/fake/fake-deriver.ts';
import { fakeSigner } from '../../../../src/adapters/chains/fake/fake-signer.ts';
import { MalformedBytes } from '../../../../src/adapters/chains/utxo/codec/byte-reader.ts';
import { UTXO_FAMILIES } from '../../../../src/domain/catalog/family.ts';
import { type SigningOrder, SigningRefused } from '../../../../src/ports/sending/signer.ts';
import type { Utxo } from '../../../../src/ports/sending/utxo-spending.ts';
import { PAID_UNITS, stageFakeCoins } from '../../../support/fake/fake-utxo-stage.ts';

describe('fake signer of coins', () => {
  for (const family of UTXO_FAMILIES)
    test(`an order of ${family} that differs from its payload, or from its keys, is refused`, async () => {
      const stage = stageFakeCoins(family);
      const order = stage.orderOf();
      const { payload } = await stage.sender.prepare(order, null);
      const right = stage.signingOrder(order, payload);
      expect(await stage.signer.sign(right)).toEqual(await stage.signer.sign(right));
      const [payment] = right.payments as [SigningOrder['payments'][number]];
      const [input] = right.inputs as [SigningOrder['inputs'][number]];
      const wrong: readonly Partial<SigningOrder>[] = [
        { nonce: order.nonce + 1n },
        { payments: [{ ...payment, to: stage.freshAddress() }] },
        { payments: [{ ...payment, units: PAID_UNITS + 1n }] },
        { payments: [payment, payment] },
        { inputs: [{ ...input, vout: 1 }] },
        { inputs: [input, input] },
        { inputs: [] },
        { voids: true },
        { wallet: stage.freshAddress() },
        { key: { role: 'deposit', index: 0 } },
        { chain: 'dogecoin' },
        { payload: '' },
        { payload: `${payload}00` },
      ];
      for (const change of wrong)
        await expect(stage.signer.sign({ ...right, ...change })).rejects.toThrow(SigningRefused);
    });

  test('without keys for change there is none to sign with', async () => {
    const stage = stageFakeCoins('bitcoin');
    const signer = fakeSigner({ derivers: new Map([['bitcoin', stage.deriver]]) });
    const order = stage.orderOf();
    const { payload } = await stage.sender.prepare(order, null);
    await expect(signer.sign(stage.signingOrder(order, payload))).rejects.toThrow(SigningRefused);
  });

  test('bytes that others signed, or for another amount, or that were touched, are taken by no node', async () => {
    const stage = stageFakeCoins('bitcoin');
    const order = stage.orderOf();
    const [utxo] = order.inputs as [Utxo];
    const { payload } = await stage.sender.prepare(order, null);
    const { raw } = await stage.signed(order);
    const signedFor = async (input: Partial<Utxo>) =>
      (await stage.signer.sign(stage.signingOrder({ ...order, inputs: [{ ...utxo, ...input }] }, payload)))
        .raw;
    for (const bytes of [
      await signedFor({ key: { role: 'hot' } }),
      await signedFor({ units: utxo.units + 1n }),
      raw.replace(/00000000$/, '01000000'),
      payload,
    ])
      expect(await stage.sender.broadcast(bytes)).toMatchObject({ kind: 'refused' });
    for (const bytes of [`${raw}00`, raw.slice(2), 'nonsense', ''])
      await expect(stage.sender.broadcast(bytes)).rejects.toThrow(MalformedBytes);
    expect(await stage.sender.broadcast(raw)).toEqual({ kind: 'accepted' });
  });
});

test('change of the fake deriver is at no address of a deposit, and at another for every nonce', () => {
  for (const family of UTXO_FAMILIES) {
    const deriver = fakeDeriver({ family });
    const own = [deriver.hotWallet(), ...[1, 2, 3, 2 ** 31 - 1].map((index) => deriver.changeAddress(index))];
    expect(new Set([...own, ...deriver.derive({ from: 0, count: 4 })]).size).toBe(9);
    for (const index of [0, -1, 1.5, 2 ** 31]) expect(() => deriver.changeAddress(index)).toThrow(RangeError);
  }
});
