/**
 * The signer in this process: the contract, and that no altered field of payload or order gets a
 * signature.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { getAddress, Transaction } from 'ethers';
import fc from 'fast-check';
import { composeSigner } from '../../../src/compose/signer/signer.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import {
  DERIVED_AT_ONCE,
  type Signer,
  SignerUnavailable,
  type SigningOrder,
  SigningRefused,
} from '../../../src/ports/sending/signer.ts';
import { describeSigner } from '../../contracts/sending/signer.ts';
import { type SigningWorld, signingWorld } from '../../support/payouts/signing-world.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import { type TestClock, testClock } from '../../support/runtime/test-clock.ts';
import { TEST_MASTER_KEY, testConfig } from '../../support/test-service.ts';
import { type Change, changed, paymentOf } from '../../support/utxo/lone-orders.ts';

async function openSigner(world: SigningWorld, clock: TestClock = testClock()): Promise<Signer> {
  const config = testConfig({ DATA_DIR: world.dataDir, SIGNER_POLICY: world.policyFile });
  const signer = await composeSigner(config, {
    catalog: new AssetCatalog(),
    clock,
    logger: silentLogger,
    masterKey: Buffer.from(TEST_MASTER_KEY, 'hex'),
  });
  if (!signer) throw new Error('this role has no signer');
  return signer;
}

describeSigner('in process', async () => {
  const world = await signingWorld();
  const signer = await openSigner(world);
  return {
    world,
    signer,
    store: async () => {},
    async close() {
      await signer.close();
      await world.remove();
    },
  };
});

describe('no altered field is signed', () => {
  let world: SigningWorld;
  let signer: Signer;
  beforeAll(async () => {
    world = await signingWorld();
    signer = await openSigner(world);
  });
  afterAll(async () => {
    await signer.close();
    await world.remove();
  });

  const hex = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes }).map(asHex);
  const asHex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;
  const natural = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n });
  const assets = fc.constantFrom('usdt_ethereum', 'eth_ethereum');
  const refused = async (order: SigningOrder): Promise<void> => {
    const error = await signer.sign(order).then(
      () => 'signed',
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(SigningRefused);
  };

  test('of the payload', async () => {
    const alterations = fc.oneof(
      fc.record({ chainId: natural(40) }),
      fc.record({ nonce: fc.integer({ min: 0, max: 2 ** 31 }) }),
      fc.record({ to: hex(20) }),
      fc.constant({ to: null }),
      fc.record({ value: natural(128) }),
      fc.record({ data: fc.uint8Array({ maxLength: 100 }).map(asHex) }),
      fc.record({
        type: fc.constantFrom(1, 2),
        accessList: fc.array(fc.tuple(hex(20), fc.array(hex(32), { maxLength: 2 })), {
          minLength: 1,
          maxLength: 2,
        }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(assets, fc.boolean(), alterations, async (asset, voids, alteration) => {
        const order = world.order({ asset, voids });
        const { type, accessList, ...fields } = Transaction.from(order.payload).toJSON();
        const gas = { gasPrice: 20_000_000_000n, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined };
        const isOld = 'type' in alteration && alteration.type === 1;
        const altered = Transaction.from({
          ...fields,
          type,
          accessList,
          ...(isOld ? gas : { gasPrice: undefined }),
          ...alteration,
        }).unsignedSerialized;
        fc.pre(altered !== order.payload);
        await refused({ ...order, payload: altered });
      }),
      { numRuns: 300 },
    );
    expect((await world.log()).signed).toBe(0);
  });

  test('of the payload, byte for byte, except where only fees differ', async () => {
    await fc.assert(
      fc.asyncProperty(assets, fc.nat(), fc.integer({ min: 1, max: 255 }), async (asset, at, flip) => {
        const order = world.order({ asset });
        const bytes = Buffer.from(order.payload.slice(2), 'hex');
        const place = at % bytes.length;
        bytes[place] = (bytes[place] ?? 0) ^ flip;
        const payload = asHex(bytes);
        const was = Transaction.from(order.payload);
        const signed = await signer.sign({ ...order, payload }).then(
          ({ raw }) => Transaction.from(raw),
          (error: unknown) => {
            expect(error).toBeInstanceOf(SigningRefused);
            return null;
          },
        );
        if (signed === null) return;
        const { chainId, nonce, to, value, data } = was;
        expect(signed).toMatchObject({ chainId, nonce, to, value, data });
      }),
      { numRuns: 400 },
    );
  });

  test('of the order', async () => {
    const alterations: fc.Arbitrary<Change<SigningOrder>> = fc.oneof(
      fc.record({ wallet: fc.oneof(hex(20), fc.string({ maxLength: 50 })) }),
      fc.record({ key: fc.record({ role: fc.constant('deposit' as const), index: fc.nat() }) }),
      fc.record({ nonce: fc.bigInt({ min: -5n, max: 2n ** 70n }) }),
      fc.record({ chain: fc.constantFrom('bsc', 'tron', 'bitcoin', 'nowhere', '') }),
      fc.record({ asset: fc.constantFrom('usdc_ethereum', 'usdt_bsc', 'eth_base', 'btc_bitcoin', 'x') }),
      fc.record({ to: fc.oneof(hex(20), fc.string({ maxLength: 50 })) }),
      fc.record({ units: fc.bigInt({ min: -5n, max: 2n ** 260n }) }),
      fc.constant({ voids: true }),
      fc.record({ purpose: fc.constantFrom('sweep' as const, 'topup' as const) }),
      fc.record({ payload: fc.oneof(fc.string(), fc.uint8Array().map(asHex)) }),
    );
    await fc.assert(
      fc.asyncProperty(assets, alterations, async (asset, alteration) => {
        const order = world.order({ asset });
        const altered = changed(order, alteration);
        fc.pre(altered.nonce !== order.nonce || !('nonce' in alteration));
        fc.pre(paymentOf(altered).units !== paymentOf(order).units || !('units' in alteration));
        await refused(altered);
      }),
      { numRuns: 300 },
    );
  });

  test('a nonce that was signed for a payment that was lost is used up by what moves nothing, and pays nobody else', async () => {
    const lost = world.order();
    await signer.sign(lost);
    const { nonce } = lost;
    const gap = {
      purpose: 'gap',
      asset: 'eth_ethereum',
      to: world.hot,
      toKey: { role: 'hot' },
      units: 1n,
    } as const;
    await refused(world.order({ ...gap, nonce }));
    // Nor under a nonce of its own: a gap is filled by what moves nothing.
    await refused(world.order(gap));
    await refused(world.order({ nonce }));
    await signer.sign(world.order({ ...gap, nonce, voids: true }));
    await refused(world.order({ nonce }));
    // What was signed first may still be given out again: at most one of the two is mined.
    await signer.sign(lost);
    await refused(world.order({ ...lost, nonce: nonce + 900n }));
  });

  test('what a gap used up is still what it was: gas for an address may be given out again, and for no other', async () => {
    const native = { asset: 'eth_ethereum', units: 1n } as const;
    const topup = (index: number) =>
      ({ purpose: 'topup', to: world.deposit(index), toKey: { role: 'deposit', index }, ...native }) as const;
    const gas = world.order(topup(4));
    const { nonce } = gas;
    await signer.sign(gas);
    const gap = { purpose: 'gap', to: world.hot, toKey: { role: 'hot' }, voids: true, ...native } as const;
    await signer.sign(world.order({ ...gap, nonce }));
    await signer.sign(gas);
    await refused(world.order({ ...topup(5), nonce }));
  });

  test('a wallet in capital letters is the same wallet, whose nonce pays one payout', async () => {
    const first = world.order();
    await signer.sign(first);
    await refused(world.order({ nonce: first.nonce, wallet: getAddress(world.hot) }));
    const second = world.order({ wallet: getAddress(world.hot) });
    await signer.sign(second);
    await refused(world.order({ nonce: second.nonce }));
  });

  test('addresses are derived so many at a time and no more, and of what there are keys of only', async () => {
    const derive = (count: number, family = 'evm') => signer.addresses({ family, from: 3, count });
    expect(await derive(2)).toEqual([world.deposit(3), world.deposit(4)]);
    expect(await derive(DERIVED_AT_ONCE)).toHaveLength(DERIVED_AT_ONCE);
    for (const wrong of [derive(DERIVED_AT_ONCE + 1), derive(-1), derive(0.5), derive(1, 'monero')])
      await expect(wrong).rejects.toBeInstanceOf(SigningRefused);
  });

  test('a log that is another file than it was signs nothing until the signer is started again', async () => {
    const own = await signingWorld();
    const its = await openSigner(own);
    await its.sign(own.order());
    await rename(join(own.dataDir, 'signer.log'), join(own.dataDir, 'signer.log.old'));
    await expect(its.sign(own.order())).rejects.toBeInstanceOf(SignerUnavailable);
    await its.close();
    await own.remove();
  });

  test('legacy payloads are signed like EIP-1559 ones, and other kinds are not', async () => {
    const legacy = (order: SigningOrder, type: 0 | 1) => {
      const { to, value, data, chainId, nonce, gasLimit } = Transaction.from(order.payload);
      return Transaction.from({ type, to, value, data, chainId, nonce, gasLimit, gasPrice: 5n });
    };
    const old = world.order();
    const { raw } = await signer.sign({ ...old, payload: legacy(old, 0).unsignedSerialized });
    expect(Transaction.from(raw)).toMatchObject({ type: 0, from: expect.any(String) });
    const order = world.order();
    await refused({ ...order, payload: legacy(order, 1).unsignedSerialized });
    const withoutChain = legacy(order, 0);
    withoutChain.chainId = 0n;
    await refused({ ...order, payload: withoutChain.unsignedSerialized });
    const cheap = world.order({ gasPrice: 2_000_000_000n });
    const tipAbovePrice = cheap.payload.replace('843b9aca00', '84ffffffff');
    expect(tipAbovePrice).not.toBe(cheap.payload);
    await refused({ ...cheap, payload: tipAbovePrice });
    await refused({ ...order, payload: (await signer.sign(order)).raw });
    await refused({ ...order, payload: `${order.payload}00` });
    await refused({ ...order, payload: order.payload.toUpperCase().replace('0X', '0x') });
  });
});

describe('the limit of a day', () => {
  test('counts what left the hot wallet in the last 24 hours, replacements once, also after a restart', async () => {
    const world = await signingWorld();
    const clock = testClock();
    let signer = await openSigner(world, clock);
    try {
      await world.policy({ assets: { usdt_ethereum: { per_day: '3' } } });
      const first = world.order();
      await signer.sign(first);
      clock.advance(3_600);
      const replacing = world.order({ ...first, gasPrice: 30_000_000_000n });
      await signer.sign({ ...first, payload: replacing.payload });
      await signer.sign(
        world.order({
          purpose: 'sweep',
          key: { role: 'deposit', index: 1 },
          wallet: world.deposit(1),
          to: world.hot,
        }),
      );
      await signer.sign(world.order());
      const over = world.order({ units: 1n });
      await expect(signer.sign(over)).rejects.toMatchObject({
        lasting: false,
        message: expect.stringContaining('3 USDT per 24 hours'),
      });
      // A replacement of what was counted is not counted again.
      await signer.sign({ ...first, payload: world.order({ ...first, gasPrice: 50_000_000_000n }).payload });
      await signer.close();
      signer = await openSigner(world, clock);
      await expect(signer.sign(over)).rejects.toBeInstanceOf(SigningRefused);
      clock.advance(23 * 3_600 - 1);
      await expect(signer.sign(over)).rejects.toBeInstanceOf(SigningRefused);
      clock.advance(1);
      await signer.sign(over);
      await expect(signer.sign(world.order())).rejects.toBeInstanceOf(SigningRefused);
    } finally {
      await signer.close();
      await world.remove();
    }
  });
});

test('the API role has no signer', async () => {
  const parts = {
    catalog: new AssetCatalog(),
    clock: testClock(),
    logger: silentLogger,
    masterKey: Buffer.from(TEST_MASTER_KEY, 'hex'),
  };
  for (const socket of ['', '/run/signer.sock'])
    expect(await composeSigner(testConfig({ ROLE: 'api', SIGNER_SOCKET: socket }), parts)).toBeNull();
});
