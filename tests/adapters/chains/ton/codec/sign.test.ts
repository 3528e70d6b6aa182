/**
 * TON's signatures: byte for byte those of @ton/ton's own wallet, and nothing is signed that the
 * order does not say.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { Address, beginCell, storeMessageRelaxed } from '@ton/core';
import type { CellId } from '../../../../../src/adapters/chains/ton/codec/cell-hash.ts';
import { storedExternal } from '../../../../../src/adapters/chains/ton/codec/external.ts';
import { writePayload } from '../../../../../src/adapters/chains/ton/codec/payload.ts';
import {
  readRequest,
  type WalletMessage,
  type WalletRequest,
  writeRequest,
} from '../../../../../src/adapters/chains/ton/codec/wallet-request.ts';
import { JETTON_COINS } from '../../../../../src/adapters/chains/ton/send/costs.ts';
import {
  type SigningOrder,
  SigningRefused,
  type WalletKey,
} from '../../../../../src/ports/sending/signer.ts';
import { ORACLE_CASES } from '../../../../support/chains/oracle-cases.ts';
import { seeded } from '../../../../support/runtime/seeded.ts';
import { testJetton } from '../../../../support/ton/jetton.ts';
import {
  aCase,
  addressOf,
  type Case,
  COINS,
  code,
  JETTONS,
  openWallets,
  oracle,
  oracleExternal,
  raw,
  relaxed,
  type Wallets,
} from '../../../../support/ton/ton-orders.ts';
import { tonSigner } from '../../../../support/ton/ton-sending.ts';

const stranger = testJetton({ salt: 'another jetton', decimals: 6 });
const someone = new Address(0, Buffer.alloc(32, 9));

let wallets: Wallets;
let hot = '';
beforeAll(async () => {
  wallets = await openWallets();
  hot = wallets.hot;
});

describe('a signature', () => {
  test('random requests of both assets and all wallets are byte for byte what @ton/ton signs', async () => {
    const random = seeded(2_026);
    for (let round = 0; round < ORACLE_CASES; round += 1) {
      const jettons = random.pick([true, false]);
      const count = round === 500 ? 200 : 1 + random.int(2);
      const { order, request, terms } = await aCase(wallets, random, { jettons, count });
      expect((await tonSigner.check(order, terms)).maxFeeUnits).toBeGreaterThan(0n);
      const { raw: bytes, txid } = await tonSigner.sign(order);
      const expected = await oracleExternal(wallets, order.key, request);
      expect(txid).toBe(expected.hash().toString('hex'));
      if (round % 50 > 0) continue;
      expect(bytes).toBe(expected.toBoc().toString('hex'));
      expect(storedExternal(bytes)).toMatchObject({ txid, wallet: order.wallet, request });
    }
  });

  test('of a request without messages uses a seqno up, and the same order gives the same bytes', async () => {
    const random = seeded(3);
    const { order } = await aCase(wallets, random, { jettons: false, count: 1 });
    const request = { validUntil: order.validUntil!, seqno: order.nonce, messages: [] };
    const voiding = { ...order, voids: true, payload: writePayload({ request, code: null }) };
    // Whatever the payments were in.
    for (const terms of [COINS, JETTONS]) await tonSigner.check(voiding, terms);
    const signed = await tonSigner.sign(voiding);
    const expected = await oracleExternal(wallets, order.key, request);
    expect(signed.txid).toBe(expected.hash().toString('hex'));
    expect(await tonSigner.sign(voiding)).toEqual(signed);
  });

  test('comes from wallets of one key: the addresses are those of @ton/ton, and there are no others', async () => {
    for (const key of [
      { role: 'hot' },
      { role: 'deposit', index: 0 },
      { role: 'deposit', index: 2 ** 31 - 1 },
    ] as const)
      expect(await tonSigner.addressOf(key)).toBe(raw(oracle(wallets, key).address));
    for (const key of [
      { role: 'change', index: 1 },
      { role: 'deposit', index: 2 ** 31 },
      { role: 'deposit', index: -1 },
      { role: 'deposit', index: 0.5 },
    ] as const)
      await expect(tonSigner.addressOf(key)).rejects.toThrow(RangeError);
  });
});

describe('a request is refused', () => {
  const HOT: WalletKey = { role: 'hot' };
  const refused = async ({ order, terms }: Case, change: Partial<SigningOrder>): Promise<void> =>
    expect(tonSigner.check({ ...order, ...change }, terms)).rejects.toThrow(SigningRefused);
  const withMessages = (
    { request }: Case,
    codeOf: CellId | null,
    change: (message: WalletMessage) => WalletMessage,
  ): string =>
    writePayload({ request: { ...request, messages: request.messages.map(change) }, code: codeOf });

  for (const jettons of [true, false])
    test(`whatever of it is not what the order says (${jettons ? 'jettons' : 'coins'})`, async () => {
      const random = seeded(jettons ? 11 : 12);
      const good = await aCase(wallets, random, { jettons, count: 2, key: HOT });
      const given = jettons ? code : null;
      await tonSigner.check(good.order, good.terms);
      const [first, second] = good.order.payments;
      await refused(good, { nonce: good.order.nonce + 1n });
      await refused(good, { validUntil: good.order.validUntil! + 1n });
      await refused(good, { validUntil: null });
      await refused(good, { payments: [first!] });
      await refused(good, { payments: [second!, first!] });
      await refused(good, { payments: [first!, { ...second!, units: second!.units + 1n }] });
      await refused(good, { payments: [first!, { ...second!, to: raw(someone) }] });
      await refused(good, { payments: [first!, { ...second!, to: 'nobody' }] });
      await refused(good, { voids: true });
      await refused(good, { feePayer: hot });
      await refused({ ...good, terms: jettons ? COINS : JETTONS }, {});
      const changes: ((message: WalletMessage) => WalletMessage)[] = jettons
        ? [
            (message) => ({ ...message, coins: JETTON_COINS + 1n }),
            (message) => ({ ...message, bounce: false }),
            (message) => ({ ...message, to: raw(stranger.walletOf(Address.parse(hot))) }),
            (message) => ({ ...message, to: raw(someone) }),
            (message) => ({ ...message, jettons: { ...message.jettons!, response: raw(someone) } }),
            (message) => ({ ...message, jettons: { ...message.jettons!, forwardCoins: 2n } }),
            (message) => ({ ...message, jettons: { ...message.jettons!, queryId: 1n } }),
            (message) => ({ ...message, jettons: null }),
          ]
        : [
            (message) => ({ ...message, coins: message.coins + 1n }),
            (message) => ({ ...message, to: raw(someone) }),
          ];
      for (const change of changes) await refused(good, { payload: withMessages(good, given, change) });
    });

  test('that takes another jetton for ours, whatever code it says our wallets have', async () => {
    const good = await aCase(wallets, seeded(5), { jettons: true, count: 1, key: HOT });
    const elsewhere = withMessages(good, code, (message) => ({
      ...message,
      to: raw(stranger.walletOf(Address.parse(hot))),
    }));
    await refused(good, { payload: elsewhere });
    const otherCode = { hash: Buffer.alloc(32, 5), depth: 3 };
    await refused(good, { payload: withMessages(good, otherCode, (message) => message) });
  });

  test('that asks coins back which the address lets stay', async () => {
    const good = await aCase(wallets, seeded(6), { jettons: false, count: 1, key: HOT });
    const [payment] = good.order.payments;
    const payload = withMessages(good, null, (message) => ({ ...message, bounce: true }));
    const friendly = (bounceable: boolean) =>
      Address.parse(good.request.messages[0]!.to).toString({ bounceable });
    await refused(good, { payload, payments: [{ ...payment!, to: friendly(false) }] });
    await tonSigner.check({ ...good.order, payload, payments: [{ ...payment!, to: friendly(true) }] }, COINS);
  });

  test('that is written in any other way than ours', async () => {
    const good = await aCase(wallets, seeded(7), { jettons: false, count: 1, key: HOT });
    const { payload } = good.order;
    const padded = beginCell()
      .storeSlice(beginCell().storeUint(1, 64).storeBit(0).endCell().beginParse())
      .storeBit(0);
    const drains = writeDrain(good.request);
    for (const text of [
      '',
      'zz',
      payload.toUpperCase(),
      `${payload}00`,
      payload.slice(2),
      padded.endCell().toBoc().toString('hex'),
      drains,
    ])
      await refused(good, { payload: text });
    await refused(good, { payload: `${payload}.` });
    await refused(good, { payload: `${payload}.${'ab'.repeat(32)}.01` });
  });

  test('requests read back as they were written, and one bit more or less is none', () => {
    const random = seeded(8);
    for (let round = 0; round < ORACLE_CASES; round += 1) {
      const request: WalletRequest = {
        validUntil: BigInt(random.int(2 ** 31)),
        seqno: BigInt(random.int(2 ** 31)),
        messages: Array.from({ length: random.int(3) }, () => ({
          to: raw(addressOf(random)),
          bounce: random.pick([true, false]),
          coins: BigInt(random.int(2 ** 32)),
          jettons: null,
        })),
      };
      const written = writeRequest(request);
      expect(readRequest(written)).toEqual(request);
      const at = random.int(written.length);
      const digit = ((Number.parseInt(written[at]!, 16) + 1 + random.int(15)) % 16).toString(16);
      const damaged = readRequest(written.slice(0, at) + digit + written.slice(at + 1));
      if (damaged !== null) expect(damaged).not.toEqual(request);
    }
  });
});

/** The same payment in the mode that takes all the wallet has. */
function writeDrain({ validUntil, seqno, messages }: WalletRequest): string {
  const action = beginCell()
    .storeRef(beginCell().endCell())
    .storeUint(0x0ec3c86d, 32)
    .storeUint(128 + 2, 8);
  const message = beginCell().store(storeMessageRelaxed(relaxed(messages[0]!)));
  const list = action.storeRef(message.endCell()).endCell();
  return beginCell()
    .storeUint(validUntil, 32)
    .storeUint(seqno, 32)
    .storeMaybeRef(list)
    .endCell()
    .toBoc()
    .toString('hex');
}
