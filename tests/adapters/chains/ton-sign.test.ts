/** TON's signatures: byte for byte those of @ton/ton's own wallet, and nothing is signed that the order does not say. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { createPrivateKey, sign } from 'node:crypto';
import {
  Address,
  beginCell,
  type Cell,
  external,
  internal,
  type MessageRelaxed,
  SendMode,
  storeMessage,
  storeMessageRelaxed,
} from '@ton/core';
import { deriveEd25519Path, keyPairFromSeed } from '@ton/crypto';
import { WalletContractV5R1 } from '@ton/ton';
import { Mnemonic } from 'ethers';
import type { CellId } from '../../../src/adapters/chains/ton/cell-hash.ts';
import { JETTON_COINS } from '../../../src/adapters/chains/ton/costs.ts';
import { storedExternal } from '../../../src/adapters/chains/ton/external.ts';
import { writePayload } from '../../../src/adapters/chains/ton/payload.ts';
import {
  readRequest,
  type WalletMessage,
  type WalletRequest,
  writeRequest,
} from '../../../src/adapters/chains/ton/wallet-request.ts';
import { type SigningOrder, SigningRefused, type WalletKey } from '../../../src/ports/signer.ts';
import { type Seeded, seeded } from '../../support/seeded.ts';
import { testJetton } from '../../support/ton/jetton.ts';
import { PHRASE, tonSigner } from '../../support/ton/ton-sending.ts';

const jetton = testJetton({ salt: 'the listed jetton', decimals: 6 });
const stranger = testJetton({ salt: 'another jetton', decimals: 6 });
const someone = new Address(0, Buffer.alloc(32, 9));
const codeCell = jetton.walletState(someone).code!;
const code: CellId = { hash: codeCell.hash(), depth: codeCell.depth() };
const COINS = { chainId: null, contract: null, decimals: 9 };
const JETTONS = { chainId: null, contract: jetton.minter.toString(), decimals: 6 };

let keyPair: ReturnType<typeof keyPairFromSeed>;
let hot = '';
beforeAll(async () => {
  const seed = Buffer.from(Mnemonic.fromPhrase(PHRASE).computeSeed().slice(2), 'hex');
  keyPair = keyPairFromSeed(await deriveEd25519Path(seed, [44, 607, 0]));
  hot = await tonSigner.addressOf({ role: 'hot' });
});

const KEYS: readonly [WalletKey, ...WalletKey[]] = [
  { role: 'hot' },
  ...[0, 1, 77, 123_456, 2 ** 31 - 1].map((index) => ({ role: 'deposit', index }) as const),
];
const addressOf = (from: Seeded): Address =>
  new Address(0, Buffer.from(Array.from({ length: 32 }, () => from.int(256))));
const raw = (address: Address): string => address.toRawString();

const oracles = new Map<string, WalletContractV5R1>();

/** The wallet of @ton/ton for one of our keys. */
function oracle(key: WalletKey): WalletContractV5R1 {
  const { publicKey } = keyPair;
  const name = JSON.stringify(key);
  const networkGlobalId = -239;
  const made =
    oracles.get(name) ??
    (key.role === 'hot'
      ? WalletContractV5R1.create({ publicKey })
      : WalletContractV5R1.create({ publicKey, walletId: { networkGlobalId, context: key.index } }));
  oracles.set(name, made);
  return made;
}

/** OpenSSL's signature, of the key in the form that it reads (PKCS #8). */
function opensslSignature(data: Buffer): Buffer {
  const der = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    keyPair.secretKey.subarray(0, 32),
  ]);
  return sign(null, data, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

/** The external message that @ton/ton makes of the same request. */
async function oracleExternal(key: WalletKey, { seqno, validUntil, messages }: WalletRequest): Promise<Cell> {
  const wallet = oracle(key);
  const body = await wallet.createTransfer({
    seqno: Number(seqno),
    timeout: Number(validUntil),
    signer: async (part) => opensslSignature(part.hash()),
    sendMode: SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS,
    messages: messages.map(relaxed),
  });
  const init = seqno === 0n ? { init: wallet.init } : {};
  return beginCell()
    .store(storeMessage(external({ to: wallet.address, body, ...init })))
    .endCell();
}

function relaxed({ to, bounce, coins, jettons }: WalletMessage): MessageRelaxed {
  const target = { to: Address.parse(to), bounce, value: coins };
  if (jettons === null) return internal(target);
  const { queryId, units, to: owner, response, forwardCoins } = jettons;
  const body = beginCell().storeUint(0xf8a7ea5, 32).storeUint(queryId, 64).storeCoins(units);
  body.storeAddress(Address.parse(owner)).storeAddress(Address.parse(response)).storeBit(0);
  return internal({ ...target, body: body.storeCoins(forwardCoins).storeBit(0).endCell() });
}

interface Case {
  readonly order: SigningOrder;
  readonly request: WalletRequest;
  readonly terms: typeof COINS | typeof JETTONS;
}

/** An order and the request that fulfils it. */
async function aCase(
  random: Seeded,
  given: { jettons: boolean; count: number; key?: WalletKey },
): Promise<Case> {
  const key: WalletKey = given.key ?? random.pick(KEYS);
  const wallet = await tonSigner.addressOf(key);
  const sequence = BigInt(random.int(4) === 0 ? 0 : random.int(2 ** 31));
  const validUntil = BigInt(1_750_000_000 + random.int(1_000_000));
  const own = raw(jetton.walletOf(Address.parse(wallet)));
  const payments = Array.from({ length: given.count }, (_, position) => {
    const address = addressOf(random);
    const bounceable = random.pick([true, false]);
    const to = random.pick([raw(address), address.toString({ bounceable })]);
    const units = BigInt(1 + random.int(2 ** 32)) * BigInt(1 + random.int(2 ** 20));
    const bounce = to.startsWith('UQ') ? false : random.pick([true, false]);
    const queryId = sequence * 256n + BigInt(position);
    const message: WalletMessage = given.jettons
      ? {
          ...{ to: own, bounce: true, coins: JETTON_COINS },
          jettons: { queryId, units, to: raw(address), response: hot, forwardCoins: BigInt(random.int(2)) },
        }
      : { to: raw(address), bounce, coins: units, jettons: null };
    return { to, units, message, transferId: `t${position}`, referenceId: `p${position}`, toKey: null };
  });
  const request = { validUntil, seqno: sequence, messages: payments.map(({ message }) => message) };
  const order: SigningOrder = {
    ...{ chain: 'ton', key, wallet, sequence, validUntil, inputs: [], voids: false, feePayer: null },
    purpose: key.role === 'hot' ? 'payout' : 'sweep',
    asset: given.jettons ? 'usdt_ton' : 'ton_ton',
    payments: payments.map(({ message: _, ...payment }) => payment),
    payload: writePayload({ request, code: given.jettons ? code : null }),
  };
  return { order, request, terms: given.jettons ? JETTONS : COINS };
}

describe('a signature', () => {
  test('1,000 random requests of both assets and all wallets are byte for byte what @ton/ton signs', async () => {
    const random = seeded(2_026);
    for (let round = 0; round < 1_000; round += 1) {
      const jettons = random.pick([true, false]);
      const count = round % 400 === 7 ? 200 : 1 + random.int(3);
      const { order, request, terms } = await aCase(random, { jettons, count });
      expect((await tonSigner.check(order, terms)).maxFeeUnits).toBeGreaterThan(0n);
      const { raw: bytes, txid } = await tonSigner.sign(order);
      const expected = await oracleExternal(order.key, request);
      expect(txid).toBe(expected.hash().toString('hex'));
      if (round % 50 > 0) continue;
      expect(bytes).toBe(expected.toBoc().toString('hex'));
      expect(storedExternal(bytes)).toMatchObject({ txid, wallet: order.wallet, request });
    }
  });

  test('of a request without messages uses a seqno up, and the same order gives the same bytes', async () => {
    const random = seeded(3);
    const { order } = await aCase(random, { jettons: false, count: 1 });
    const request = { validUntil: order.validUntil!, seqno: order.sequence, messages: [] };
    const voiding = { ...order, voids: true, payload: writePayload({ request, code: null }) };
    await tonSigner.check(voiding, COINS);
    const signed = await tonSigner.sign(voiding);
    const expected = await oracleExternal(order.key, request);
    expect(signed.txid).toBe(expected.hash().toString('hex'));
    expect(await tonSigner.sign(voiding)).toEqual(signed);
  });

  test('comes from wallets of one key: the addresses are those of @ton/ton, and there are no others', async () => {
    for (const key of [
      { role: 'hot' },
      { role: 'deposit', index: 0 },
      { role: 'deposit', index: 2 ** 31 - 1 },
    ] as const)
      expect(await tonSigner.addressOf(key)).toBe(raw(oracle(key).address));
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
      const good = await aCase(random, { jettons, count: 2, key: HOT });
      const given = jettons ? code : null;
      await tonSigner.check(good.order, good.terms);
      const [first, second] = good.order.payments;
      await refused(good, { sequence: good.order.sequence + 1n });
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
    const good = await aCase(seeded(5), { jettons: true, count: 1, key: HOT });
    const elsewhere = withMessages(good, code, (message) => ({
      ...message,
      to: raw(stranger.walletOf(Address.parse(hot))),
    }));
    await refused(good, { payload: elsewhere });
    const otherCode = { hash: Buffer.alloc(32, 5), depth: 3 };
    await refused(good, { payload: withMessages(good, otherCode, (message) => message) });
  });

  test('that asks coins back which the address lets stay', async () => {
    const good = await aCase(seeded(6), { jettons: false, count: 1, key: HOT });
    const [payment] = good.order.payments;
    const payload = withMessages(good, null, (message) => ({ ...message, bounce: true }));
    const friendly = (bounceable: boolean) =>
      Address.parse(good.request.messages[0]!.to).toString({ bounceable });
    await refused(good, { payload, payments: [{ ...payment!, to: friendly(false) }] });
    await tonSigner.check({ ...good.order, payload, payments: [{ ...payment!, to: friendly(true) }] }, COINS);
  });

  test('that is written in any other way than ours', async () => {
    const good = await aCase(seeded(7), { jettons: false, count: 1, key: HOT });
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

  test('1,000 requests read back as they were written, and one bit more or less is none', () => {
    const random = seeded(8);
    for (let round = 0; round < 1_000; round += 1) {
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
