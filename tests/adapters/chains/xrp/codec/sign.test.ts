/**
 * What the XRP family brings to the signer: one key, and payloads that do to the last field what
 * the order says.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { encode } from 'xrpl';
import { xrpSigning } from '../../../../../src/adapters/chains/xrp/codec/sign.ts';
import { accountOfKey, xrpDeriver } from '../../../../../src/adapters/chains/xrp/deriver.ts';
import { xrpNetwork } from '../../../../../src/adapters/chains/xrp/network.ts';
import { publicKeysOf } from '../../../../../src/adapters/signer/keystore.ts';
import type { SendingOrder } from '../../../../../src/ports/sending/chain-sender.ts';
import { type SigningOrder, SigningRefused } from '../../../../../src/ports/sending/signer.ts';
import { type Change, changed } from '../../../../support/utxo/lone-orders.ts';
import {
  accountNumber,
  openXrpStage,
  PHRASE,
  signingOrderOf,
  type XrpStage,
} from '../../../../support/xrp/stage.ts';

const TERMS = { chainId: null, contract: null, decimals: 6 };

describe('signing of xrp', () => {
  let stage: XrpStage;
  beforeAll(async () => {
    stage = await openXrpStage();
  });
  afterAll(() => stage.close());

  async function ordered(changes: Change<SendingOrder> = {}): Promise<SigningOrder> {
    const order = await stage.steps.orderOf(changes);
    return signingOrderOf(order, await stage.sender.prepare(order, null));
  }
  const refused = async (order: SigningOrder, reason: RegExp, terms = TERMS): Promise<void> => {
    const error = await stage.signing.check(order, terms).then(
      () => null,
      (problem: unknown) => problem,
    );
    if (!(error instanceof SigningRefused)) throw new Error(`not refused: ${String(error)}`);
    expect(error.message).toMatch(reason);
    if (order.payload !== '') expect(error.message).not.toContain(order.payload.slice(0, 40));
  };

  test('the key is that of the keystore, and the deriver tells the same account', async () => {
    const { xrp } = await publicKeysOf(PHRASE);
    expect(xrp.path).toBe("m/44'/144'/0'/0/0");
    expect(accountOfKey(xrp.publicKey)).toBe(stage.hot);
    const deriver = xrpDeriver({ network: xrpNetwork('main'), publicKey: xrp.publicKey });
    expect(deriver.normalize(deriver.hotWallet()!)).toBe(stage.wallet);
    for (const key of [
      { role: 'deposit', index: 0 },
      { role: 'change', index: 1 },
    ] as const)
      await expect(stage.signing.addressOf(key)).rejects.toThrow(RangeError);
  });

  test('what agrees is signed, the same each time, and costs its fee at most', async () => {
    for (const changes of [{}, { to: `${accountNumber(3)}:9` }, { voids: true }]) {
      const order = await ordered(changes);
      expect(await stage.signing.check(order, TERMS)).toEqual({ maxFeeUnits: 12n });
      const signed = await stage.signing.sign(order);
      expect(await stage.signing.sign(order)).toEqual(signed);
      expect(await stage.sender.broadcast(signed.raw)).toEqual({ kind: 'accepted' });
      stage.lab.network.close();
    }
  });

  test('a payload that says something else than its order is refused, whatever it is', async () => {
    const order = await ordered({ to: `${accountNumber(3)}:9` });
    const other = await ordered({ voids: true });
    const cases: readonly (readonly [Change<SigningOrder>, RegExp])[] = [
      [{ nonce: order.nonce + 1n }, /another sequence/],
      [{ validUntil: order.validUntil! + 1n }, /expires at another ledger/],
      [{ validUntil: null }, /expires at another ledger/],
      [{ to: accountNumber(3) }, /recipient/],
      [{ to: `${accountNumber(3)}:8` }, /recipient/],
      [{ to: `${accountNumber(4)}:9` }, /recipient/],
      [{ to: 'nowhere' }, /recipient/],
      [{ units: 1n }, /another amount/],
      [{ units: 0n }, /invalid amount/],
      [{ payments: [] }, /invalid amount/],
      [{ payments: [...order.payments, ...order.payments] }, /more than one payment/],
      [{ voids: true }, /moves something/],
      [{ voids: true, purpose: 'gap' }, /moves something/],
      [{ payload: other.payload }, /moves nothing/],
      [{ payload: '' }, /no unsigned transaction/],
      [{ payload: order.payload.toLowerCase() }, /no unsigned transaction/],
    ];
    for (const [change, reason] of cases) await refused(changed(order, change), reason);
    await refused(order, /own coin/, { ...TERMS, contract: 'USD.issuer' as never });
  });

  test('the setting that requires tags is signed for a gap, and for nothing else', async () => {
    const order = await ordered({ voids: true, to: stage.hot });
    expect(await stage.signing.check({ ...order, purpose: 'gap' }, TERMS)).toEqual({ maxFeeUnits: 12n });
    await refused(order, /changes a setting/);
    await refused({ ...order, purpose: 'gap', voids: false }, /moves nothing/);
  });

  test('a payload of another account, or with an insane fee, is refused', async () => {
    const order = await ordered();
    const fields = {
      ...{
        TransactionType: 'Payment',
        Account: stage.hot,
        Destination: stage.lab.classicOf(order.payments[0]!.to),
      },
      ...{ Amount: order.payments[0]!.units.toString(), Fee: '12', Sequence: Number(order.nonce) },
      LastLedgerSequence: Number(order.validUntil),
    };
    const written = (changes: object) =>
      changed(order, { payload: encode({ ...fields, ...changes } as never) });
    expect(await stage.signing.check(written({}), TERMS)).toEqual({ maxFeeUnits: 12n });
    await refused(written({ Account: accountNumber(1) }), /another account/);
    await refused(written({ Fee: '10000001' }), /sanity limit/);
  });

  test('words that cannot be read are asked for again the next time', async () => {
    let asked = 0;
    const signing = xrpSigning({
      network: xrpNetwork('main'),
      mnemonic: async () => {
        asked += 1;
        if (asked === 1) throw new Error('the keystore is locked');
        return PHRASE;
      },
    });
    await expect(signing.addressOf({ role: 'hot' })).rejects.toThrow('locked');
    expect(await signing.addressOf({ role: 'hot' })).toBe(stage.wallet);
  });
});
