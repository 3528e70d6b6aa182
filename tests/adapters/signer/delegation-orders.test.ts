/**
 * Orders that lend energy, or take it back: for our own deposit addresses, in that purpose, and no
 * money of any limit.
 */
import { describe, expect, test } from 'bun:test';
import { tronSigning } from '../../../src/adapters/chains/tron/codec/sign.ts';
import { checkKeys, checkPolicy } from '../../../src/adapters/signer/order-rules.ts';
import { orderLine, readOrder } from '../../../src/adapters/signer/signer-wire.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { UNLIMITED_SIGNING } from '../../../src/domain/sending/signing-policy.ts';
import { type SigningOrder, SigningRefused } from '../../../src/ports/sending/signer.ts';
import { type Change, changed, signingOrder } from '../../support/utxo/lone-orders.ts';

const PHRASE = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const DEPOSIT = { role: 'deposit', index: 7 } as const;
const family = tronSigning({ mnemonic: async () => PHRASE });
const catalog = new AssetCatalog();
const trx = catalog.require('trx_tron');

async function loan(change: Change<SigningOrder> = {}): Promise<SigningOrder> {
  const usual = signingOrder({
    ...{ chain: 'tron', key: { role: 'hot' }, wallet: await family.addressOf({ role: 'hot' }), nonce: 3n },
    ...{ purpose: 'lend', delegates: 'energy', asset: 'trx_tron', units: 9_000_000_000n, voids: false },
    ...{ to: await family.addressOf(DEPOSIT), toKey: DEPOSIT, transferId: 'transfer', referenceId: 'sweep' },
    payload: 'aa',
  });
  return changed(usual, change);
}
const check = async (change: Change<SigningOrder>) =>
  checkKeys(await loan(change), catalog.require(change.asset ?? 'trx_tron'), family);

describe('an order that lends energy', () => {
  test('is for one of our own deposit addresses, in the chain\u2019s coin, and back again', async () => {
    await check({});
    await check({ purpose: 'reclaim', delegates: 'energy_back' });
    const [hot, other] = [
      await family.addressOf({ role: 'hot' }),
      await family.addressOf({ role: 'deposit', index: 8 }),
    ];
    for (const change of [
      ...[{ to: other }, { to: hot }, { toKey: null }, { toKey: { role: 'hot' } as const, to: hot }],
      ...[{ asset: 'usdt_tron' }, { key: DEPOSIT, wallet: await family.addressOf(DEPOSIT) }],
    ])
      await expect(check(change)).rejects.toBeInstanceOf(SigningRefused);
  });

  test('says so by its purpose, and no other does', async () => {
    for (const purpose of ['payout', 'sweep', 'topup', 'reclaim', 'gap'] as const)
      await expect(check({ purpose })).rejects.toBeInstanceOf(SigningRefused);
    await expect(check({ delegates: 'energy_back' })).rejects.toThrow('for that purpose and for no other');
    const { delegates: _, ...pays } = await loan();
    await expect(checkKeys(pays, trx, family)).rejects.toThrow('for that purpose and for no other');
  });

  test('moves nothing that the policy limits, but its fee counts', async () => {
    const limits = new Map([['trx_tron', { perTransactionUnits: 1n, perDayUnits: 1n }]]);
    const policy = { ...UNLIMITED_SIGNING, limits };
    const fee = { asset: trx, native: trx, maxFeeUnits: 400_000n };
    checkPolicy(await loan(), policy, fee);
    const topup = await loan({ purpose: 'topup' });
    expect(() => checkPolicy(topup, policy, fee)).toThrow('per transaction');
    const dear = { ...policy, maxFeeUnits: new Map([['tron', 399_999n]]) };
    expect(async () => checkPolicy(await loan(), dear, fee)).toThrow('the fee may be more');
  });

  test('goes over the wire as it is', async () => {
    for (const order of [await loan(), await loan({ purpose: 'reclaim', delegates: 'energy_back' })])
      expect(readOrder(orderLine(order).trimEnd())).toEqual(order);
    const wrong = orderLine(await loan()).replace('"energy"', '"bandwidth"');
    expect(readOrder(wrong.trimEnd())).toBeNull();
  });
});
